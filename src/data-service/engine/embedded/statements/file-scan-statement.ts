// OrderedPlan → SQL that reads a table in the order of its rows in the file, for filters that few rows match.
import type { OrderValues, RowOrder } from '../../../query/row-order.js';
import type { Table } from '../../../schema/table.js';
import { encodeValue, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlTable } from '../file/sql-names.js';
import { filterCondition } from './filter-condition.js';
import { columnsToRead, type OrderedPlan } from './ordered-plan.js';
import { orderList, type SelectStatement, selectList } from './select-text.js';

/** A part of the file and the rows to return from it. */
export interface FileScanPart {
  /** Only rows with numbers above this one, … */
  readonly above: number;
  /** … and up to this one. */
  readonly through: number;
  /** Only rows after these values, … */
  readonly after: OrderValues | null;
  /** … and before these. */
  readonly before: OrderValues | null;
  /** The maximum number of rows: the first ones in the plan's order. */
  readonly limit: number;
}

/** The matching rows of a part of the table, in the plan's order. */
export function fileScanStatement(plan: OrderedPlan, part: FileScanPart): SelectStatement {
  const columns = columnsToRead(plan);
  const { above, through, after, before, limit } = part;
  const conditions = joinSql(
    [
      { sql: `${rowIdColumn} > ? AND ${rowIdColumn} <= ?`, values: [above, through] },
      filterCondition(plan.filter) ?? { sql: 'TRUE', values: [] },
      ...(after === null ? [] : [besideCondition(plan.order, after, 1)]),
      ...(before === null ? [] : [besideCondition(plan.order, before, -1)]),
    ],
    ' AND ',
  );
  const table = sqlTable(plan.table);
  // Only row numbers are sorted; then only the rows of the result are read. With an index, SQLite would read the file
  // in random order.
  const numbers =
    `SELECT ${rowIdColumn} AS number FROM ${table} NOT INDEXED WHERE ${conditions.sql} ` +
    `ORDER BY ${orderList(plan)} LIMIT ?`;
  return {
    sql: `SELECT ${selectList(columns)} FROM (${numbers}) CROSS JOIN ${table} ON ${rowIdColumn} = number`,
    values: [...conditions.values, limit],
    columns,
  };
}

/** The largest row number. */
export function lastRowStatement(table: Table): SelectStatement {
  return { sql: `SELECT max(${rowIdColumn}) FROM ${sqlTable(table)}`, values: [], columns: [] };
}

/** Rows after some values of the order (1) or before them (-1). */
function besideCondition(order: RowOrder, values: OrderValues, side: 1 | -1): SqlFragment {
  const choices = order.map(({ column, direction }, at) => {
    const same = order.slice(0, at).map((earlier, place) => ({
      sql: `${sqlColumn(earlier.column)} = ?`,
      values: [encodeValue(earlier.column, values[place])],
    }));
    const beside = {
      sql: `${sqlColumn(column)} ${direction === side ? '>' : '<'} ?`,
      values: [encodeValue(column, values[at])],
    };
    return joinSql([...same, beside], ' AND ');
  });
  const all = joinSql(choices, ') OR (');
  return { sql: `((${all.sql}))`, values: all.values };
}
