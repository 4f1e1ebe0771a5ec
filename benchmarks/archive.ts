// `npm run bench:archive`: what shipping to an archive costs inserts and memory, and how fast an archive is restored.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import { documentCollections } from './document-requests.js';
import { type Figure, medianPair, type Pair } from './figures.js';
import { atLeast, atMost, LoadRuns } from './load-runs.js';
import type { RequestKind } from './request-kinds.js';
import { benchmarkTable } from './requests.js';

const help = `usage: npm run bench:archive -- [options]
  --rounds N             runs of each figure, whose median counts (3)
  --seconds N            length of a run (5)
  --megabytes N          of the data that is restored (1000)
  --server-entry FILE    the server and command line to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '1000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const { keyspace, writeTable, definition } = benchmarkTable;
const loads = new LoadRuns({
  ...{ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount: 20_000 },
});
const kinds: readonly { readonly request: RequestKind; readonly name: string }[] = [
  { request: 'insertOne', name: 'rows' },
  { request: 'insertDocument', name: 'documents' },
];
const collection = { name: documentCollections.write, options: { lexical: { enabled: false } } };
const connections = 64;
const mostCatchUpSeconds = 120;

if (options.help) console.log(help);
else await runBenchmark('archive', loads, measure);

async function measure(start: Start, directory: string): Promise<readonly Figure[]> {
  const entry = options['server-entry'];
  const archive = join(directory, 'archive');
  const plain = await start(entry, 'plain');
  const archived = await start(entry, 'data', '--archive', archive);
  for (const server of [plain, archived]) {
    await sendCommand(server.port, `/v1/${keyspace}`, { createTable: { name: writeTable, definition } });
    await sendCommand(server.port, `/v1/${keyspace}`, { createCollection: collection });
  }
  const figures = await insertFigures(plain, archived);
  figures.push({
    ...{ name: 'memory', unit: 'MB', value: archived.residentMb() - plain.residentMb(), target: atMost(32) },
  });
  await plain.stop();
  await fillMegabytes(archived, Number(options.megabytes));
  await untilCaughtUp(archived);
  await archived.stop();
  figures.push(await restoreFigure(entry, archive, join(directory, 'restored')));
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
  return figures;
}

/** Rates and p99 of each kind with the archive, beside those without by turns. */
async function insertFigures(plain: ServerProcess, archived: ServerProcess): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { request, name } of kinds) {
    const plan = { request, connections };
    const rounds = await loads.repeat(async () => {
      const reference = await loads.load(plain, plan);
      const value = await loads.load(archived, plan);
      await untilCaughtUp(archived); // what is left of it must not meet the next run
      return { reference, value };
    });
    const pairOf = (figure: 'requestsPerSecond' | 'p99Ms'): Pair =>
      medianPair(
        rounds.map(({ reference, value }) => ({ reference: reference[figure], value: value[figure] })),
      );
    const rate = { name: `inserts of ${name}`, unit: '/s', target: atLeast(0.9) };
    const p99 = { name: `p99 of inserts of ${name}`, unit: 'ms', target: atMost(2) };
    figures.push({ ...rate, ...pairOf('requestsPerSecond') }, { ...p99, ...pairOf('p99Ms') });
  }
  return figures;
}

/** Waits until the archive has every change. */
async function untilCaughtUp(server: ServerProcess): Promise<void> {
  for (let seconds = 0; seconds < mostCatchUpSeconds; seconds += 1) {
    await delay(1_000);
    const metrics = await (await fetch(`http://127.0.0.1:${server.opsPort()}/metrics`)).text();
    const [, bytes] = /^colonnade_archive_waiting_bytes(?:\{[^}]*\})? (\S+)$/m.exec(metrics) ?? [];
    if (Number(bytes) === 0) return;
  }
  throw new Error(`the archive is behind after ${mostCatchUpSeconds} s`);
}

async function restoreFigure(entry: string, archive: string, dataDir: string): Promise<Figure> {
  const beganMs = performance.now();
  const args = ['restore', '--from', archive, '--data-dir', dataDir, '--quiet'];
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the restore ended with ${code}`);
  const seconds = (performance.now() - beganMs) / 1_000;
  const megabytes = statSync(join(dataDir, 'data.db')).size / 1e6;
  rmSync(dataDir, { recursive: true });
  console.log(`${Math.round(megabytes)} MB restored in ${seconds.toFixed(1)} s`);
  return { name: 'restore', unit: 'MB/s', value: megabytes / seconds, target: atLeast(100) };
}

/** A table of rows of 10 kB that can hardly be compressed. */
async function fillMegabytes({ port }: ServerProcess, megabytes: number): Promise<void> {
  const columns = { id: 'int', text: 'text' };
  const table = { name: 'ballast', definition: { columns, primaryKey: 'id' } };
  await sendCommand(port, `/v1/${keyspace}`, { createTable: table });
  for (let sent = 0; sent < megabytes; sent += 1) {
    const text = () => randomBytes(7_500).toString('base64');
    const documents = Array.from({ length: 100 }, (_, at) => ({ id: sent * 100 + at, text: text() }));
    await sendCommand(port, `/v1/${keyspace}/ballast`, { insertMany: { documents } });
  }
}
