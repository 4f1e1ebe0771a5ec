// Long reads do not hold up the stop of the server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startServer } from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';

const table = '/default_keyspace/rows';
const rowCount = 300_000;
const rowsPerRequest = 100;
const scans = 40;

describe('SIGTERM while long reads run', () => {
  it('ends the process in order, and every client gets an answer or a closed connection', async (test) => {
    const server = await startServer();
    const client = new DataClient(server.url, scans);
    const points = new DataClient(server.url, 1);
    try {
      await fill(client);
      const scan = { find: { filter: { content: 'no such content' } } };
      const outcomes = Array.from({ length: scans }, async () => {
        const reply = await client.send(table, scan).catch(() => undefined);
        if (reply === undefined) return 'closed';
        const [error] = reply.body.errors ?? [];
        if (error !== undefined) return error.errorCode;
        assert.deepEqual(reply.body.data?.documents, [], reply.text);
        return 'answered';
      });
      let haveAllEnded = false;
      const allOutcomes = Promise.all(outcomes).finally(() => {
        haveAllEnded = true;
      });
      for (let read = 0; read < 20; read += 1)
        await points.mustSend(table, { findOne: { filter: { id: 1 } } });
      assert.ok(!haveAllEnded, 'the reads were not long enough');
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      const counts = new Map<string, number>();
      for (const outcome of await allOutcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      test.diagnostic(JSON.stringify(Object.fromEntries(counts)));
      for (const outcome of counts.keys())
        assert.ok(['answered', 'closed', 'UNAVAILABLE_DATABASE'].includes(outcome), outcome);
    } finally {
      client.close();
      points.close();
      server.signal('SIGKILL'); // a failed check must not leave it behind
    }
  });
});

/** From a few connections at once. */
async function fill(client: DataClient): Promise<void> {
  const definition = { columns: { id: 'int', content: 'text' }, primaryKey: 'id' };
  await client.mustSend('/default_keyspace', { createTable: { name: 'rows', definition } });
  let nextId = 0;
  const work = async () => {
    while (nextId < rowCount) {
      const first = nextId;
      nextId += rowsPerRequest;
      const ids = Array.from({ length: rowsPerRequest }, (_, at) => first + at);
      const documents = ids.map((id) => ({ id, content: 'content' }));
      await client.mustSend(table, { insertMany: { documents } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}
