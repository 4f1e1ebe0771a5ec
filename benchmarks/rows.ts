// `npm run bench:rows`: rows in and out against what Node and SQLite can do at best, measured in the same run.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import { type Figure, median } from './figures.js';
import { LoadRuns } from './load-runs.js';
import { rowsPerInsertMany } from './request-source.js';
import { benchmarkTable } from './requests.js';
import { RowRuns } from './row-runs.js';

const help = `usage: npm run bench:rows -- [options]
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (5)
  --rows N               rows in the table that is read (1000000)
  --server-entry FILE    the server to measure (the built colonnade)
  --slow-disk-entry FILE the same server with flushes that take 2 ms longer (left out when it is not there)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '1000000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    'slow-disk-entry': { type: 'string', default: builtFile('serve-with-slow-disk.js') },
    help: { type: 'boolean', default: false },
  },
});

const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const rowCount = Math.ceil(Number(options.rows) / rowsPerInsertMany) * rowsPerInsertMany;

const loads = new LoadRuns({ seconds, rounds, rowCount });
const runs = new RowRuns(loads);

if (options.help) console.log(help);
else {
  await runBenchmark('rows', loads, async (start) => [
    ...(await measureServer(start)),
    ...(await measureStarts(start)),
    ...(await measureSlowDisk(start)),
  ]);
}

async function measureServer(start: Start): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'rows');
  const reference = await start(builtFile('reference-server.js'), 'reference');
  // Idle: V8 releases the memory of the start within half a minute.
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  const idle: Figure = {
    name: 'memory when idle',
    value: server.residentMb(),
    unit: 'MB',
    target: { kind: 'atMost', limit: 100 },
  };
  await createTables(server.port);
  await loads.fill(server, 'fill');
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

async function measureSlowDisk(start: Start): Promise<readonly Figure[]> {
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
  await sendCommand(port, '/v1', { createKeyspace: { name: keyspace } });
  for (const name of [readTable, writeTable]) {
    await sendCommand(port, `/v1/${keyspace}`, { createTable: { name, definition } });
  }
}
