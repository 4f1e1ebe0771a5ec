// `npm run bench:rows`: rows in and out against what Node and SQLite can do at best, measured in the same run.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ServerProcess, startServer } from './child-process.js';
import { describeMachine, type Figure, formatFigures, median } from './figures.js';
import { benchmarkTable, rowsPerInsertMany } from './requests.js';
import { RowRuns } from './row-runs.js';

const help = `usage: npm run bench:rows -- [options]
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (3)
  --rows N               rows in the table that is read (1000000)
  --server-entry FILE    the server to measure (the built colonnade)
  --slow-disk-entry FILE the same server with flushes that take 2 ms longer (left out when it is not there)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    'server-entry': { type: 'string', default: builtFile('../src/bin/colonnade.js') },
    'slow-disk-entry': { type: 'string', default: builtFile('serve-with-slow-disk.js') },
    help: { type: 'boolean', default: false },
  },
});

const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const rowCount = Math.ceil(Number(options.rows) / rowsPerInsertMany) * rowsPerInsertMany;

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-bench-rows-'));
  const running: ServerProcess[] = [];
  const start = async (entry: string, dataDirectory: string): Promise<ServerProcess> => {
    const args = ['serve', '--port', '0', '--ops-port', '0', '--data-dir', join(directory, dataDirectory)];
    const server = await startServer(entry, args);
    running.push(server);
    return server;
  };
  try {
    const runs = new RowRuns({ seconds, rounds, rowCount });
    const figures = [
      ...(await measureServer(start, runs)),
      ...(await measureStarts(start)),
      ...(await measureSlowDisk(start, runs)),
    ];
    console.log(
      `\n${formatFigures(figures)}\n\n${describeMachine()}; ${rowCount} rows, ${rounds} × ${seconds} s`,
    );
    if (runs.errorCount > 0) {
      console.log(`${runs.errorCount} requests failed: the figures are worth nothing`);
      process.exitCode = 1;
    }
  } finally {
    for (const server of running) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Start = (entry: string, dataDirectory: string) => Promise<ServerProcess>;

async function measureServer(start: Start, runs: RowRuns): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'rows');
  const reference = await start(builtFile('reference-server.js'), 'reference');
  await new Promise((resolve) => setTimeout(resolve, 1000)); // idle: what the start left behind is cleared away
  const idle: Figure = {
    name: 'memory when idle',
    value: server.residentMb(),
    unit: 'MB',
    target: { kind: 'atMost', limit: 100 },
  };
  await createTables(server.port);
  await runs.fill(server);
  const throughput = await runs.throughput(server, reference);
  await reference.stop();
  const tails = await runs.tails(server, throughput.insertsPerSecond);
  const paging = await runs.pagingMemory(server);
  await server.stop();
  return [...throughput.figures, ...tails, idle, paging];
}

async function measureStarts(start: Start): Promise<readonly Figure[]> {
  const startsMs = async (dataDirectory: (round: number) => string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const server = await start(options['server-entry'], dataDirectory(round));
      times.push(server.startToReadyMs);
      await server.stop();
    }
    return median(times);
  };
  const target = { kind: 'atMost', limit: 500 } as const;
  const empty = await startsMs((round) => `empty-${round}`);
  const filled = await startsMs(() => 'rows');
  return [
    { name: 'start to ready, empty', value: empty, unit: 'ms', target },
    { name: `start to ready, ${rowCount} rows`, value: filled, unit: 'ms', target },
  ];
}

async function measureSlowDisk(start: Start, runs: RowRuns): Promise<readonly Figure[]> {
  if (!existsSync(options['slow-disk-entry'])) {
    console.log(`not measured, no ${options['slow-disk-entry']}: tails with flushes that take 2 ms longer`);
    return [];
  }
  const server = await start(options['slow-disk-entry'], 'rows');
  const insertsPerSecond = await runs.insertsPerSecond(server);
  const tails = await runs.tails(server, insertsPerSecond);
  await server.stop();
  return tails.map((figure) => ({ ...figure, name: `${figure.name}, flushes 2 ms longer` }));
}

async function createTables(port: number): Promise<void> {
  const { keyspace, readTable, writeTable, definition } = benchmarkTable;
  await command(port, '/v1', { createKeyspace: { name: keyspace } });
  for (const name of [readTable, writeTable]) {
    await command(port, `/v1/${keyspace}`, { createTable: { name, definition } });
  }
}

async function command(port: number, path: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { token: 'benchmark', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"errors"'))
    throw new Error(`${JSON.stringify(body)}: ${text}`);
}

function builtFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
