// Servers with workers on a simulated node: restarts behind a load balancer, and what the workers share.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { numberedId, tablesOf } from '../../benchmarks/simulated-cassandra/node-tables.js';
import { rowTables } from '../../benchmarks/simulated-cassandra/row-tables.js';
import {
  type SimulatedNode,
  startSimulatedNode,
} from '../../benchmarks/simulated-cassandra/simulated-node.js';
import { restartUnderLoad, send } from './restart-under-load.js';
import { type RunningServer, type StartOptions, startServer } from './start-server.js';

describe('servers behind a load balancer', () => {
  let node: SimulatedNode;
  const servers: RunningServer[] = [];
  before(async () => {
    const self = { address: '127.0.0.1', hostId: numberedId(1), dc: 'dc1' };
    const tables = tablesOf({ self, members: [self], port: 0, tableCount: 0, seconds: () => 1 });
    const tableNamed = (name: string) => rowTables[name] ?? tables[name]?.();
    node = await startSimulatedNode({ address: self.address, port: 0 }, tableNamed);
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await node.close();
  });

  const start = async (args: readonly string[], options: StartOptions = {}) => {
    const cluster = ['--engine=cassandra', '--cassandra-contact-points=127.0.0.1', '--token=T'];
    const place = [`--cassandra-port=${node.port}`, '--cassandra-local-datacenter=dc1'];
    const server = await startServer({ ...options, args: [...cluster, ...place, ...args] });
    servers.push(server);
    return server;
  };

  for (const workers of [1, 2]) {
    it(`are restarted one after the other under load, and no request fails, with ${workers} workers`, async () => {
      await restartUnderLoad({
        start: (args, options) => start([`--workers=${workers}`, ...args], options),
        path: '/v1/default_keyspace/bench',
        commands: (number) => [
          { insertOne: { document: { id: `row-${number}`, age: 1 } } },
          { findOne: { filter: { id: `row-${number}` } } },
        ],
      });
    });
  }

  it('have all keys of the key store in each worker when the command that stored one is done', async () => {
    const { url, opsUrl } = await start(['--workers=2']);
    const authentication = { providerKey: 'shared' };
    const service = { provider: 'openai', modelName: 'text-embedding-3-small', authentication };
    const definition = { primaryKey: 'id', columns: { id: 'int', v: { type: 'vector', service } } };
    // Each command has its own connection, which any worker accepts. The table exists: it is refused in the end.
    const add = () => send(`${url}/v1/default_keyspace`, { createTable: { name: 'bench', definition } });
    const replies = await Promise.all(Array.from({ length: 12 }, add));
    for (const reply of replies) assert.match(reply, /VECTORIZE_CREDENTIAL_INVALID/);
    const headers = { 'content-type': 'application/json', token: 'T' };
    const body = '{"providerKey":"secret"}';
    const put = await fetch(`${opsUrl}/local/embedding-keys/shared`, { method: 'PUT', headers, body });
    assert.equal(put.status, 200, await put.text());
    const later = await Promise.all(Array.from({ length: 12 }, add));
    for (const reply of later) assert.doesNotMatch(reply, /VECTORIZE_CREDENTIAL_INVALID/);
  });
});
