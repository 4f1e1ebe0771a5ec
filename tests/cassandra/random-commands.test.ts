// Random commands to a server on the embedded engine and to one on a real node: their replies are the same.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { compareSeeds } from '../differential/compare-seeds.js';
import { compareServers } from '../differential/compare-servers.js';
import { readsPerScenario } from '../differential/scenario.js';
import { argsFor } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** Set to a number, the scenario of this seed is played instead. */
const seedVariable = 'COLONNADE_TEST_SEED';
const wanted = process.env[seedVariable];
/** Few: on a node each takes up to a minute. */
const seeds = wanted === undefined ? [1001, 1005] : [Number(wanted)];

describe('random commands on both engines', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  for (const dialect of ['strict', 'extended'] as const)
    describe(`in the ${dialect} dialect`, () => describeCommands(cluster, dialect));
});

function describeCommands(cluster: ReturnType<typeof useCassandra>, dialect: Dialect): void {
  let servers: readonly RunningServer[] = [];
  before(async () => {
    const args = ['--dialect', dialect];
    servers = await Promise.all([
      startServer({ args }),
      startServer({ args: [...argsFor(cluster()), ...args] }),
    ]);
    for (const { url } of servers) {
      const body = '{"createKeyspace":{"name":"random"}}';
      await fetch(`${url}/v1`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    }
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  it('show the same, and find rows doing so', async (test) => {
    const [embedded, onNode] = servers;
    assert.ok(embedded !== undefined && onNode !== undefined);
    const left = { name: 'embedded', url: `${embedded.url}/v1/random` };
    const right = { name: 'cassandra', url: `${onNode.url}/v1/random` };
    const { pages, rows, difference } = await compareSeeds(seeds, (seed) =>
      compareServers(seed, left, right, dialect),
    );
    if (difference !== undefined) assert.fail(difference);
    if (wanted === undefined) assert.ok(rows > seeds.length * readsPerScenario, `only ${rows} rows`);
    test.diagnostic(`seeds ${seeds.join(', ')}: ${pages} replies, ${rows} rows`);
  });
}
