// Changes of documents whose jobs change some of them at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { everyDocument } from '../../../documents/document-filter.js';
import type { Collection } from '../../../schema/collection.js';
import { EngineError } from '../../engine-error.js';
import { DocumentChanges } from './document-changes.js';
import type { DocumentResult } from './document-work.js';

const keys = [1, 2, 3, 4, 5].map((number) => Uint8Array.of(number));
const plan = {
  collection: {} as Collection, // only passed on
  keys,
  filter: everyDocument,
  change: { kind: 'delete' },
  wants: 'none',
} as const;

/** Each job changes two documents; the job after `jobs` of them fails. */
function changes(jobs: number, error: Error) {
  const sent: number[][] = [];
  const writing = {
    deleteAll: () => Promise.reject(new TypeError('nothing is deleted')),
    writeDocuments: async (_: unknown, work: object): Promise<DocumentResult> => {
      const { keys: some } = work as typeof plan;
      sent.push(some.map(([number = 0]) => number));
      if (sent.length > jobs) throw error;
      const states = some.slice(0, 2).map(() => 'deleted' as const);
      return { kind: 'change', states, images: [], failure: undefined };
    },
  };
  return { sent, changing: new DocumentChanges(writing) };
}

describe('changes of documents in portions', () => {
  it('send the rest until all documents are changed', async () => {
    const { sent, changing } = changes(3, new Error('not reached'));
    const { states, failure } = await changing.change(plan);
    assert.deepEqual(states, Array(5).fill('deleted'));
    assert.equal(failure, undefined);
    assert.deepEqual(sent, [[1, 2, 3, 4, 5], [3, 4, 5], [5]]);
  });

  it('report the documents before a failure', async () => {
    for (const [kind, code] of [
      ['schemaChanged', 'UNAVAILABLE_DATABASE'],
      ['closed', 'UNAVAILABLE_DATABASE'],
      ['writeFailed', 'FAILED_WRITE_REQUEST'],
    ] as const) {
      const { states, failure } = await changes(1, new EngineError(kind, 'stopped')).changing.change(plan);
      assert.deepEqual(states, ['deleted', 'deleted']);
      assert.equal(failure?.code, code);
      assert.match(failure?.message ?? '', /after those that were counted were not changed: stopped/);
    }
  });

  it('let a failure of the first portion be repeated as a whole', async () => {
    const { changing } = changes(0, new EngineError('schemaChanged', 'stopped'));
    await assert.rejects(changing.change(plan), { kind: 'schemaChanged' });
  });
});

describe('an insert of documents in portions', () => {
  const documents = keys.map((key) => ({ key, text: '{}', reserved: null, vector: null, lexical: null }));
  const insert = { collection: {} as Collection, documents, isOrdered: false }; // only passed on

  /** Each job stores two documents; the job after `jobs` of them fails. */
  function inserts(jobs: number, error: Error) {
    const sent: number[] = [];
    const changing = new DocumentChanges({
      deleteAll: () => Promise.reject(new TypeError('nothing is deleted')),
      writeDocuments: async (_, work): Promise<DocumentResult> => {
        assert.ok(work.kind === 'insert');
        sent.push(work.documents.length);
        if (sent.length > jobs) throw error;
        return { kind: 'insert', states: work.documents.slice(0, 2).map(() => 'stored' as const) };
      },
    });
    return { sent, changing };
  }

  it('sends the rest until all documents are stored', async () => {
    const { sent, changing } = inserts(3, new Error('not reached'));
    assert.deepEqual(await changing.insert(insert), Array(5).fill('stored'));
    assert.deepEqual(sent, [5, 3, 1]);
  });

  it('reports the documents behind a failure, and lets a failure of the first portion be repeated', async () => {
    const { changing } = inserts(1, new EngineError('schemaChanged', 'stopped'));
    const [first, second, ...others] = await changing.insert(insert);
    assert.deepEqual([first, second], ['stored', 'stored']);
    assert.equal(others.length, 3);
    for (const other of others) {
      assert.ok(typeof other === 'object');
      assert.equal(other.code, 'UNAVAILABLE_DATABASE');
      assert.match(other.message, /after those that were stored were not stored: stopped/);
    }
    const failing = inserts(0, new EngineError('schemaChanged', 'stopped'));
    await assert.rejects(failing.changing.insert(insert), { kind: 'schemaChanged' });
  });
});
