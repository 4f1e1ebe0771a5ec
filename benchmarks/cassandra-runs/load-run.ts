// Whether a node that is busy beyond measure is called down: load on both cores for a long time, an alert rule on it.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { cpuSecondsOf, type ServerProcess } from '../child-process.js';
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
import type { TickReport } from './measure-ticks.js';
import type { QueryLoadPlan, QueryLoadReport } from './query-load.js';

const loads = 2;
const concurrencyOfLoad = 128;
const [nodeDown, alertFired] = [13, 1000];

/** The node never goes down: whatever says so is false. */
export const measureLoad: CassandraMeasurement = ({ directory, minutes }) =>
  withRealNode(join(directory, 'node'), async (node) => {
    mkdirSync(join(directory, 'data'), { recursive: true });
    const ticksFile = join(directory, 'ticks.json');
    const module = new URL('measure-ticks.js', import.meta.url);
    const server = await startWatcher(
      join(directory, 'data'),
      `--import=${module}?${encodeURIComponent(ticksFile)}`,
    );
    try {
      await prepare(server, node);
      const children = Array.from({ length: loads }, (_, at) => startLoad(node, at));
      const busyBefore = busySeconds();
      const [nodeBefore, startMs] = [cpuSecondsOf(node.pid), performance.now()];
      await sleep(minutes * 60);
      const seconds = (performance.now() - startMs) / 1000;
      const shares = {
        all: (busySeconds() - busyBefore) / seconds / cpus().length,
        node: (cpuSecondsOf(node.pid) - nodeBefore) / seconds,
      };
      const reports = await Promise.all(children.map(stopLoad));
      const report = await reportOf(server, ticksFile);
      return { ...report, notes: [...report.notes, ...describeLoad(reports, shares, seconds)] };
    } finally {
      await server.stop();
    }
  });

/** The keyspace, the cluster and its rule, with its defaults. */
async function prepare(server: ServerProcess, node: CassandraNode): Promise<void> {
  await withSession(node, async (session) => {
    await session.query(keyspaceCql('load'), 1);
    await session.query('CREATE TABLE load.rows (id int PRIMARY KEY, name text, note text)', 1);
  });
  const { address, nativePort } = node.place;
  const cassandra = { seed_hosts: address, native_port: nativePort };
  await askOps(server, '/cluster-configs', { id: 'ring', cassandra });
  await untilUp(server, 1);
  await askOps(server, '/ring/alert-rules', { type: 'node-down' });
}

function startLoad({ place }: CassandraNode, at: number): ChildProcess {
  const { address, nativePort: port } = place;
  const plan: QueryLoadPlan = { address, port, concurrency: concurrencyOfLoad, firstId: at * 1_000_000 };
  return fork(new URL('query-load.js', import.meta.url), [JSON.stringify(plan)]);
}

function stopLoad(child: ChildProcess): Promise<QueryLoadReport> {
  return new Promise((resolve, reject) => {
    // Our own script sends it.
    child.once('message', (report) => resolve(report as QueryLoadReport));
    child.once('exit', () => reject(new Error('a load ended before its time')));
    child.send('stop');
  });
}

async function reportOf(server: ServerProcess, ticksFile: string): Promise<CassandraReport> {
  const events = await askOps(server, '/ring/events?count=10000&reverse=0&timestamp=0');
  const count = (code: number) =>
    Array.isArray(events) ? events.filter(({ action }) => action === code).length : Number.NaN;
  const ticks: TickReport = JSON.parse(readFileSync(ticksFile, 'utf8')); // measure-ticks.ts wrote it
  return {
    figures: [
      {
        name: 'false NODE_DOWN events',
        value: count(nodeDown),
        unit: '',
        target: { kind: 'atMost', limit: 0 },
      },
      { name: 'false alerts', value: count(alertFired), unit: '', target: { kind: 'atMost', limit: 0 } },
    ],
    notes: [
      `Of ${ticks.count} ticks half were at most ${ticks.medianMs.toFixed(1)} ms late, 99 of 100 at most ` +
        `${ticks.p99Ms.toFixed(1)} ms, the latest ${ticks.maxMs.toFixed(1)} ms.`,
    ],
  };
}

function describeLoad(
  reports: readonly QueryLoadReport[],
  shares: { readonly all: number; readonly node: number },
  seconds: number,
): readonly string[] {
  const answered = reports.reduce((sum, report) => sum + report.answered, 0);
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  return [
    `Load: ${Math.round(seconds)} s, ${Math.round(answered / seconds)} queries a second answered, ${failed} failed.`,
    `The cores were busy for ${(shares.all * 100).toFixed(0)} % of the time, the node took ${shares.node.toFixed(2)} of them.`,
  ];
}

/** The busy seconds of all cores since they started; NaN if the system does not show them. */
function busySeconds(): number {
  const times = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return times.reduce((sum, ms) => sum + ms, 0) / 1000;
}
