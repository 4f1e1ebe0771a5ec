// The sizes of tables on disk, counted by a thread of their own.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTableSizes } from '../../src/data-service/engine/embedded/maintenance/table-sizes.js';
import { ThreadEnded } from '../../src/foundation/threads/worker-thread.js';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';
import { DataClient } from '../faults/data-client.js';

const keyspace = '/default_keyspace';
const definition = { columns: { id: 'int', content: 'text' }, primaryKey: 'id' };

describe('readTableSizes', () => {
  it('counts each table with its indexes while the server writes', async () => {
    const dataDir = makeTemporaryDirectory();
    const server = await startServer({ dataDir });
    const client = new DataClient(server.url);
    try {
      for (const name of ['large', 'small'])
        await client.mustSend(keyspace, { createTable: { name, definition } });
      const documents = Array.from({ length: 100 }, (_, id) => ({ id, content: 'x'.repeat(10_000) }));
      await client.mustSend(`${keyspace}/large`, { insertMany: { documents } });
      const sizes = await readTableSizes(dataDir, new AbortController().signal);
      assert.deepEqual([...sizes.keys()].sort(), ['default_keyspace.large', 'default_keyspace.small']);
      const large = sizes.get('default_keyspace.large') ?? 0;
      assert.ok(large > 1_000_000 && large < 2_000_000, `${large}`);
      assert.ok((sizes.get('default_keyspace.small') ?? 0) <= 16_384);
    } finally {
      client.close();
      await server.stop();
    }
  });

  // Otherwise the end of the process aborts the statement, and the process.
  it('ends when it is requested', async () => {
    const dataDir = makeTemporaryDirectory();
    const server = await startServer({ dataDir });
    const client = new DataClient(server.url);
    await client.mustSend(keyspace, { createTable: { name: 'rows', definition } });
    client.close();
    await server.stop();
    const ending = new AbortController();
    const sizes = readTableSizes(dataDir, ending.signal);
    ending.abort();
    await assert.rejects(sizes, (error) => error instanceof ThreadEnded && error.wasAsked);
  });

  it('fails where there is no file', async () => {
    await assert.rejects(readTableSizes(makeTemporaryDirectory(), new AbortController().signal));
  });
});
