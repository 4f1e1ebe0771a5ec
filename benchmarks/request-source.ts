// What a load generator's connection sends.
import type { HttpMethod } from './http-connection.js';

/** What one connection sends, one request after the other. */
export interface RequestSource {
  /** The path to post to, or that of the next request. */
  readonly path: string | (() => string);
  /** POST if absent. */
  readonly method?: HttpMethod;
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
  /** The path of what another server made: of the requests to it. */
  readonly place?: string | undefined;
}

/** Rows in one insertMany. */
export const rowsPerInsertMany = 100;

/** The command with a hundred rows as JSON texts. */
export function insertManyOf(rowText: (index: number) => string): string {
  const rows = Array.from({ length: rowsPerInsertMany }, (_, index) => rowText(index));
  return `{"insertMany":{"documents":[${rows.join(',')}]}}`;
}

/** Fills a table: all connections together take each row once, in the order of their numbers. */
export function fillSource(path: string, rowText: (number: number) => string): RequestSource {
  return {
    path,
    next() {
      const first = nextNumber() * rowsPerInsertMany;
      return insertManyOf((index) => rowText(first + index));
    },
  };
}

let numbers = 0;

/** The next number from 0, of all connections. */
export function nextNumber(): number {
  numbers += 1;
  return numbers - 1;
}
