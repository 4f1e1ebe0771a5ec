// Which failures of a cluster make a plan again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CassandraFailure, type CassandraFailureKind } from '../../../foundation/cassandra/session.js';
import { EngineError } from '../engine-error.js';
import { readFailure, writeFailure } from './engine-failure.js';

describe('the failure of a statement', () => {
  const cases: readonly (readonly [kind: CassandraFailureKind, message: string, engineKind: string])[] = [
    ['unprepared', 'Prepared query with ID 9f not found', 'schemaChanged'],
    ['refused', 'Undefined column name n', 'schemaChanged'],
    ['unavailable', 'too few nodes', 'unavailable'],
    ['overloaded', 'too much to do', 'overloaded'],
  ];
  for (const [kind, message, engineKind] of cases) {
    it(`of the kind ${kind}, which did nothing, is ${engineKind} in reads and writes`, () => {
      for (const failureOf of [readFailure, writeFailure]) {
        const failure = failureOf(new CassandraFailure(kind, message));
        assert.ok(failure instanceof EngineError);
        assert.equal(failure.kind, engineKind);
      }
    });
  }

  it('names the database in its message', () => {
    const kinds: readonly CassandraFailureKind[] = [
      'unavailable',
      'overloaded',
      'unanswered',
      'failed',
      'refused',
      'noAgreement',
    ];
    for (const kind of kinds) {
      for (const failureOf of [readFailure, writeFailure]) {
        const failure = failureOf(new CassandraFailure(kind, 'its own words'));
        assert.ok(failure instanceof EngineError);
        assert.match(failure.message, /Cassandra.*: its own words$/, kind);
      }
    }
  });

  it('says of rows that are larger than nodes take that they are too large', () => {
    const messages = [
      'Rejected an oversized mutation (23000061/16777216) for keyspace: k. Top keys are: t.3',
      'Request is too big: length 18874424 exceeds maximum allowed length 16777216.',
      'sai_string_term_size violated: Value of column t has size 8193, this exceeds the failure threshold of 8192.',
    ];
    for (const message of messages) {
      const failure = writeFailure(new CassandraFailure('refused', message));
      assert.ok(failure instanceof EngineError);
      assert.equal(failure.kind, 'tooLarge');
      assert.match(failure.message, /^Cassandra refuses it: /);
    }
  });
});
