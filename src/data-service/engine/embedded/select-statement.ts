// ReadPlan → SQL: one row by its key, or a walk along the key index in its order.
import { type Comparison, conjunctionOf, type Filter } from '../../query/filter.js';
import { type PrimaryKey, wholeKeyOf } from '../../query/key-filter.js';
import { columnsToRead, type Position, type ReadPlan } from '../../query/read.js';
import type { Column, Table } from '../../schema/table.js';
import { comparisonCondition, filterCondition } from './filter-condition.js';
import { encodeValue, joinSql, type SqlFragment } from './sql-fragment.js';
import { keyCondition, sqlColumn, sqlTable } from './sql-names.js';

/** A statement with the columns of its rows. */
export interface SelectStatement extends SqlFragment {
  readonly columns: readonly Column[];
}

/** How a plan is carried out. */
export type ReadPath =
  /** At most one row. */
  | { readonly kind: 'point'; readonly key: PrimaryKey }
  /** Every row that the walk meets belongs to the result, so its cost is bounded by the limit. */
  | { readonly kind: 'walk'; readonly restrictions: readonly Comparison[] }
  /** The walk meets rows that the filter refuses, any number of them. */
  | { readonly kind: 'scan'; readonly restrictions: readonly Comparison[] };

/** Chooses the path of a plan, which is ordered by the primary key. */
export function readPath({ filter, table }: Pick<ReadPlan, 'filter' | 'table'>): ReadPath {
  const comparisons = conjunctionOf(filter);
  if (comparisons === undefined) return { kind: 'scan', restrictions: [] };
  const key = wholeKeyOf(comparisons, table);
  if (key !== undefined) return { kind: 'point', key };
  const restrictions = seekRestrictions(comparisons, table);
  const isExact = comparisons.length === restrictions.length && isPrefix(restrictions, table);
  return { kind: isExact ? 'walk' : 'scan', restrictions };
}

/** The statement that reads one row by its key. */
export function pointStatement(plan: ReadPlan, key: PrimaryKey): SelectStatement {
  const { table } = plan;
  const columns = columnsToRead(plan);
  return {
    sql: `SELECT ${selectList(columns)} FROM ${sqlTable(table)} WHERE ${keyCondition(table)}`,
    values: table.keyColumns.map((column, at) => encodeValue(column, key[at])),
    columns,
  };
}

/** Ranges of the key index that together hold, in order, what lies behind `after`; each is one seek. */
export function walkRanges(
  plan: Pick<ReadPlan, 'order'>,
  restrictions: readonly Comparison[],
  after: Position | null,
): readonly SqlFragment[] {
  const always = restrictions.map(comparisonCondition);
  if (after === null) return [joinSql(always, ' AND ')];
  const isFixed = (column: Column) =>
    restrictions.some((restriction) => restriction.column === column && restriction.operator.name === '$eq');
  // Same as the position up to a column, behind it in that column: from the last column to the first.
  return plan.order
    .flatMap(({ column, direction }, at) => {
      if (isFixed(column)) return []; // nothing is behind the only value
      const same = plan.order.slice(0, at).map((before, place) => ({
        sql: `${sqlColumn(before.column)} = ?`,
        values: [encodeValue(before.column, after[place])],
      }));
      const behind = {
        sql: `${sqlColumn(column)} ${direction === 1 ? '>' : '<'} ?`,
        values: [encodeValue(column, after[at])],
      };
      return [joinSql([...same, behind, ...always], ' AND ')];
    })
    .reverse();
}

/** The first `limit` rows of a range. */
export function rangeStatement(plan: ReadPlan, range: SqlFragment, limit: number): SelectStatement {
  const columns = columnsToRead(plan);
  return {
    sql: `SELECT ${selectList(columns)} FROM ${sqlTable(plan.table)}${where(range)} ORDER BY ${orderList(plan)} LIMIT ?`,
    values: [...range.values, limit],
    columns,
  };
}

/** Those among the first `sliceRows` rows of a range that match the filter, at most `limit`. */
export function sliceStatement(
  plan: ReadPlan,
  range: SqlFragment,
  sliceRows: number,
  limit: number,
): SelectStatement {
  const columns = columnsToRead(plan);
  const condition = filterCondition(plan.filter) ?? { sql: 'TRUE', values: [] };
  const inner = selectList([
    ...new Set([...columns, ...filterColumns(plan.filter), ...plan.table.keyColumns]),
  ]);
  const walked = `SELECT ${inner} FROM ${sqlTable(plan.table)}${where(range)} ORDER BY ${orderList(plan)} LIMIT ?`;
  return {
    sql: `SELECT ${selectList(columns)} FROM (${walked}) WHERE ${condition.sql} ORDER BY ${orderList(plan)} LIMIT ?`,
    values: [...range.values, sliceRows, ...condition.values, limit],
    columns,
  };
}

/** The position of the last of the first `sliceRows` rows of a range; no row where the range has fewer. */
export function sliceEndStatement(plan: ReadPlan, range: SqlFragment, sliceRows: number): SelectStatement {
  const columns = plan.order.map(({ column }) => column);
  return {
    sql:
      `SELECT ${selectList(columns)} FROM ${sqlTable(plan.table)}${where(range)} ` +
      `ORDER BY ${orderList(plan)} LIMIT 1 OFFSET ?`,
    values: [...range.values, sliceRows - 1],
    columns,
  };
}

/** Lists multiply: a walk that seeks every combination must still be short. */
const maxSeeks = 1_000;

/**
 * What narrows a walk to pieces of the key index: key columns from the first on without a gap. Any other comparison
 * would only let SQLite pass over rows, any number of them within one slice, or make it sort.
 */
function seekRestrictions(comparisons: readonly Comparison[], table: Table): readonly Comparison[] {
  const restrictions: Comparison[] = [];
  let seeks = 1;
  for (const column of table.keyColumns) {
    const own = comparisons.filter(
      (comparison) =>
        comparison.column === column && (comparison.operator.isRange || namesValues(comparison)),
    );
    const named = own.filter(namesValues).map(({ operands }) => operands.length);
    if (named.length > 0) seeks *= Math.min(...named);
    if (seeks > maxSeeks) break;
    restrictions.push(...own);
    if (named.length === 0) break;
  }
  return restrictions;
}

function namesValues({ operator }: Comparison): boolean {
  return operator.name === '$eq' || operator.name === '$in';
}

/** Partition columns by `$eq`, then clustering columns by `$eq`, then at most one range: or nothing at all. */
function isPrefix(restrictions: readonly Comparison[], table: Table): boolean {
  let remaining = restrictions.length;
  if (remaining === 0) return true;
  for (const [at, column] of table.keyColumns.entries()) {
    const own = restrictions.filter((restriction) => restriction.column === column);
    remaining -= own.length;
    const isEquality = own.length === 1 && own[0]?.operator.name === '$eq';
    if (isEquality) {
      if (remaining === 0 && at >= table.partitionKey.length - 1) return true;
      continue;
    }
    const isRange = own.every(({ operator }) => operator.isRange);
    return at >= table.partitionKey.length && isRange && remaining === 0;
  }
  return false;
}

const selectLists = new WeakMap<readonly Column[], string>();

/** Kept per list of columns: most reads ask for the very list of their table. */
function selectList(columns: readonly Column[]): string {
  let list = selectLists.get(columns);
  if (list === undefined) {
    list = columns.length === 0 ? 'NULL' : columns.map(sqlColumn).join(', ');
    selectLists.set(columns, list);
  }
  return list;
}

function orderList({ order }: Pick<ReadPlan, 'order'>): string {
  return order
    .map(({ column, direction }) => `${sqlColumn(column)} ${direction === 1 ? 'ASC' : 'DESC'}`)
    .join(', ');
}

function where(condition: SqlFragment): string {
  return condition.sql === '' ? '' : ` WHERE ${condition.sql}`;
}

function filterColumns(filter: Filter): readonly Column[] {
  return filter.kind === 'comparison' ? [filter.column] : filter.filters.flatMap(filterColumns);
}
