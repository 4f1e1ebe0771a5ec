// What watching costs one real node: its processor time while it is watched against the time while it is not, by turns.
import { join } from 'node:path';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { cpuSecondsOf, type ServerProcess } from '../child-process.js';
import { median } from '../figures.js';
import {
  askOps,
  type CassandraMeasurement,
  type CassandraReport,
  sleep,
  startWatcher,
  untilUp,
  withRealNode,
} from './cassandra-measurement.js';

/** A node that has just started compiles and compacts for a while. */
const settleSeconds = 60;

/** Percent of one core in one span. */
interface Shares {
  readonly node: number;
  readonly own: number;
}

/** Spans watched and unwatched by turns, after both were warmed up; medians count. */
export const measureWatching: CassandraMeasurement = ({ directory, seconds, rounds }) =>
  withRealNode(join(directory, 'node'), async (node) => {
    const server = await startWatcher(join(directory, 'data'));
    try {
      await watch(server, node);
      await sleep(Math.min(settleSeconds, seconds * 2));
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

async function watch(server: ServerProcess, { place }: CassandraNode): Promise<void> {
  const cassandra = { seed_hosts: place.address, native_port: place.nativePort };
  await askOps(server, '/cluster-configs', { id: 'ring', cassandra });
  await untilUp(server, 1);
  await sleep(5);
}

async function sharesOf(server: ServerProcess, node: CassandraNode, seconds: number): Promise<Shares> {
  const [nodeBefore, ownBefore, startMs] = [cpuSecondsOf(node.pid), server.cpuSeconds(), performance.now()];
  await sleep(seconds);
  const elapsed = (performance.now() - startMs) / 100_000;
  return {
    node: (cpuSecondsOf(node.pid) - nodeBefore) / elapsed,
    own: (server.cpuSeconds() - ownBefore) / elapsed,
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
      figure('processor time of ours for watching it, of one core', 'own'),
    ],
    notes: [
      `The node took, in %: watched ${texts(watched, 'node')}; unwatched ${texts(unwatched, 'node')}.`,
      `The server took, in %: watching ${texts(watched, 'own')}; not watching ${texts(unwatched, 'own')}.`,
    ],
  };
}
