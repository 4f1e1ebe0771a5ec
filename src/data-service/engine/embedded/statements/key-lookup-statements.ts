// Key lookup → SQL: one row by its primary key, as values or as JSON, or only its size.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { PrimaryKey } from '../../../query/key-filter.js';
import type { ReadPlan } from '../../../query/read.js';
import type { Column, Table } from '../../../schema/table.js';
import { rowSize } from '../file/row-size.js';
import { encodeValue, type SqlFragment } from '../file/sql-fragment.js';
import { keyCondition, sqlTable } from '../file/sql-names.js';
import type { RowWriting } from './row-writing.js';
import { type SelectStatement, selectList } from './select-text.js';

/** The parts of a plan that a key lookup uses. */
type LookupPlan = Pick<ReadPlan, 'table' | 'columns'>;

/** The statement that reads one row by its key, as values; no row if it has more than `maxBytes` bytes. */
export function keyLookupStatement(
  { table, columns }: LookupPlan,
  key: PrimaryKey,
  maxBytes: number,
): SelectStatement {
  const sql =
    keyLookupTexts.get(columns) ??
    keepText(columns, lookupText(selectList(columns), table, ` AND ${rowSize(columns)} <= ?`));
  return { sql, values: [...keyValues(table, key), maxBytes], columns };
}

/** The statement that returns the row as JSON; null if it has more than `maxBytes` bytes. */
export function writtenKeyLookupStatement(
  { table }: Pick<ReadPlan, 'table'>,
  key: PrimaryKey,
  writing: RowWriting,
  maxBytes: number,
): SqlFragment {
  const sql =
    keyLookupTexts.get(writing) ??
    keepText(writing, lookupText(`iif(${writing.size} <= ?, ${writing.selection}, NULL)`, table));
  return { sql, values: [maxBytes, ...keyValues(table, key)] };
}

/** The statement that returns the size of one row in bytes, without reading it. */
export function rowSizeStatement({ table, columns }: LookupPlan, key: PrimaryKey): SqlFragment {
  return { sql: lookupText(rowSize(columns), table), values: keyValues(table, key) };
}

function keyValues(table: Table, key: PrimaryKey): readonly SqlValue[] {
  return table.keyColumns.map((column, at) => encodeValue(column, key[at]));
}

/**
 * By the list of columns, which belongs to one table, or by the form of the JSON. An identical string object is found
 * fastest among the prepared statements.
 */
const keyLookupTexts = new WeakMap<readonly Column[] | RowWriting, string>();

function keepText(form: readonly Column[] | RowWriting, text: string): string {
  keyLookupTexts.set(form, text);
  return text;
}

function lookupText(selection: string, table: Table, condition = ''): string {
  return `SELECT ${selection} FROM ${sqlTable(table)} WHERE ${keyCondition(table)}${condition}`;
}
