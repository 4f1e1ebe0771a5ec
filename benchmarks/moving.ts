// `npm run bench:moving`: `colonnade export` and `import` between two servers, beside the same requests alone.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import type { Figure, Pair } from './figures.js';
import { atLeast, LoadRuns, maxWholeTableSeconds, type PartialPlan } from './load-runs.js';
import { rowsPerInsertMany } from './request-source.js';
import { benchmarkTable } from './requests.js';

const help = `usage: npm run bench:moving -- [options]
  --rounds N             runs of each figure, whose median counts (3)
  --rows N               rows of the table (200000)
  --server-entry FILE    the server and command line to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '200000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const rowCount = Math.ceil(Number(options.rows) / rowsPerInsertMany) * rowsPerInsertMany;
const loads = new LoadRuns({ seconds: maxWholeTableSeconds, rounds: Number(options.rounds), rowCount });
const { keyspace, readTable: table, writeTable, definition } = benchmarkTable;
const rowsPerPage = 50;

if (options.help) console.log(help);
else await runBenchmark('moving', loads, measure);

async function measure(start: Start, directory: string): Promise<readonly Figure[]> {
  const source = await start(options['server-entry'], 'source');
  const target = await start(options['server-entry'], 'target');
  for (const name of [table, writeTable])
    await sendCommand(source.port, `/v1/${keyspace}`, { createTable: { name, definition } });
  await loads.fill(source, 'fill');
  const exported = join(directory, 'export');
  const csv = join(directory, 'rows.csv');
  const from = (place: string, ...more: readonly string[]) => {
    rmSync(place, { recursive: true, force: true });
    return commandRate(['export', place, '--url', urlOf(source), ...more]);
  };
  const into = async (place: string, ...more: readonly string[]) => {
    await sendCommand(target.port, `/v1/${keyspace}`, {
      dropTable: { name: table, options: { ifExists: true } },
    });
    return commandRate(['import', place, '--url', urlOf(target), '--verify', 'no', ...more]);
  };
  const pages = { request: 'page', connections: 1, requests: rowCount / rowsPerPage } as const;
  const inserts = { request: 'insertMany', connections: 4, requests: rowCount / rowsPerInsertMany } as const;
  const figures = [
    figure('export', await beside(source, pages, rowsPerPage, () => from(exported, '--tables', table))),
    figure('export to CSV', await beside(source, pages, rowsPerPage, () => from(csv, '--table', table))),
    figure('import', await beside(source, inserts, rowsPerInsertMany, () => into(exported))),
    figure(
      'import of CSV',
      await beside(source, inserts, rowsPerInsertMany, () => into(csv, '--table', table)),
    ),
  ];
  for (const server of [source, target]) await server.stop();
  return figures.flat();
}

/** The rate itself has a target, and so has its ratio to that of the load generator. */
function figure(name: string, pair: Pair): readonly Figure[] {
  return [
    { name, value: pair.value, unit: 'rows/s', target: atLeast(30_000) },
    { name: `${name}, against the requests alone`, ...pair, unit: 'rows/s', target: atLeast(0.5) },
  ];
}

/** `run` in turn with the requests that the command sends, by the load generator. */
function beside(
  server: ServerProcess,
  plan: PartialPlan,
  rowsPerRequest: number,
  run: () => Promise<number>,
): Promise<Pair> {
  return loads.alternate(
    async () => (await loads.load(server, plan)).requestsPerSecond * rowsPerRequest,
    run,
  );
}

/** Rows a second of a command, from its start to its end. */
async function commandRate(args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [options['server-entry'], ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`colonnade ${args.join(' ')} ended with ${code}`);
  return (rowCount * 1000) / (performance.now() - startMs);
}

function urlOf({ port }: ServerProcess): string {
  return `http://127.0.0.1:${port}`;
}
