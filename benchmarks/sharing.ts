// `npm run bench:sharing`: writers and readers at the same time, against each alone, and new connections beside them.
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import { type Figure, median } from './figures.js';
import { atLeast, atMost, LoadRuns, type PartialPlan } from './load-runs.js';
import type { RequestKind } from './request-kinds.js';
import { rowsPerInsertMany } from './request-source.js';
import { benchmarkTable } from './requests.js';

const help = `usage: npm run bench:sharing -- [options]
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (5)
  --rows N               rows in the table of small rows (100000)
  --large-rows N         rows in the table of rows of 12 KB (5000)
  --server-entry FILE    the server to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '100000' },
    'large-rows': { type: 'string', default: '5000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const inHundreds = (count: string) => Math.ceil(Number(count) / rowsPerInsertMany) * rowsPerInsertMany;
const rowCount = inHundreds(options.rows);
const largeRowCount = inHundreds(options['large-rows']);
const loads = new LoadRuns({ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount });

const probe: RequestKind = 'findOne';
const writers: PartialPlan = { request: 'insertOne', connections: 256 };
const readers = [
  { name: 'findOne', plan: { request: 'findOne', connections: 64 } },
  { name: 'findOne of 12 KB', plan: { request: 'findLarge', connections: 64, rowCount: largeRowCount } },
] as const;

if (options.help) console.log(help);
else await runBenchmark('sharing', loads, measure);

async function measure(start: Start): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'rows');
  await createTables(server);
  await loads.fill(server, 'fill');
  await loads.fill(server, 'fillLarge', largeRowCount);
  const figures: Figure[] = [];
  for (const { name, plan } of readers) figures.push(...(await measureBeside(server, name, plan)));
  return figures;
}

/** Each side gets what it gets alone in the same round as its reference. */
async function measureBeside(
  server: ServerProcess,
  name: string,
  plan: PartialPlan,
): Promise<readonly Figure[]> {
  const rounds = await loads.repeat(async () => {
    const writing = await beside(server, [writers]);
    const reading = await beside(server, [plan]);
    const both = await beside(server, [writers, plan]);
    return { writing, reading, both };
  });
  const middle = (ratioOf: (round: (typeof rounds)[number]) => number) => median(rounds.map(ratioOf));
  const share = (at: 0 | 1, side: 'writing' | 'reading') => {
    const value = middle(({ both }) => both.loads[at]?.requestsPerSecond ?? Number.NaN);
    const reference = middle(({ [side]: alone }) => alone.loads[0]?.requestsPerSecond ?? Number.NaN);
    return { value, reference, unit: 'req/s', target: atLeast(1 / 3) };
  };
  const connecting = (what: string, side: 'writing' | 'reading' | 'both'): Figure => ({
    name: `slowest hundredth of new connections beside ${what}`,
    value: middle(({ [side]: beside }) => beside.connecting.p99Ms),
    unit: 'ms',
    target: atMost(100),
  });
  return [
    { name: `insertOne beside ${name}, against alone`, ...share(0, 'writing') },
    { name: `${name} beside insertOne, against alone`, ...share(1, 'reading') },
    {
      name: `p99 of insertOne beside ${name}`,
      value: middle(({ both }) => both.loads[0]?.p99Ms ?? Number.NaN),
      reference: middle(({ writing }) => writing.loads[0]?.p99Ms ?? Number.NaN),
      unit: 'ms',
      target: atMost(4),
    },
    connecting('insertOne', 'writing'),
    connecting(name, 'reading'),
    connecting(`both, ${name}`, 'both'),
  ];
}

/** Loads at the same time, with connections that are opened meanwhile. */
async function beside(server: ServerProcess, plans: readonly PartialPlan[]) {
  const connecting = loads.newConnections(server, probe);
  const reports = await Promise.all(plans.map((plan) => loads.load(server, plan)));
  return { loads: reports, connecting: await connecting };
}

async function createTables({ port }: ServerProcess): Promise<void> {
  const { keyspace, readTable, writeTable, largeTable, definition } = benchmarkTable;
  await sendCommand(port, '/v1', { createKeyspace: { name: keyspace } });
  for (const name of [readTable, writeTable, largeTable]) {
    await sendCommand(port, `/v1/${keyspace}`, { createTable: { name, definition } });
  }
}
