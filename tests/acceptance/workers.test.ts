// Several processes on one port, checked on real processes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { waitFor } from './ops-client.js';
import { ask, askUntil, repliesCounted, withWorkers } from './serve-by-workers.js';
import { makeTemporaryDirectory, runColonnade } from './start-server.js';

describe('colonnade serve --workers 2', () => {
  it('answers by two processes on one port; the log names them, and the metrics are their sums', async () => {
    await withWorkers([], async (server) => {
      const { pids, asked } = await askUntil(server.url, 2);
      assert.ok(!pids.includes(server.pid));
      for (const worker of [1, 2]) {
        await waitFor(`entries of worker ${worker}`, async () =>
          server.stderr().includes(`"worker":${worker},`),
        );
      }
      await waitFor('all replies in the sum', async () => (await repliesCounted(server)) === asked);
      const { body } = await ask(`${server.opsUrl}/metrics`);
      assert.equal(body.match(/^colonnade_http_connections /gm)?.length, 1);
      for (const thread of ['data', 'operations'])
        assert.match(
          body,
          new RegExp(`^colonnade_event_loop_longest_turn_seconds\\{thread="${thread}"\\} [0-9]`, 'm'),
        );
    });
  });

  it('says which port is in use and exits 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    assert.ok(typeof address === 'object' && address !== null);
    const cluster = ['--engine=cassandra', '--cassandra-contact-points=127.0.0.1', '--cassandra-port=1'];
    const run = await runColonnade([
      ...['serve', '--data-dir', makeTemporaryDirectory(), '--ops-port=0', '--workers=2', ...cluster],
      ...['--cassandra-local-datacenter=dc1', `--port=${address.port}`],
    ]);
    assert.equal(run.code, 1, run.stderr);
    assert.match(
      run.stderr,
      new RegExp(`cannot listen on 127\\.0\\.0\\.1:${address.port}: the port is in use`),
    );
    taken.close();
  });
});
