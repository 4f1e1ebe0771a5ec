// The requests that the benchmarks send: every body differs, as those of real clients do.
import { randomUUID } from 'node:crypto';

/** Six typed columns; `id` is the partition key. The rows that reads look for are `row-0` … in `readTable`. */
export const benchmarkTable = {
  keyspace: 'default_keyspace',
  readTable: 'bench',
  writeTable: 'bench_writes',
  definition: {
    columns: {
      id: 'text',
      name: 'text',
      age: 'int',
      score: 'double',
      active: 'boolean',
      created: 'timestamp',
    },
    primaryKey: 'id',
  },
} as const;

/** Rows in one insertMany. */
export const rowsPerInsertMany = 100;

/** What one connection sends, one request after the other. */
export interface RequestSource {
  /** The path to post to. */
  readonly path: string;
  /** The next body. */
  next(): string;
  /** Gets every reply's body when the next request depends on it. */
  readonly onReply?: (body: string) => void;
}

/** One source per connection; `connection` counts from 0 of `connections`, `rowCount` is the size of the read table. */
export interface RequestSettings {
  readonly connection: number;
  readonly connections: number;
  readonly rowCount: number;
}

/** The kinds of requests by name. */
export const requestKinds = {
  insertOne: () => ({
    path: pathOf(benchmarkTable.writeTable),
    next: () => `{"insertOne":{"document":${rowText(randomUUID())}}}`,
  }),
  insertMany: () => ({
    path: pathOf(benchmarkTable.writeTable),
    next: () => insertManyOf(() => randomUUID()),
  }),
  fill: fillSource,
  findOne: ({ rowCount }) => ({
    path: pathOf(benchmarkTable.readTable),
    next: () => `{"findOne":{"filter":{"id":"row-${Math.floor(Math.random() * rowCount)}"}}}`,
  }),
  page: pageSource,
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

/** All but the id of a thousand rows: made once, because the generator shares the machine with the server. */
const rowTails = Array.from({ length: 1000 }, () =>
  JSON.stringify({ ...randomRow(''), id: undefined }).slice(1),
);

/** A name in `requestKinds`. */
export type RequestKind = keyof typeof requestKinds;

/** A row of the benchmark table, as a request carries it. */
export interface BenchmarkRow {
  readonly id: string;
  readonly name: string;
  readonly age: number;
  readonly score: number;
  readonly active: boolean;
  readonly created: string;
}

/** A row with this id and other values each time. */
export function randomRow(id: string): BenchmarkRow {
  return {
    id,
    name: `Person number ${Math.floor(Math.random() * 1e6)}`,
    age: Math.floor(Math.random() * 100),
    score: Math.random() * 1000,
    active: Math.random() < 0.5,
    created: new Date(1_600_000_000_000 + Math.floor(Math.random() * 1e11)).toISOString(),
  };
}

/** Fills the read table: each connection takes every n-th hundred of rows, and all together take each row once. */
function fillSource({ connection, connections }: RequestSettings): RequestSource {
  let block = connection;
  return {
    path: pathOf(benchmarkTable.readTable),
    next() {
      const first = block * rowsPerInsertMany;
      block += connections;
      return insertManyOf((index) => `row-${first + index}`);
    },
  };
}

/** Pages through the whole read table, and again from its beginning. */
function pageSource(): RequestSource {
  let pageState: unknown = null;
  return {
    path: pathOf(benchmarkTable.readTable),
    next: () => JSON.stringify({ find: { filter: {}, options: pageState === null ? {} : { pageState } } }),
    onReply(body) {
      // Whatever the server sent: an unexpected form ends as a page state that it refuses, and as a counted error.
      const reply = JSON.parse(body) as { readonly data?: { readonly nextPageState?: unknown } };
      pageState = reply.data?.nextPageState ?? null;
    },
  };
}

function insertManyOf(idOf: (index: number) => string): string {
  const rows = Array.from({ length: rowsPerInsertMany }, (_, index) => rowText(idOf(index)));
  return `{"insertMany":{"documents":[${rows.join(',')}]}}`;
}

function rowText(id: string): string {
  return `{"id":"${id}",${rowTails[Math.floor(Math.random() * rowTails.length)]}`;
}

function pathOf(table: string): string {
  return `/v1/${benchmarkTable.keyspace}/${table}`;
}
