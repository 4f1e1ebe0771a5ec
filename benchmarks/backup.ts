// `npm run bench:backup`: how long requests take beside `colonnade backup` of the data that they use.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import type { Figure } from './figures.js';
import { medianPair } from './figures.js';
import { atMost, LoadRuns } from './load-runs.js';
import type { RequestKind } from './request-kinds.js';
import { benchmarkTable } from './requests.js';

const help = `usage: npm run bench:backup -- [options]
  --rounds N             runs of each figure, whose median counts (3)
  --seconds N            length of a run; backups follow one another meanwhile (8)
  --megabytes N          of the data, besides a table of 20,000 rows (500)
  --rate N               requests a second of each kind (300)
  --server-entry FILE    the server and command line to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    megabytes: { type: 'string', default: '500' },
    rate: { type: 'string', default: '300' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

/** At rest the server moves the log into the file: otherwise it does so in the first runs. */
const fillRestMs = 3_000;
const rowCount = 20_000;
const ratePerSecond = Number(options.rate);
const loads = new LoadRuns({ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount });
const { keyspace, readTable, writeTable, definition } = benchmarkTable;
const kinds: readonly RequestKind[] = ['findOne', 'insertOne'];

if (options.help) console.log(help);
else await runBenchmark('backup', loads, measure);

async function measure(start: Start, directory: string): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'data');
  for (const name of [readTable, writeTable])
    await sendCommand(server.port, `/v1/${keyspace}`, { createTable: { name, definition } });
  await loads.fill(server, 'fill');
  await fillMegabytes(server, Number(options.megabytes));
  await delay(fillRestMs);
  const rounds = await loads.repeat(async () => {
    const reference = await latencies(server);
    const backups = new AbortController();
    const made = backUpAgainAndAgain(directory, backups.signal);
    const value = await latencies(server);
    backups.abort();
    console.log(`${await made} backups`);
    return kinds.map((_, at) => ({ reference: reference[at] ?? Number.NaN, value: value[at] ?? Number.NaN }));
  });
  await server.stop();
  return kinds.map((kind, at) => ({
    name: `p99 of ${kind} beside a backup`,
    unit: 'ms',
    ...medianPair(rounds.map((pairs) => pairs[at] ?? { reference: Number.NaN, value: Number.NaN })),
    target: atMost(2),
  }));
}

/** The p99 of each kind, in ms, of loads that run at the same time. */
async function latencies(server: ServerProcess): Promise<readonly number[]> {
  const runs = kinds.map((request) => loads.load(server, { request, connections: 16, ratePerSecond }));
  return (await Promise.all(runs)).map(({ p99Ms }) => p99Ms);
}

/** Returns how many were complete. They are removed at the end, because to remove them keeps the disk busy, too. */
async function backUpAgainAndAgain(directory: string, signal: AbortSignal): Promise<number> {
  const target = join(directory, 'backups');
  let complete = 0;
  while (!signal.aborted) {
    const args = ['backup', join(target, String(complete)), '--data-dir', join(directory, 'data'), '--quiet'];
    const child = spawn(process.execPath, [options['server-entry'], ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop);
    const code = await new Promise((resolve) => child.once('close', resolve));
    signal.removeEventListener('abort', stop);
    if (code === 0) complete += 1;
    else if (!signal.aborted) throw new Error(`the backup ended with ${code}`);
  }
  rmSync(target, { recursive: true, force: true });
  return complete;
}

/** A table of rows of 10 kB. */
async function fillMegabytes({ port }: ServerProcess, megabytes: number): Promise<void> {
  const columns = { id: 'int', text: 'text' };
  const table = { name: 'ballast', definition: { columns, primaryKey: 'id' } };
  await sendCommand(port, `/v1/${keyspace}`, { createTable: table });
  for (let sent = 0; sent < megabytes; sent += 1) {
    const text = (at: number) => `${sent} ${at} `.padEnd(10_000, 'lorem ipsum ');
    const documents = Array.from({ length: 100 }, (_, at) => ({ id: sent * 100 + at, text: text(at) }));
    await sendCommand(port, `/v1/${keyspace}/ballast`, { insertMany: { documents } });
  }
}
