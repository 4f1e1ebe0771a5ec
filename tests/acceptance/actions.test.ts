// Actions on the engine of a real server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { askOps, command } from './ops-client.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from './start-server.js';

describe('a server', () => {
  it('flushes, compacts, cleans up and repairs while rows come in, each with its event', async () => {
    const server = await startServer();
    try {
      const ofNothing = await askOps(server, '/local/ops/flush/127.0.0.1/default_keyspace', { body: [] });
      assert.equal(
        (await untilEnded(server, String(ofNothing))).state,
        'success',
        'a keyspace without tables',
      );
      const columns = { id: 'int', old: 'text' };
      const definition = { columns, primaryKey: 'id' };
      await command(server, 'default_keyspace', { createTable: { name: 'orders', definition } });
      const documents = Array.from({ length: 100 }, (_, id) => ({ id, old: 'o' }));
      await command(server, 'default_keyspace/orders', { insertMany: { documents } });
      await command(server, 'default_keyspace/orders', {
        alterTable: { operation: { drop: { columns: ['old'] } } },
      });
      for (const action of ['flush', 'cleanup', 'repair', 'compact']) {
        const id = await askOps(server, `/local/ops/${action}/127.0.0.1/default_keyspace`, {
          body: ['orders'],
        });
        await command(server, 'default_keyspace/orders', { insertOne: { document: { id: 1000 } } });
        const ended = await untilEnded(server, String(id));
        assert.equal(ended.state, 'success', JSON.stringify(ended));
      }
      const events = (await askOps(server, '/local/events?count=4')) as {
        action: number;
        success: boolean;
      }[];
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

  it('stops in order while a repair checks a table that takes for ever, and says that it was interrupted', async () => {
    const dataDir = makeTemporaryDirectory();
    const server = await startServer({ dataDir });
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    await command(server, 'default_keyspace', { createTable: { name: 'orders', definition } });
    const path = '/local/ops/repair/127.0.0.1/default_keyspace';
    const id = await askOps(server, path, { body: ['orders'] });
    const check = await pidOfCheck(server);
    process.kill(check, 'SIGSTOP');
    try {
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
    } finally {
      spawnSync('kill', ['-KILL', `${check}`]); // where the server has not done so
    }
    const next = await startServer({ dataDir });
    try {
      const shown = Object(await askOps(next, `/request/${id}/status`));
      assert.equal(shown.state, 'error');
      assert.match(JSON.stringify(shown.details), /interrupted by a restart/);
      const again = await askOps(next, path, { body: ['orders'] });
      assert.equal((await untilEnded(next, String(again))).state, 'success');
    } finally {
      await next.stop();
    }
  });
});

/**
 * The process that checks a table for a server, once it has its own command line. Stopped before, it would block the
 * server, whose call that starts a process waits for that moment.
 */
async function pidOfCheck({ pid }: RunningServer): Promise<number> {
  const args = ['-P', `${pid}`, '-f', 'check-process'];
  for (let tries = 0; tries < 1000; tries += 1) {
    const children = spawnSync('pgrep', args, { encoding: 'utf8' }).stdout.trim();
    if (children !== '') return Number(children.split('\n')[0]);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error('nothing is checked');
}

async function untilEnded(server: RunningServer, id: string): Promise<{ state: string }> {
  for (;;) {
    const shown = (await askOps(server, `/request/${id}/status`)) as { state: string };
    if (shown.state !== 'queued' && shown.state !== 'running') return shown;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
