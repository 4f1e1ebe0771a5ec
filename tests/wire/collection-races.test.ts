// Commands on documents that other commands change each time before: the routes on an engine where this always happens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { collectionTable } from '../../src/data-service/schema/collection.js';
import { makeTable } from '../../src/data-service/schema/table.js';
import { bodyText } from '../body-text.js';
import { dataRoutesOver } from '../data-routes.js';
import { shortened } from './wire-server.js';

describe('a document that other commands change first, again and again', () => {
  const commands = [
    '{"updateOne":{"filter":{"a":1},"update":{"$set":{"a":2}}}}',
    '{"findOneAndDelete":{"filter":{"a":1}}}',
  ];
  for (const body of commands) {
    it(`a lost race: ends the command after a bounded number of attempts: ${body.slice(2, 20)}`, async () => {
      let attempts = 0;
      const routes = dataRoutesOver(engineWithRaces(() => (attempts += 1)));
      const request = { method: 'POST', path: '/v1/k/c', query: '', remoteAddress: '127.0.0.1' };
      const reply = await routes.answer({ ...request, header: () => undefined, body: Buffer.from(body) });
      const error = '<SERVER DATABASE FAILED_CONCURRENT_OPERATIONS: Other commands changed the documents>';
      assert.equal(shortened(bodyText(reply)), `{"errors":[${error}]}`);
      assert.equal(attempts, 50);
    });
  }
});

/** Finds a document for each read, and never changes it. */
function engineWithRaces(onChange: () => void): Engine {
  const table = makeTable({ id: 1, version: 1, keyspace: 'k' }, collectionTable('c', {}));
  const keyspace = {
    name: 'k',
    replication: new Map(),
    tables: new Map([['c', table]]),
    userTypes: new Map(),
  };
  const unused = () => Promise.reject(new Error('not used here'));
  return {
    name: 'racing',
    readSchema: async () => ({ keyspaces: new Map([['k', keyspace]]) }),
    readRows: async ({ columns, order }) => ({
      columns,
      order,
      applied: { filter: true, order: true },
      chunks: [[[Uint8Array.of(1)]]],
    }),
    documents: {
      insert: unused,
      change: async () => {
        onChange();
        return { states: ['unmatched'], images: [] };
      },
      deleteAll: unused,
    },
    changeSchema: unused,
    insertRows: unused,
    changeRow: unused,
    deleteRows: unused,
    close: async () => {},
  };
}
