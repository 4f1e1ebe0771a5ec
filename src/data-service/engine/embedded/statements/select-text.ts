// SQL text for the statements of reads: lists of columns, orders, conditions, ranges.

import type { RowOrder } from '../../../query/row-order.js';
import type { Column } from '../../../schema/table.js';
import { boundLimit, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlTable } from '../file/sql-names.js';
import type { OrderedPlan } from './ordered-plan.js';

/** A statement with the columns of its rows. */
export interface SelectStatement extends SqlFragment {
  readonly columns: readonly Column[];
  /** In a slice: it is not run if the first statement returns so many rows. */
  readonly unlessRows?: number;
}

const selectLists = new WeakMap<readonly Column[], string>();

/** Cached for each list of columns: most reads use the list object of their table. */
export function selectList(columns: readonly Column[]): string {
  let list = selectLists.get(columns);
  if (list === undefined) {
    list = columns.length === 0 ? 'NULL' : columns.map(sqlColumn).join(', ');
    selectLists.set(columns, list);
  }
  return list;
}

const orderLists = new WeakMap<RowOrder, string>();

/** The text after ORDER BY. */
export function orderList({ order }: Pick<OrderedPlan, 'order'>): string {
  let list = orderLists.get(order);
  if (list === undefined) {
    list = order
      .map(({ column, direction }) => `${sqlColumn(column)} ${direction === 1 ? 'ASC' : 'DESC'}`)
      .join(', ');
    orderLists.set(order, list);
  }
  return list;
}

/** The WHERE clause of a condition; empty for none. */
export function where(condition: SqlFragment): string {
  return condition.sql === '' ? '' : ` WHERE ${condition.sql}`;
}

/** A part of an index that is read in the order of a plan. */
export interface IndexRange extends SqlFragment {
  /**
   * The SQL is that of a whole query for the entries of a container index, see `member-ranges.ts`; otherwise it is a
   * condition on the table.
   */
  readonly isOfEntries?: true;
  /** A condition on an entry `walked`, which a walk along the entries checks before it reads the row; may be empty. */
  readonly probe?: SqlFragment;
}

/** The SQL for the first rows of an index range; its last value is their number. */
export function rangeText(plan: OrderedPlan, range: IndexRange, selection: string): string {
  const table = sqlTable(plan.table);
  const ordered = `ORDER BY ${orderList(plan)}`;
  if (range.isOfEntries !== true)
    return `SELECT ${selection} FROM ${table}${where(range)} ${ordered} ${boundLimit}`;
  const numbers = `SELECT number FROM (${range.sql} ${ordered} ${boundLimit})`;
  return `SELECT ${selection} FROM (${numbers}) CROSS JOIN ${table} ON ${rowIdColumn} = number ${ordered}`;
}

/** The text of a walk, which reads only rows that can match: the values of the probe follow the number. */
export function walkText(plan: OrderedPlan, range: IndexRange, selection: string): string {
  if (range.probe === undefined || range.probe.sql === '') return rangeText(plan, range, selection);
  const ordered = `ORDER BY ${orderList(plan)}`;
  const numbers = `SELECT number FROM (${range.sql} ${ordered} ${boundLimit}) AS walked WHERE ${range.probe.sql}`;
  const rows = `(${numbers}) CROSS JOIN ${sqlTable(plan.table)} ON ${rowIdColumn} = number`;
  return `SELECT ${selection} FROM ${rows} ${ordered}`;
}

/** The SQL for the positions in an index range; its last values are the number of positions and the offset. */
export function positionsText(plan: OrderedPlan, range: IndexRange): string {
  const selection = selectList(plan.order.map(({ column }) => column));
  const ordered = `ORDER BY ${orderList(plan)} ${boundLimit} OFFSET ?`;
  if (range.isOfEntries === true) return `SELECT ${selection} FROM (${range.sql} ${ordered})`;
  return `SELECT ${selection} FROM ${sqlTable(plan.table)}${where(range)} ${ordered}`;
}
