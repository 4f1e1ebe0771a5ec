// The requests of `bench:queries`, and the table they are about.
import { randomUUID } from 'node:crypto';
import { fillSource, insertManyOf, type RequestSettings, type RequestSource } from './request-source.js';

/** Ten columns, three of them with indexes: `city`, `score` and `created`. */
export const queryTable = {
  keyspace: 'default_keyspace',
  readTable: 'places',
  writeTable: 'places_written',
  definition: {
    columns: {
      id: 'text',
      name: 'text',
      city: 'text',
      age: 'int',
      score: 'double',
      active: 'boolean',
      created: 'timestamp',
      note: 'text',
      visits: 'bigint',
      price: 'decimal',
    },
    primaryKey: 'id',
  },
  indexedColumns: ['city', 'score', 'created'],
} as const;

/** Rows of a page that a query asks for. */
export const rowsPerQuery = 20;

/** A small table has as many rows of a city as a query asks for, too. */
const cityCount = 400;
const firstCreatedMs = 1_600_000_000_000;
const createdSpanMs = 1e11;
const maxScore = 1000;

/** A row of the table, as a request carries it. */
export interface QueryRow {
  readonly id: string;
  readonly name: string;
  readonly city: string;
  readonly age: number;
  readonly score: number;
  readonly active: boolean;
  readonly created: string;
  readonly note: string;
  readonly visits: number;
  readonly price: number;
}

/** A row with this id and other values each time. */
export function randomQueryRow(id: string): QueryRow {
  const below = (limit: number) => Math.floor(Math.random() * limit);
  return {
    id,
    name: `Person number ${below(1e6)}`,
    city: cityOf(below(cityCount)),
    age: below(100),
    score: Math.random() * maxScore,
    active: Math.random() < 0.5,
    created: new Date(firstCreatedMs + below(createdSpanMs)).toISOString(),
    note: `said something on day ${below(40_000)}`,
    visits: below(1e12),
    price: below(100_000) / 100,
  };
}

const queries = (filter: () => string): RequestSource => ({
  path: pathOf(queryTable.readTable),
  next: () => `{"find":{"filter":${filter()},"options":{"limit":${rowsPerQuery}}}}`,
});

/** The kinds of requests by name. */
export const queryRequestKinds = {
  fillPlaces: () => fillSource(pathOf(queryTable.readTable), (number) => rowText(`row-${number}`)),
  insertPlaces: () => ({
    path: pathOf(queryTable.writeTable),
    next: () => insertManyOf(() => rowText(randomUUID())),
  }),
  findPlace: ({ rowCount }: RequestSettings) => ({
    path: pathOf(queryTable.readTable),
    next: () => `{"findOne":{"filter":{"id":"row-${Math.floor(Math.random() * rowCount)}"}}}`,
  }),
  equality: () => queries(() => `{"city":"${cityOf(Math.floor(Math.random() * cityCount))}"}`),
  range: () => queries(() => `{"score":{"$gte":${Math.random() * maxScore * 0.9}}}`),
  /** Nobody is that old. */
  scanForNothing: () => queries(() => `{"age":{"$gt":${150 + Math.floor(Math.random() * 1000)}}}`),
  scanForFew: () => queries(() => `{"note":"said something on day ${Math.floor(Math.random() * 40_000)}"}`),
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

function rowText(id: string): string {
  return JSON.stringify(randomQueryRow(id));
}

function cityOf(number: number): string {
  return `City of the ${number}th hill`;
}

function pathOf(table: string): string {
  return `/v1/${queryTable.keyspace}/${table}`;
}
