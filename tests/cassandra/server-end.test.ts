// A server whose node goes away and comes back, or hangs: it serves again, and ends when a signal asks for it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, withServer } from '../acceptance/start-server.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('a server and its node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const nodeOf = () => {
    const [node] = cluster().nodes;
    assert.ok(node !== undefined);
    return node;
  };
  const args = () => [
    ...['--engine', 'cassandra', '--cassandra-contact-points', '127.0.0.1'],
    ...['--cassandra-port', String(nodeOf().place.nativePort)],
    ...['--cassandra-local-datacenter', 'datacenter1'],
  ];
  const ask = async ({ url }: RunningServer) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/v1`, { method: 'POST', headers, body: '{"findKeyspaces":{}}' });
    return reply.text();
  };
  const statusOf = async ({ url }: RunningServer) => (await fetch(`${url}/health/ready`)).status;
  const endOf = async (server: RunningServer) => (await server.stop()).code;

  it('ends in order while its node is away, and after its node was away twice', async () => {
    await withServer({ args: args() }, async (server) => {
      for (const round of [1, 2]) {
        assert.match(await ask(server), /"keyspaces"/);
        await nodeOf().stop();
        await waitFor(`loss ${round}`, async () => (await statusOf(server)) === 503);
        await nodeOf().restart();
        await waitFor(`return ${round}`, async () => (await statusOf(server)) === 200);
      }
      assert.match(await ask(server), /"keyspaces"/);
      assert.equal(await endOf(server), 0);
    });
    await withServer({ args: args() }, async (server) => {
      await nodeOf().stop();
      await waitFor('the loss', async () => (await statusOf(server)) === 503);
      assert.equal(await endOf(server), 0);
    });
    await nodeOf().restart();
  });

  it('ends in order while its node hangs', async () => {
    await withServer({ args: args() }, async (server) => {
      assert.match(await ask(server), /"keyspaces"/);
      nodeOf().signal('SIGSTOP');
      try {
        assert.equal(await endOf(server), 0);
      } finally {
        nodeOf().signal('SIGCONT');
      }
    });
  });
});
