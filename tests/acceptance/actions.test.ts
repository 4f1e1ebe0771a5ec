// Actions on the engine of a real server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { command, ops } from './ops-client.js';
import { type RunningServer, startServer } from './start-server.js';

describe('a server', () => {
  it('flushes, compacts, cleans up and repairs while rows come in, each with its event', async () => {
    const server = await startServer();
    try {
      const columns = { id: 'int', old: 'text' };
      const definition = { columns, primaryKey: 'id' };
      await command(server, 'default_keyspace', { createTable: { name: 'orders', definition } });
      const documents = Array.from({ length: 100 }, (_, id) => ({ id, old: 'o' }));
      await command(server, 'default_keyspace/orders', { insertMany: { documents } });
      await command(server, 'default_keyspace/orders', {
        alterTable: { operation: { drop: { columns: ['old'] } } },
      });
      for (const action of ['flush', 'cleanup', 'repair', 'compact']) {
        const id = await ops(server, `/local/ops/${action}/127.0.0.1/default_keyspace`, ['orders']);
        await command(server, 'default_keyspace/orders', { insertOne: { document: { id: 1000 } } });
        const ended = await untilEnded(server, String(id));
        assert.equal(ended.state, 'success', JSON.stringify(ended));
      }
      const events = (await ops(server, '/local/events?count=4')) as { action: number; success: boolean }[];
      assert.deepEqual(
        events.map(({ action, success }) => [action, success]),
        [
          [0, true],
          [2, true],
          [1, true],
          [3, true],
        ],
      );
    } finally {
      await server.stop();
    }
  });
});

async function untilEnded(server: RunningServer, id: string): Promise<{ state: string }> {
  for (;;) {
    const shown = (await ops(server, `/request/${id}/status`)) as { state: string };
    if (shown.state !== 'queued' && shown.state !== 'running') return shown;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
