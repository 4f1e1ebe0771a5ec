// Key lookup → SQL: one row by its primary key, as values or in writing, or only its size.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { PrimaryKey } from '../../../query/key-filter.js';
import { columnsToRead, type ReadPlan } from '../../../query/read.js';
import type { Column, Table } from '../../../schema/table.js';
import { rowSize } from '../file/row-size.js';
import { encodeValue, type SqlFragment } from '../file/sql-fragment.js';
import { keyCondition, sqlTable } from '../file/sql-names.js';
import type { RowWriting } from './row-writing.js';
import { type SelectStatement, selectList } from './select-text.js';

/** The statement that reads one row by its key, as values. */
export function keyLookupStatement(plan: ReadPlan, key: PrimaryKey): SelectStatement {
  const columns = columnsToRead(plan);
  const sql = keyLookupText(plan.table, columns, () => selectList(columns));
  return { sql, values: keyValues(plan, key), columns };
}

/** The same in writing: null in the place of a row that has more bytes than `maxBytes`. */
export function writtenKeyLookupStatement(
  { table }: ReadPlan,
  key: PrimaryKey,
  writing: RowWriting,
  maxBytes: number,
): SqlFragment {
  const sql = keyLookupText(table, writing, () => `iif(${writing.size} <= ?, ${writing.selection}, NULL)`);
  return { sql, values: [maxBytes, ...keyValues({ table }, key)] };
}

/** The statement that gives the bytes of one row, without reading it. */
export function rowSizeStatement(plan: ReadPlan, key: PrimaryKey): SqlFragment {
  const size = rowSize(columnsToRead(plan));
  const sql = `SELECT ${size} FROM ${sqlTable(plan.table)} WHERE ${keyCondition(plan.table)}`;
  return { sql, values: keyValues(plan, key) };
}

function keyValues({ table }: Pick<ReadPlan, 'table'>, key: PrimaryKey): readonly SqlValue[] {
  return table.keyColumns.map((column, at) => encodeValue(column, key[at]));
}

/**
 * By the list of columns, which belongs to one table, or by how they are written. The very same text is found fastest
 * among the prepared statements.
 */
const keyLookupTexts = new WeakMap<readonly Column[] | RowWriting, string>();

function keyLookupText(table: Table, form: readonly Column[] | RowWriting, selection: () => string): string {
  let text = keyLookupTexts.get(form);
  if (text === undefined) {
    text = `SELECT ${selection()} FROM ${sqlTable(table)} WHERE ${keyCondition(table)}`;
    keyLookupTexts.set(form, text);
  }
  return text;
}
