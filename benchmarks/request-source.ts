// What a load generator's connection sends.

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

/** Rows in one insertMany. */
export const rowsPerInsertMany = 100;

/** The command with a hundred rows as JSON texts. */
export function insertManyOf(rowText: (index: number) => string): string {
  const rows = Array.from({ length: rowsPerInsertMany }, (_, index) => rowText(index));
  return `{"insertMany":{"documents":[${rows.join(',')}]}}`;
}

/** Fills a table: each connection takes every n-th hundred of rows, and all together take each row once. */
export function fillSource(
  path: string,
  rowText: (number: number) => string,
  { connection, connections }: RequestSettings,
): RequestSource {
  let block = connection;
  return {
    path,
    next() {
      const first = block * rowsPerInsertMany;
      block += connections;
      return insertManyOf((index) => rowText(first + index));
    },
  };
}
