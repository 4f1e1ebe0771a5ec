// Rows that several clients read and write through two servers at the same time, while nodes stop, hang and come back:
// each row must behave as if it existed once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { waitFor } from '../acceptance/ops-client.js';
import type { RunningServer } from '../acceptance/start-server.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { createRegisterTable, startOnCluster } from './cluster-servers.js';
import { describeAnomaly, findAnomalies } from './register-history.js';
import { RegisterLoad } from './register-load.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const seconds = Number(process.env['COLONNADE_CONSISTENCY_SECONDS'] ?? 40);
const seed = Number(process.env['COLONNADE_CONSISTENCY_SEED'] ?? newSeed());
const replayable = `COLONNADE_CONSISTENCY_SEED=${seed} COLONNADE_CONSISTENCY_SECONDS=${seconds}`;

/** What happens to nodes. Each ends with all nodes running. */
const faults: Readonly<
  Record<string, (nodes: readonly CassandraNode[], random: SeededRandom) => Promise<void>>
> = {
  'a node hangs': ([node], random) => pause([node], 2_000 + random.below(5_000)),
  'a majority hangs': ([node, other], random) => pause([node, other], 1_000 + random.below(3_000)),
  'a node stops': async ([node], random) => {
    await node?.stop();
    await sleep(random.below(3_000));
    await node?.restart();
  },
  'a node is killed': async ([node], random) => {
    node?.signal('SIGKILL');
    await sleep(1_000 + random.below(2_000)); // its ports are free again
    await node?.restart();
  },
};

describe('rows on three real nodes through two servers', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 3, keepsSchema: true });
  const servers: RunningServer[] = [];
  before(async () => {
    for (let count = 0; count < 2; count += 1) servers.push(await startOnCluster(cluster()));
    await createRegisterTable(servers);
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });

  it('one row on a cluster: behaves as if it existed once, whatever happens to nodes', async (test) => {
    const random = seededRandom(seed);
    const load = new RegisterLoad({
      ...{ seed, urls: servers.map(({ url }) => url), clientsPerServer: 4, mostRestMs: 30 },
    });
    load.start();
    const happened: string[] = [];
    for (const endMs = Date.now() + seconds * 1_000; Date.now() < endMs; ) {
      await sleep(500 + random.below(2_000));
      const [name, happen] = random.pick(Object.entries(faults));
      happened.push(name);
      await happen(random.some(cluster().nodes, 3), random);
    }
    await waitFor('answers after all faults', async () => load.inARow >= 100);
    await load.stop();
    await load.readAll();
    load.close();
    const failures = [...load.failures].map(([code, count]) => `${count} ${code}`).join(', ');
    test.diagnostic(`${replayable}: ${happened.join(', ')}; ${load.answered} answers, failures: ${failures}`);
    const anomalies = findAnomalies(load.calls);
    const message = [replayable, ...anomalies.slice(0, 5).map(describeAnomaly)].join('\n');
    assert.equal(anomalies.length, 0, message);
    assert.deepEqual(load.unexpected.slice(0, 5), [], replayable);
    assert.ok(load.answered > 20 * seconds, `only ${load.answered} answers: ${replayable}`);
  });
});

async function pause(nodes: readonly (CassandraNode | undefined)[], forMs: number): Promise<void> {
  for (const node of nodes) node?.signal('SIGSTOP');
  await sleep(forMs);
  for (const node of nodes) node?.signal('SIGCONT');
}
