// What it costs to judge and keep the metrics of a large cluster, and what it does to the data service beside it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLoad, runScript, type ServerProcess, startServer } from './child-process.js';
import { type Figure, medianPair, type Pair } from './figures.js';
import type { JudgingReport, JudgingRunPlan } from './judging-run.js';
import { type OpsMeasurement, type OpsMeasurementOptions, serverEntry } from './ops-measurement.js';
import { rowsPerInsertMany } from './request-source.js';
import { benchmarkTable } from './requests.js';
import { undisturbed } from './undisturbed.js';

const large = { nodes: 1000, metrics: 150, rules: 100 };
const rowCount = 10_000;
const rounds = 5;

/** A tick of 1,000 nodes and 100 rules; memory and rollups of 150 metrics each; reads of the data service beside it. */
export const measureJudging: OpsMeasurement = async (options) => [
  ...(await measureCluster(options)),
  await measureReads(options),
];

async function measureCluster({ directory, scale }: OpsMeasurementOptions): Promise<readonly Figure[]> {
  const nodes = Math.max(1, Math.round(large.nodes * Math.min(1, scale)));
  const run = (name: string, plan: Omit<JudgingRunPlan, 'directory'>) =>
    runScript<JudgingReport>('judging-run.js', { ...plan, nodes, directory: join(directory, name) });
  const judging = await run('judge', { ...large, work: 'judge', rounds: 20 });
  // Two hours: minutes, their sums of 5 minutes, and one of two hours.
  const keeping = await run('keep', { ...large, rules: 0, work: 'keep', rounds: 720 });
  const both = await run('tick', { ...large, work: 'tick', rounds: 60 });
  const size = `${nodes} nodes`;
  if (judging.firedCount === 0) throw new Error('no alert fired: nothing was judged');
  return [
    {
      name: `tick of ${size} and ${large.rules} rules, processor time`,
      value: judging.cpuMsPerRound / 1000,
      unit: 's',
      target: { kind: 'atMost', limit: 1 },
    },
    {
      name: `memory of ${size} with ${large.metrics} metrics above idle`,
      value: Math.max(keeping.memoryMb, both.memoryMb),
      unit: 'MB',
      target: { kind: 'atMost', limit: 300 },
    },
    {
      name: `keeping the series of ${size} with ${large.metrics} metrics, of one core`,
      value: keeping.cpuPercent,
      unit: '%',
      target: { kind: 'atMost', limit: 10 },
    },
  ];
}

/** The slowest hundredth of point reads beside ticks, against those of a server without them; in turns. */
async function measureReads({ directory, scale }: OpsMeasurementOptions): Promise<Figure> {
  const beside = fileURLToPath(new URL('serve-with-judging.js', import.meta.url));
  const pairs: Pair[] = [];
  let run = 0;
  const measurePair = async () => {
    run += 1;
    const reference = await slowestReads(serverEntry, join(directory, `without-${run}`), scale);
    return { reference, value: await slowestReads(beside, join(directory, `with-${run}`), scale) };
  };
  while (pairs.length < rounds) pairs.push(await undisturbed(measurePair));
  return {
    name: 'p99 of point reads beside ticks every 2 s',
    ...medianPair(pairs),
    unit: 'ms',
    target: { kind: 'atMost', limit: 1.5 },
  };
}

async function slowestReads(entry: string, dataDir: string, scale: number): Promise<number> {
  const args = ['serve', '--port=0', '--ops-port=0', '--log-level=warn', `--data-dir=${dataDir}`];
  const server = await startServer(entry, args);
  try {
    await fill(server);
    const seconds = Math.max(2, 10 * Math.min(1, scale));
    const plan = { request: 'findOne', connections: 8, ratePerSecond: 300, seconds, rowCount } as const;
    const report = await runLoad({ ...plan, port: server.port });
    if (report.errors > 0) throw new Error(`${report.errors} reads failed`);
    return report.p99Ms;
  } finally {
    await server.stop();
  }
}

async function fill(server: ServerProcess): Promise<void> {
  const { keyspace, readTable, definition } = benchmarkTable;
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${server.port}${path}`;
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await reply.text();
    if (reply.status !== 200 || text.includes('"errors"')) throw new Error(`${path}: ${text}`);
  };
  await post('/v1', { createKeyspace: { name: keyspace } });
  await post(`/v1/${keyspace}`, { createTable: { name: readTable, definition } });
  const requests = rowCount / rowsPerInsertMany;
  const plan = { request: 'fill', connections: 4, seconds: 60, requests, rowCount } as const;
  const report = await runLoad({ ...plan, port: server.port });
  if (report.errors > 0) throw new Error('the table could not be filled');
}
