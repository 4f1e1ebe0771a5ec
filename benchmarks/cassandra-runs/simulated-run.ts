// What many nodes cost us: a server that watches simulated ones, against the same server that watches none.
import { join } from 'node:path';
import { startNodes } from '../simulated-cassandra/start-nodes.js';
import { askOps, type CassandraMeasurement, sleep, startWatcher, untilUp } from './cassandra-measurement.js';

/** What connecting left behind is cleared away after this; slow tables are read once a minute. */
const settleSeconds = 30;

/** The share of a core that the whole server takes. */
export const measureSimulated: CassandraMeasurement = async ({ directory, nodes, tables, seconds }) => {
  const simulation = await startNodes({ nodes, tables });
  const server = await startWatcher(join(directory, 'data'));
  try {
    await sleep(Math.min(settleSeconds, seconds));
    const idle = await shareOf(() => server.cpuSeconds(), Math.min(30, seconds));
    const cassandra = { seed_hosts: simulation.seeds.join(', '), native_port: simulation.port };
    await askOps(server, '/cluster-configs', { id: 'ring', cassandra });
    await untilUp(server, nodes);
    await sleep(settleSeconds);
    const before = await simulation.queryCount();
    const share = await shareOf(() => server.cpuSeconds(), seconds);
    const queries = (await simulation.queryCount()) - before;
    return {
      figures: [
        {
          name: `watching ${nodes} simulated nodes with ${tables} tables, of one core`,
          value: share,
          unit: '%',
          target: { kind: 'atMost', limit: 5 },
        },
        {
          name: 'memory of the whole server meanwhile',
          value: server.residentMb(),
          unit: 'MB',
          target: { kind: 'atMost', limit: 300 },
        },
      ],
      notes: [
        `The same server without a cluster took ${idle.toFixed(2)} %.`,
        `The nodes answered ${Math.round(queries / seconds)} queries a second.`,
      ],
    };
  } finally {
    await server.stop();
    simulation.stop();
  }
};

/** Percent of one core. */
async function shareOf(cpuSeconds: () => number, seconds: number): Promise<number> {
  const [before, startMs] = [cpuSeconds(), performance.now()];
  await sleep(seconds);
  return ((cpuSeconds() - before) * 100_000) / (performance.now() - startMs);
}
