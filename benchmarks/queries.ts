// `npm run bench:queries`: filters with and without an index on a large table, and what indexes cost inserts.
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import type { Figure } from './figures.js';
import { LoadRuns } from './load-runs.js';
import { memberTable } from './member-requests.js';
import { queryTable } from './query-requests.js';
import { QueryRuns } from './query-runs.js';
import { rowsPerInsertMany } from './request-source.js';

const help = `usage: npm run bench:queries -- [options]
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (5)
  --rows N               rows in the large table (1000000)
  --small-rows N         rows in the small one (10000)
  --server-entry FILE    the server to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    rows: { type: 'string', default: '1000000' },
    'small-rows': { type: 'string', default: '10000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const inHundreds = (count: string) => Math.ceil(Number(count) / rowsPerInsertMany) * rowsPerInsertMany;
const rowCount = inHundreds(options.rows);
const smallRowCount = inHundreds(options['small-rows']);
const loads = new LoadRuns({ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount });

if (options.help) console.log(help);
else await runBenchmark('queries', loads, measure);

async function measure(start: Start): Promise<readonly Figure[]> {
  const reference = await start(builtFile('reference-server.js'), 'reference');
  const small = { server: await start(options['server-entry'], 'small'), rowCount: smallRowCount };
  const large = { server: await start(options['server-entry'], 'large'), rowCount };
  for (const { server, rowCount: rows } of [small, large]) {
    await createTables(server);
    await loads.fill(server, 'fillPlaces', rows);
  }
  const runs = new QueryRuns(loads);
  return [
    ...(await runs.throughput(large.server, reference)),
    ...(await runs.flatness(small, large)),
    ...(await runs.scans(large.server)),
    await runs.inserts(large.server),
    ...(await measureMembers(start, runs)),
  ];
}

async function measureMembers(start: Start, runs: QueryRuns): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'tagged', '--dialect', 'extended');
  const { keyspace, name, definition, indexedColumns } = memberTable;
  await createTable(server, keyspace, { name, definition, indexedColumns });
  await loads.fill(server, 'fillTagged');
  return runs.members(server);
}

async function createTables(server: ServerProcess): Promise<void> {
  const { keyspace, readTable, writeTable, definition, indexedColumns } = queryTable;
  for (const name of [readTable, writeTable])
    await createTable(server, keyspace, { name, definition, indexedColumns });
}

interface CreatedTable {
  readonly name: string;
  readonly definition: object;
  readonly indexedColumns: readonly string[];
}

async function createTable(
  { port }: ServerProcess,
  keyspace: string,
  { name, definition, indexedColumns }: CreatedTable,
): Promise<void> {
  await sendCommand(port, `/v1/${keyspace}`, { createTable: { name, definition } });
  for (const column of indexedColumns) {
    const createIndex = { name: `${name}_by_${column}`, definition: { column } };
    await sendCommand(port, `/v1/${keyspace}/${name}`, { createIndex });
  }
}
