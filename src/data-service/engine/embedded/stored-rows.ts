// Rows as they are stored: how statements read them, and values of the columns' types made of them.
import type { Database, SqlRowArray, Statement } from '../../../foundation/sqlite/open-database.js';
import type { RowValues } from '../../query/read.js';
import type { Column } from '../../schema/table.js';

/** The statement whose rows have these columns, reading integers as they need. */
export function preparedFor(
  database: Database,
  { sql, columns }: { readonly sql: string; readonly columns: readonly Column[] },
): Statement<SqlRowArray> {
  return statementOf(database, sql, knownToReadBigInts(columns));
}

/** The statement whose rows are given as they are stored. */
export function statementOf(database: Database, sql: string, readBigInts: boolean): Statement<SqlRowArray> {
  return database.statement(sql, readBigInts ? withBigInts : withNumbers);
}

const withBigInts = { returnArrays: true, readBigInts: true } as const;
const withNumbers = { returnArrays: true, readBigInts: false } as const;
/** By lists of columns that stay, as those of a table do. */
const bigIntLists = new WeakMap<readonly Column[], boolean>();

function knownToReadBigInts(columns: readonly Column[]): boolean {
  let reads = bigIntLists.get(columns);
  if (reads === undefined) {
    reads = readsBigInts(columns);
    bigIntLists.set(columns, reads);
  }
  return reads;
}

/** Whether integers of the columns may pass 2^53. */
export function readsBigInts(columns: readonly Column[]): boolean {
  return columns.some(({ type }) => type.sql.readsBigInt);
}

/** Stored values as values of the columns' types; null stays null. */
export function decodeRows(rows: readonly SqlRowArray[], columns: readonly Column[]): readonly RowValues[] {
  return rows.map((row) =>
    columns.map(({ type }, place) => {
      const stored = row[place];
      return stored === null || stored === undefined ? null : type.sql.decode(stored);
    }),
  );
}
