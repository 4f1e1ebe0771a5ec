// Commands on documents that other commands change each time before: the routes on an engine where this always happens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import {
  collectionColumns,
  collectionTable,
  isCollection,
} from '../../src/data-service/schema/collection.js';
import { makeTable } from '../../src/data-service/schema/table.js';
import { bodyText } from '../body-text.js';
import { dataRoutesOver } from '../data-routes.js';
import { shortened } from './wire-server.js';

describe('documents that other commands change first', () => {
  const commands = [
    '{"updateOne":{"filter":{"a":1},"update":{"$set":{"a":2}}}}',
    '{"findOneAndDelete":{"filter":{"a":1}}}',
  ];
  for (const body of commands) {
    it(`a lost race: ends the command after a bounded number of reads: ${body.slice(2, 20)}`, async () => {
      const { engine, tried } = engineWithRaces(1, () => 'unmatched');
      const error = '<SERVER DATABASE FAILED_CONCURRENT_OPERATIONS: Other commands changed the documents>';
      assert.equal(shortened(await send(engine, body)), `{"errors":[${error}]}`);
      assert.equal(tried.length, 50);
    });
  }

  it('a lost race: tries the others of the same read, with a sort in its order', async () => {
    const reply = '{"status":{"matchedCount":1,"modifiedCount":1}}';
    const found = 50;
    for (const sort of ['', '"sort":{"n":-1},']) {
      const { engine, tried, reads } = engineWithRaces(found, (tried) =>
        new Set(tried).size === found ? 'changed' : 'unmatched',
      );
      assert.equal(
        await send(engine, `{"updateOne":{"filter":{"a":1},${sort}"update":{"$set":{"a":2}}}}`),
        reply,
      );
      assert.equal(reads(), sort === '' ? 2 : 1);
      const largestFirst = Array.from({ length: found }, (_, at) => found - 1 - at);
      if (sort !== '') assert.deepEqual(tried, largestFirst);
    }
  });
});

describe('a document that another command changes while it is looked for', () => {
  it('found documents on a cluster: is looked for again where a read can miss it', async () => {
    const body =
      '{"updateOne":{"filter":{"a":{"$gte":1}},"update":{"$set":{"a":2}},"options":{"upsert":true}}}';
    const { engine, reads } = engineWithRaces(1, () => 'changed');
    assert.ok(engine.documents);
    const missing: Engine = {
      ...engine,
      readRows: async (plan) => {
        const outcome = await engine.readRows(plan);
        return reads() === 1 ? { ...outcome, chunks: [] } : outcome;
      },
      documents: { ...engine.documents, canMiss: (_, filter) => filter.kind === 'value' },
    };
    assert.equal(await send(missing, body), '{"status":{"matchedCount":1,"modifiedCount":1}}');
    assert.equal(reads(), 2);
  });
});

/** The reply of the routes over an engine. */
async function send(engine: Engine, body: string): Promise<string> {
  const request = { method: 'POST', path: '/v1/k/c', query: '', remoteAddress: '127.0.0.1' };
  const answer = { ...request, header: () => undefined, body: Buffer.from(body) };
  return bodyText(await dataRoutesOver(engine).answer(answer));
}

/**
 * An engine whose reads find the documents `{"n": 0}`, `{"n": 1}` and so on, with `n` as keys. `stateOf` says what
 * becomes of the last one that was tried.
 */
function engineWithRaces(
  found: number,
  stateOf: (tried: readonly number[]) => 'changed' | 'unmatched',
): { readonly engine: Engine; readonly tried: readonly number[]; readonly reads: () => number } {
  const table = makeTable({ id: 1, version: 1, keyspace: 'k' }, collectionTable('c', {}));
  assert.ok(isCollection(table));
  const { key, document } = collectionColumns(table);
  const keyspace = {
    name: 'k',
    replication: new Map(),
    tables: new Map([['c', table]]),
    userTypes: new Map(),
  };
  const unused = () => Promise.reject(new Error('not used here'));
  const tried: number[] = [];
  let reads = 0;
  const engine: Engine = {
    name: 'racing',
    readSchema: async () => ({ keyspaces: new Map([['k', keyspace]]) }),
    readRows: async ({ columns, order, page }) => {
      reads += 1;
      const rows = Array.from({ length: Math.min(found, page.limit) }, (_, n) => {
        const values = new Map<unknown, unknown>([
          [key, Uint8Array.of(n)],
          [document, `{"_id":${n},"n":${n}}`],
        ]);
        return columns.map((column) => values.get(column) ?? null);
      });
      return { columns, order, applied: { filter: true, order: true }, chunks: [rows] };
    },
    documents: {
      insert: unused,
      change: async ({ keys }) => {
        tried.push(...keys.map((bytes) => Number(bytes[0])));
        return { states: [stateOf(tried)], images: [] };
      },
      deleteAll: unused,
    },
    changeSchema: unused,
    insertRows: unused,
    changeRow: unused,
    deleteRows: unused,
    close: async () => {},
  };
  return { engine, tried, reads: () => reads };
}
