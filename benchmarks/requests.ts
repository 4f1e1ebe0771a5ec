// The requests of `bench:rows`: every body differs, as those of real clients do.
import { randomUUID } from 'node:crypto';
import { fillSource, insertManyOf, type RequestSettings, type RequestSource } from './request-source.js';

/** Six typed columns; `id` is the partition key. The rows that reads look for are `row-0` … in `readTable`. */
export const benchmarkTable = {
  keyspace: 'default_keyspace',
  readTable: 'bench',
  writeTable: 'bench_writes',
  /** Rows with the ids of `readTable`, whose names are longer. */
  largeTable: 'bench_large',
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

/** The kinds of requests by name. */
export const rowRequestKinds = {
  insertOne: () => ({
    path: pathOf(benchmarkTable.writeTable),
    next: () => `{"insertOne":{"document":${rowText(randomUUID())}}}`,
  }),
  insertMany: () => ({
    path: pathOf(benchmarkTable.writeTable),
    next: () => insertManyOf(() => rowText(randomUUID())),
  }),
  fill: () => fillSource(pathOf(benchmarkTable.readTable), (number) => rowText(`row-${number}`)),
  findOne: ({ rowCount }: RequestSettings) => ({
    path: pathOf(benchmarkTable.readTable),
    next: () => `{"findOne":{"filter":{"id":"row-${Math.floor(Math.random() * rowCount)}"}}}`,
  }),
  fillLarge: () => fillSource(pathOf(benchmarkTable.largeTable), (number) => largeRowText(`row-${number}`)),
  findLarge: ({ rowCount }: RequestSettings) => ({
    path: pathOf(benchmarkTable.largeTable),
    next: () => `{"findOne":{"filter":{"id":"row-${Math.floor(Math.random() * rowCount)}"}}}`,
  }),
  page: pageSource,
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

/** All but the id of a thousand rows: made once, because the generator shares the machine with the server. */
const rowTails = Array.from({ length: 1000 }, () =>
  JSON.stringify({ ...randomRow(''), id: undefined }).slice(1),
);

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

const largeNameLength = 12_000;

function largeRowText(id: string): string {
  return JSON.stringify({ ...randomRow(id), name: randomUUID().repeat(largeNameLength / 36) });
}

function rowText(id: string): string {
  return `{"id":"${id}",${rowTails[Math.floor(Math.random() * rowTails.length)]}`;
}

function pathOf(table: string): string {
  return `/v1/${benchmarkTable.keyspace}/${table}`;
}
