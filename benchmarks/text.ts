// `npm run bench:text`: text search over HTTP beside SQLite's FTS5, and what a text index costs inserts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtFile, sendCommand } from './bench-servers.js';
import { type ServerProcess, startServer } from './child-process.js';
import { describeMachine, type Figure, formatFigures } from './figures.js';
import { FtsIndex } from './text/fts-index.js';
import { makeTexts, rareToken, type Texts, wordOfRank } from './text/text-data.js';

const help = `usage: npm run bench:text -- [options]
  --rows N          rows (1000000)
  --words N         words of a row (40)
  --searches N      searches of each kind, whose median counts (200)
  --compared N      rows that are inserted with and without the index to compare the processor time (20000)
  --server-entry FILE    the server to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    words: { type: 'string', default: '40' },
    searches: { type: 'string', default: '200' },
    compared: { type: 'string', default: '20000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const keyspace = '/v1/default_keyspace';
const rowsPerInsert = 100;

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-bench-text-'));
  const args = ['serve', '--port', '0', '--ops-port', '0', '--data-dir', join(directory, 'data')];
  const server = await startServer(options['server-entry'], [...args, '--dialect', 'extended']);
  try {
    const texts = makeTexts(Number(options.words));
    const fts = new FtsIndex(join(directory, 'fts.db'));
    const figures = [...(await measureInserts(server, fts, texts)), ...(await measureSearches(server, fts))];
    fts.close();
    console.log(
      `\n${formatFigures(figures)}\n\n${describeMachine()}; ${options.rows} × ${options.words} words`,
    );
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Inserts rows into a table without the index and into one with it, in turns; then the other rows. */
async function measureInserts(
  server: ServerProcess,
  fts: FtsIndex,
  texts: Texts,
): Promise<readonly Figure[]> {
  const { port } = server;
  const tables = ['plain', 'indexed'] as const;
  for (const name of tables) {
    const definition = { columns: { id: 'int', body: 'text' }, primaryKey: 'id' };
    await sendCommand(port, keyspace, { createTable: { name, definition } });
  }
  const createTextIndex = { name: 'words', definition: { column: 'body' } };
  await sendCommand(port, `${keyspace}/indexed`, { createTextIndex });
  const rowCount = Number(options.rows);
  const compared = Math.min(rowCount, Number(options.compared));
  const early = await compareInserts(server, fts, texts, [0, compared]);
  const later = Math.max(compared, rowCount - compared);
  for (let from = compared; from < later; from += rowsPerInsert) {
    await insert(port, 'indexed', texts, from);
    fts.insert(from, textsFrom(texts, from));
  }
  const late = later < rowCount ? await compareInserts(server, fts, texts, [later, rowCount]) : undefined;
  return [
    ...insertFigures('the first rows', early),
    ...(late === undefined ? [] : insertFigures('the last rows', late)),
  ];
}

/** Processor time of a row in microseconds. */
interface InsertTimes {
  readonly plain: number;
  readonly indexed: number;
  readonly fts: number;
}

async function compareInserts(
  server: ServerProcess,
  fts: FtsIndex,
  texts: Texts,
  [first, end]: readonly [number, number],
): Promise<InsertTimes> {
  const seconds = { plain: 0, indexed: 0 };
  const microseconds = { fts: 0 };
  // In long turns, because the system counts processor time in hundredths of seconds.
  const rowsPerTurn = rowsPerInsert * 20;
  for (let from = first; from < end; from += rowsPerTurn) {
    for (const table of ['plain', 'indexed'] as const) {
      const before = server.cpuSeconds();
      for (let at = from; at < Math.min(end, from + rowsPerTurn); at += rowsPerInsert)
        await insert(server.port, table, texts, at);
      seconds[table] += server.cpuSeconds() - before;
    }
    const before = process.cpuUsage();
    for (let at = from; at < Math.min(end, from + rowsPerTurn); at += rowsPerInsert)
      fts.insert(at, textsFrom(texts, at));
    const { user, system } = process.cpuUsage(before);
    microseconds.fts += user + system;
  }
  const count = end - first;
  const perRow = (time: number) => (time * 1e6) / count;
  return { plain: perRow(seconds.plain), indexed: perRow(seconds.indexed), fts: microseconds.fts / count };
}

function insertFigures(which: string, { plain, indexed, fts }: InsertTimes): readonly Figure[] {
  const name = `processor time of an inserted row, ${which}`;
  return [
    { name: `${name}, beside no index`, value: indexed, unit: 'µs', reference: plain, target: atMost(4) },
    {
      name: `${name}, the index alone, beside FTS5`,
      value: indexed - plain,
      unit: 'µs',
      reference: fts,
      target: atMost(4),
    },
  ];
}

async function measureSearches(server: ServerProcess, fts: FtsIndex): Promise<readonly Figure[]> {
  const searches: readonly (readonly [name: string, words: (at: number) => string, target: number])[] = [
    ['a word of one row in a thousand', (at) => rareToken(at), 3],
    ['the same and a word of most rows', (at) => `${rareToken(at)} ${wordOfRank(0)}`, 30],
    ['two frequent words', (at) => `${wordOfRank(10 + (at % 5))} ${wordOfRank(20 + (at % 5))}`, 2_000],
  ];
  const figures: Figure[] = [];
  for (const [name, words, target] of searches) {
    const count = target > 100 ? Math.ceil(Number(options.searches) / 10) : Number(options.searches);
    const reference = await medianOf(count, async (at) => void fts.search(words(at), 100));
    const sort = await medianOf(count, (at) => find(server, { sort: { body: words(at) } }));
    const match = await medianOf(count, (at) => find(server, { filter: { body: { $match: words(at) } } }));
    figures.push({ name: `sort by ${name}`, value: sort, unit: 'ms', target: atMost(target) });
    figures.push({ name: 'the same, beside FTS5', value: sort, unit: 'ms', reference, target: atMost(20) });
    figures.push({ name: `$match of ${name}`, value: match, unit: 'ms', target: atMost(target) });
  }
  return figures;
}

function find({ port }: ServerProcess, clauses: object): Promise<void> {
  return sendCommand(port, `${keyspace}/indexed`, { find: { ...clauses, projection: { id: 1 } } });
}

/** The median of some runs after a few others, in milliseconds. */
async function medianOf(count: number, run: (at: number) => Promise<void>): Promise<number> {
  for (let at = 0; at < 5; at += 1) await run(at);
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const start = performance.now();
    await run(at);
    times.push(performance.now() - start);
  }
  times.sort((left, right) => left - right);
  return times[times.length >> 1] ?? Number.NaN;
}

function insert(port: number, table: string, texts: Texts, from: number): Promise<void> {
  const documents = textsFrom(texts, from).map((body, at) => ({ id: from + at, body }));
  return sendCommand(port, `${keyspace}/${table}`, { insertMany: { documents } });
}

function textsFrom(texts: Texts, from: number): readonly string[] {
  return Array.from({ length: rowsPerInsert }, (_, at) => texts.textOf(from + at));
}

function atMost(limit: number): Figure['target'] {
  return { kind: 'atMost', limit };
}
