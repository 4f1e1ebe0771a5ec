// What watching costs one real node: its processor time while it is watched against the time while it is not, by turns.
import { join } from 'node:path';
import { cpuSecondsOf } from '../child-process.js';
import { median } from '../figures.js';
import {
  askOps,
  type CassandraMeasurement,
  sleep,
  startWatcher,
  untilUp,
  withRealNode,
} from './cassandra-measurement.js';

/** A node that has just started compiles and compacts for a while. */
const settleSeconds = 60;

/** Spans watched and unwatched by turns, after both were warmed up; medians count. */
export const measureWatching: CassandraMeasurement = ({ directory, seconds, rounds }) =>
  withRealNode(join(directory, 'node'), async (node) => {
    const server = await startWatcher(join(directory, 'data'));
    try {
      const shares = (span: number) => {
        const [nodeBefore, ownBefore, startMs] = [
          cpuSecondsOf(node.pid),
          server.cpuSeconds(),
          performance.now(),
        ];
        return sleep(span).then(() => {
          const elapsed = (performance.now() - startMs) / 100_000;
          return {
            node: (cpuSecondsOf(node.pid) - nodeBefore) / elapsed,
            own: (server.cpuSeconds() - ownBefore) / elapsed,
          };
        });
      };
      const cassandra = { seed_hosts: node.place.address, native_port: node.place.nativePort };
      const watch = async () => {
        await askOps(server, '/cluster-configs', { id: 'ring', cassandra });
        await untilUp(server, 1);
        await sleep(5);
      };
      await watch();
      await sleep(Math.min(settleSeconds, seconds * 2));
      const [watched, unwatched]: Awaited<ReturnType<typeof shares>>[][] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        watched?.push(await shares(seconds));
        await askOps(server, '/cluster-configs/ring', undefined, 'DELETE');
        await sleep(5);
        unwatched?.push(await shares(seconds));
        if (round < rounds - 1) await watch();
      }
      const middle = (spans: typeof watched, of: 'node' | 'own') =>
        median((spans ?? []).map((span) => span[of]));
      const texts = (spans: typeof watched, of: 'node' | 'own') =>
        (spans ?? []).map((span) => span[of].toFixed(2)).join(' ');
      return {
        figures: [
          {
            name: 'processor time of a real node for being watched, of one core',
            value: middle(watched, 'node') - middle(unwatched, 'node'),
            unit: '%',
            target: { kind: 'atMost', limit: 1 },
          },
          {
            name: 'processor time of ours for watching it, of one core',
            value: middle(watched, 'own') - middle(unwatched, 'own'),
            unit: '%',
            target: { kind: 'atMost', limit: 1 },
          },
        ],
        notes: [
          `The node took, in %: watched ${texts(watched, 'node')}; unwatched ${texts(unwatched, 'node')}.`,
          `The server took, in %: watching ${texts(watched, 'own')}; not watching ${texts(unwatched, 'own')}.`,
        ],
      };
    } finally {
      await server.stop();
    }
  });
