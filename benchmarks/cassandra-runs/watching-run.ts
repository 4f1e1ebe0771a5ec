// What watching costs one real node: its processor time while it is watched against the time while it is not, by turns.
import { join } from 'node:path';
import { probeNode } from '../../src/foundation/cassandra/probe-node.js';
import { viewNames, viewQuery } from '../../src/ops-service/clusters/cassandra/node-views.js';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { cpuSecondsOf, type ServerProcess, threadSecondsOf } from '../child-process.js';
import { median } from '../figures.js';
import {
  askOps,
  type CassandraMeasurement,
  type CassandraReport,
  keyspaceCql,
  sleep,
  startWatcher,
  untilUp,
  withRealNode,
  withSession,
} from './cassandra-measurement.js';

/** A node that has just started compiles for hours: it is asked this often at once what it is asked in seven hours. */
const warmRounds = 2_500;
/** Its compilers need minutes more for what the driver asks when it watches. */
const settleSeconds = 300;

/** Percent of one core in one span. */
interface Shares {
  readonly node: number;
  /** The part of `node` that its compilers took; a node that has been watched for long has nothing left to compile. */
  readonly compilers: number;
  readonly own: number;
}

/** Spans watched and unwatched by turns, after both were warmed up; medians count. */
export const measureWatching: CassandraMeasurement = ({ directory, seconds, rounds, tables }) =>
  withRealNode(join(directory, 'node'), async (node) => {
    const server = await startWatcher(join(directory, 'data'));
    try {
      await warmUp(node, tables);
      await watch(server, node);
      await sleep(Math.min(settleSeconds, seconds * 5));
      const watched: Shares[] = [];
      const unwatched: Shares[] = [];
      for (let round = 0; round < rounds; round += 1) {
        watched.push(await sharesOf(server, node, seconds));
        await askOps(server, '/cluster-configs/ring', undefined, 'DELETE');
        await sleep(5);
        unwatched.push(await sharesOf(server, node, seconds));
        await watch(server, node);
      }
      return reportOf(watched, unwatched);
    } finally {
      await server.stop();
    }
  });

/** Makes the tables, and asks what watching asks. */
function warmUp(node: CassandraNode, tables: number): Promise<void> {
  const { address, nativePort: port } = node.place;
  const queries = viewNames.flatMap((name) => viewQuery(name, ['shop']) ?? []);
  return withSession(node, async (session) => {
    await session.query(keyspaceCql('shop'), 1);
    for (let table = 0; table < tables; table += 1) {
      await session.query(`CREATE TABLE shop.orders_${table} (id int PRIMARY KEY)`, 1);
    }
    for (let round = 0; round < warmRounds; round += 1) {
      for (const query of queries) await session.queryNode(address, query);
      for (let probe = 0; probe < 5; probe += 1) await probeNode({ address, port }, 2000);
    }
  });
}

async function watch(server: ServerProcess, { place }: CassandraNode): Promise<void> {
  const cassandra = { seed_hosts: place.address, native_port: place.nativePort };
  await askOps(server, '/cluster-configs', { id: 'ring', cassandra });
  await untilUp(server, 1);
  await sleep(5);
}

async function sharesOf(server: ServerProcess, node: CassandraNode, seconds: number): Promise<Shares> {
  const used = () => ({
    node: cpuSecondsOf(node.pid),
    compilers: threadSecondsOf(node.pid, 'C1 Compiler') + threadSecondsOf(node.pid, 'C2 Compiler'),
    own: server.cpuSeconds(),
  });
  const [before, startMs] = [used(), performance.now()];
  await sleep(seconds);
  const elapsed = (performance.now() - startMs) / 100_000;
  const after = used();
  return {
    node: (after.node - before.node) / elapsed,
    compilers: (after.compilers - before.compilers) / elapsed,
    own: (after.own - before.own) / elapsed,
  };
}

function reportOf(watched: readonly Shares[], unwatched: readonly Shares[]): CassandraReport {
  const middle = (spans: readonly Shares[], of: keyof Shares) => median(spans.map((span) => span[of]));
  const texts = (spans: readonly Shares[], of: keyof Shares) =>
    spans.map((span) => span[of].toFixed(2)).join(' ');
  const figure = (name: string, of: keyof Shares) => ({
    name,
    value: middle(watched, of) - middle(unwatched, of),
    unit: '%',
    target: { kind: 'atMost', limit: 1 } as const,
  });
  return {
    figures: [
      figure('processor time of a real node for being watched, of one core', 'node'),
      figure('processor time of the server for monitoring it, of one core', 'own'),
    ],
    notes: [
      `The node took, in %: watched ${texts(watched, 'node')}; unwatched ${texts(unwatched, 'node')}.`,
      `Of it its compilers: watched ${texts(watched, 'compilers')}; unwatched ${texts(unwatched, 'compilers')}.`,
      `The server took, in %: watching ${texts(watched, 'own')}; not watching ${texts(unwatched, 'own')}.`,
    ],
  };
}
