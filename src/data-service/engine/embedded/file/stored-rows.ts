// Reads rows in their stored form, and decodes them.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { Database, SqlRowArray, Statement } from '../../../../foundation/sqlite/open-database.js';
import type { ReadPlan, RowValues } from '../../../query/read.js';
import { type ReadDeadline, WrittenValue } from '../../../query/row-text.js';
import type { Column } from '../../../schema/table.js';

/** The statement whose rows have these columns; it reads integers in the form that they need. */
export function preparedFor(
  database: Database,
  { sql, columns }: { readonly sql: string; readonly columns: readonly Column[] },
): Statement<SqlRowArray> {
  return statementOf(database, sql, getOrMake(bigIntLists, columns, readsBigInts));
}

/** The statement that returns rows in their stored form. */
export function statementOf(database: Database, sql: string, readBigInts: boolean): Statement<SqlRowArray> {
  return database.statement(sql, readBigInts ? withBigInts : withNumbers);
}

const withBigInts = { returnArrays: true, readBigInts: true } as const;
const withNumbers = { returnArrays: true, readBigInts: false } as const;
/** By lists of columns; a table always has the same list object. */
const bigIntLists = new WeakMap<readonly Column[], boolean>();

/** Whether integers of the columns may exceed 2^53. */
export function readsBigInts(columns: readonly Column[]): boolean {
  return columns.some(({ type }) => type.sql.readsBigInt);
}

/** Which values may stay in their stored form, and the time limit. */
export interface RowDecoding {
  readonly plan: Pick<ReadPlan, 'form'>;
  readonly deadline: ReadDeadline;
}

/**
 * Stored values as values of the columns' types; null stays null. Without a decoding all are decoded.
 * @throws EngineError `timeout`
 */
export function decodeRows(
  rows: readonly SqlRowArray[],
  columns: readonly Column[],
  decoding?: RowDecoding,
): readonly RowValues[] {
  const mayBeWritten = decoding !== undefined && decoding.plan.form !== 'values';
  return rows.map((row) => {
    decoding?.deadline.check();
    return columns.map(({ type: { sql } }, place) => {
      const stored = row[place];
      if (stored === null || stored === undefined) return null;
      // Decoding values with millions of members, and writing them as JSON, takes seconds.
      if (mayBeWritten && sql.written !== undefined) return new WrittenValue(sql.written(stored as string));
      return sql.decode(stored);
    });
  });
}
