// A session whose only node goes away and comes back: it connects again, leaves nothing behind, and its process ends.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const moduleUrl = (path: string) => new URL(`../../${path}.js`, import.meta.url).href;

/** Loses its node three times and prints the connections to it each time; `end` closes the session. */
const script = (end: string) => `
  import { numberedId, tablesOf } from '${moduleUrl('benchmarks/simulated-cassandra/node-tables')}';
  import { startSimulatedNode } from '${moduleUrl('benchmarks/simulated-cassandra/simulated-node')}';
  import { openCqlSession } from '${moduleUrl('src/foundation/cassandra/open-cql-session')}';
  const self = { address: '127.0.0.61', hostId: numberedId(1), dc: 'dc1' };
  const tables = tablesOf({ self, members: [self], port: 0, tableCount: 1, seconds: () => 1 });
  const start = (port) => startSimulatedNode({ address: self.address, port }, (name) => tables[name]?.());
  let node = await start(0);
  const { port } = node;
  const place = { contactPoints: [self.address], port, localDataCenter: 'dc1', timeoutMs: 5_000 };
  const session = await openCqlSession(place);
  let problem = 'none yet';
  session.onProblem((noted) => { problem = noted; });
  const cql = 'SELECT keyspace_name FROM system_schema.tables';
  const ask = () => session.run({ cql, values: [], isIdempotent: true, consistency: 'LOCAL_ONE' });
  const until = async (isSo) => { while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20)); };
  await ask();
  const connections = [];
  for (let round = 0; round < 3; round += 1) {
    problem = undefined;
    await node.close();
    await until(() => problem !== undefined);
    await ask().then(() => connections.push('answered'), ({ kind }) => connections.push(kind));
    node = await start(port);
    await until(() => problem === undefined);
    await ask();
    // Its pool is filled behind the first connection.
    await until(() => node.connectionCount >= 2);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    connections.push(node.connectionCount);
  }
  ${end}
  console.log(JSON.stringify({ connections, left: node.connectionCount }));
  await node.close();
`;

/** What a process prints that ends by itself. */
async function printed(end: string): Promise<unknown> {
  const args = ['--input-type=module', '-e', script(end)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  return JSON.parse(stdout);
}

describe('a session whose node was away', () => {
  const connections = ['unreachable', 2, 'unreachable', 2, 'unreachable', 2];

  it('has as many connections as before, and its process ends when it is closed', async () => {
    assert.deepEqual(await printed('await session.close();'), { connections, left: 0 });
  });

  it('lets its process end when it is closed while the node is away', async () => {
    const end = 'await node.close(); await until(() => problem !== undefined); await session.close();';
    assert.deepEqual(await printed(end), { connections, left: 0 });
  });
});
