// Changes of user-defined types against the types that are there, and where their statements fail.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { int } from '../../../column-types/integers.js';
import { userDefinedOf } from '../../../column-types/user-types.js';
import { EngineError } from '../../engine-error.js';
import { refuseOtherType, refuseOtherTypes, refuseTypeName, runInOrder } from './type-changes.js';

const typeOf = (name: string, ...fields: readonly string[]) => {
  return { keyspace: 'k', name, fields: fields.map((field) => ({ name: field, type: int })) };
};
const present = typeOf('t', 'a');
const keyspace = {
  name: 'k',
  replication: new Map(),
  tables: new Map(),
  unfinished: new Map(),
  userTypes: new Map([[present.name, present]]),
};

const isKind = (kind: EngineError['kind']) => (error: unknown) =>
  error instanceof EngineError && error.kind === kind;

describe('changes of user-defined types', () => {
  it('refuses plans for types that are gone or changed, also as the types of columns', () => {
    for (const type of [typeOf('t', 'b'), typeOf('other', 'a')]) {
      assert.throws(() => refuseOtherType(keyspace, type), isKind('schemaChanged'));
      const columns = [{ name: 'c', type: userDefinedOf(type) }];
      assert.throws(() => refuseOtherTypes(keyspace, columns), isKind('schemaChanged'));
    }
    assert.throws(() => refuseOtherType(undefined, present), isKind('schemaChanged'));
    refuseOtherType(keyspace, typeOf('t', 'a'));
    refuseOtherTypes(keyspace, [{ name: 'c', type: userDefinedOf(present) }]);
  });

  it('refuses names that Cassandra would take for its own types', () => {
    for (const name of ['int', 'varchar', 'list', 'frozen'])
      assert.throws(() => refuseTypeName(name), isKind('refused'));
    refuseTypeName('Int');
    refuseTypeName('place');
  });

  it('does not offer a change to be made again that was made in part', async () => {
    const runUntil = async (failsAt: number) => {
      const made: string[] = [];
      await runInOrder(['a', 'b'], async (statement) => {
        if (made.length === failsAt) throw new CassandraFailure('refused', 'no');
        made.push(statement);
      });
      return made;
    };
    assert.deepEqual(await runUntil(2), ['a', 'b']);
    await assert.rejects(runUntil(0), CassandraFailure);
    await assert.rejects(runUntil(1), isKind('writeFailed'));
  });
});
