// Rows as they are stored: how statements read them, and values of the columns' types made of them.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { Database, SqlRowArray, Statement } from '../../../../foundation/sqlite/open-database.js';
import type { ReadPlan, RowValues } from '../../../query/read.js';
import { type ReadDeadline, WrittenValue } from '../../../query/row-text.js';
import type { Column } from '../../../schema/table.js';

/** The statement whose rows have these columns, reading integers as they need. */
export function preparedFor(
  database: Database,
  { sql, columns }: { readonly sql: string; readonly columns: readonly Column[] },
): Statement<SqlRowArray> {
  return statementOf(database, sql, getOrMake(bigIntLists, columns, readsBigInts));
}

/** The statement whose rows are given as they are stored. */
export function statementOf(database: Database, sql: string, readBigInts: boolean): Statement<SqlRowArray> {
  return database.statement(sql, readBigInts ? withBigInts : withNumbers);
}

const withBigInts = { returnArrays: true, readBigInts: true } as const;
const withNumbers = { returnArrays: true, readBigInts: false } as const;
/** By lists of columns that stay, as those of a table do. */
const bigIntLists = new WeakMap<readonly Column[], boolean>();

/** Whether integers of the columns may pass 2^53. */
export function readsBigInts(columns: readonly Column[]): boolean {
  return columns.some(({ type }) => type.sql.readsBigInt);
}

/** How far values are made of what is stored, and until when. */
export interface RowDecoding {
  readonly plan: Pick<ReadPlan, 'mayBeWritten' | 'valuesMayBeWritten'>;
  readonly deadline: ReadDeadline;
}

/**
 * Stored values as values of the columns' types; null stays null. Without a decoding none is in writing.
 * @throws EngineError `timeout`
 */
export function decodeRows(
  rows: readonly SqlRowArray[],
  columns: readonly Column[],
  decoding?: RowDecoding,
): readonly RowValues[] {
  const { mayBeWritten = false, valuesMayBeWritten = mayBeWritten } = decoding?.plan ?? {};
  return rows.map((row) => {
    decoding?.deadline.check();
    return columns.map(({ type: { sql } }, place) => {
      const stored = row[place];
      if (stored === null || stored === undefined) return null;
      // To make values of millions of members, and text of these, takes seconds.
      if (valuesMayBeWritten && sql.isStoredAsWritten === true) return new WrittenValue(stored as string);
      return sql.decode(stored);
    });
  });
}
