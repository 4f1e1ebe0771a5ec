// SQL text for the statements of reads: lists of columns, orders, conditions, ranges.

import type { Filter } from '../../../query/filter.js';
import type { RowOrder } from '../../../query/row-order.js';
import type { Column } from '../../../schema/table.js';
import { boundLimit, type SqlFragment } from '../file/sql-fragment.js';
import { sqlColumn, sqlTable } from '../file/sql-names.js';
import type { OrderedPlan } from './ordered-plan.js';

/** A statement with the columns of its rows. */
export interface SelectStatement extends SqlFragment {
  readonly columns: readonly Column[];
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

/** The columns that a filter compares. */
export function filterColumns(filter: Filter): readonly Column[] {
  return filter.kind === 'comparison' ? [filter.column] : filter.filters.flatMap(filterColumns);
}

/** The SQL for the first rows of an index range; its last value is their number. */
export function rangeText(plan: OrderedPlan, range: SqlFragment, selection: string): string {
  return (
    `SELECT ${selection} FROM ${sqlTable(plan.table)}${where(range)} ` +
    `ORDER BY ${orderList(plan)} ${boundLimit}`
  );
}
