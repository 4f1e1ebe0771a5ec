// Which comparisons of a filter an index seeks, and the ranges of the index that hold their rows.

import { isExact } from '../../../column-types/text-fold.js';
import { type Comparison, requiredOf } from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { isRange } from '../../../query/key-filter.js';
import type { OrderValues, RowOrder } from '../../../query/row-order.js';
import { type Column, type RegularIndex, regularIndexOn, type Table } from '../../../schema/table.js';
import { encodeValue, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { sqlColumn } from '../file/sql-names.js';
import { comparisonCondition, isWrittenAsSql } from './filter-condition.js';
import type { OrderedPlan } from './ordered-plan.js';

/** Comparisons that narrow the part of an index that is read. */
export type Seeks = readonly Comparison[];

/** Lists multiply: a read that seeks every combination must still be short. */
const mostCombinations = 1_000;

/** What an index in the plan's order seeks of all that the filter requires. */
export function filterSeeks({
  filter,
  order,
  table,
}: Pick<OrderedPlan, 'filter' | 'order' | 'table'>): Seeks {
  return seeksOf(requiredOf(filter), order, table);
}

/**
 * What an index in an order seeks of some comparisons: those of the columns of the order from the first on without a
 * gap, and before them a text in a folded index. Any other comparison would only let SQLite pass over rows, any number
 * of them within one slice, or make it sort.
 */
export function seeksOf(comparisons: readonly Comparison[], order: RowOrder, table: Table): Seeks {
  const folded = order === table.keyOrder ? comparisons.find((one) => isSeekInFolded(one, table)) : undefined;
  const seeks = folded === undefined ? [] : [folded];
  let combinations = 1;
  for (const { column } of order) {
    const own = comparisons.filter(
      (one) => one.column === column && one.fold === undefined && isSeekable(one),
    );
    const named = own.filter(namesValues).map(({ operands }) => operands.length);
    if (named.length > 0) combinations *= Math.min(...named);
    if (combinations > mostCombinations) break;
    seeks.push(...own);
    if (named.length === 0) break;
  }
  return seeks;
}

/** What a folded index finds for one text lies together, in the order of the key. */
function isSeekInFolded({ column, operator, fold }: Comparison, table: Table): boolean {
  return fold !== undefined && operator.name === '$eq' && regularIndexOn(table, column) !== undefined;
}

/** A range of an index that holds, in the order of the key, the rows of comparisons and no others. */
export interface KeyOrderedRange {
  readonly seeks: Seeks;
  /** Undefined for the index of the key. */
  readonly index: RegularIndex | undefined;
}

/** Undefined where no index has such a range for the comparisons. */
export function keyOrderedRange(
  comparisons: readonly Comparison[],
  table: Table,
): KeyOrderedRange | undefined {
  const seek = comparisons.find((one) => isSeekInFolded(one, table) || isSeekInExact(one, table));
  const others = comparisons.filter((one) => one !== seek);
  const seeks = seeksOf(others, table.keyOrder, table);
  const isWhole =
    others.every(({ fold }) => fold === undefined) &&
    seeks.length === others.length &&
    areWholeRanges(seeks, table.keyOrder);
  if (!isWhole || comparisons.length === 0) return undefined;
  if (seek === undefined) return { seeks, index: undefined };
  return { seeks: [seek, ...seeks], index: regularIndexOn(table, seek.column) };
}

function isSeekInExact({ column, operator, fold }: Comparison, table: Table): boolean {
  const index = regularIndexOn(table, column);
  if (index === undefined || fold !== undefined || operator.name !== '$eq') return false;
  return index.fold === null || isExact(index.fold);
}

/** Whether an index finds what the comparison names as values or as a range. */
export function isSeekable(comparison: Comparison): boolean {
  const { operator } = comparison;
  return namesValues(comparison) || (operator.isRange && isWrittenAsSql(operator));
}

function namesValues({ operator }: Comparison): boolean {
  return operator.name === '$eq' || operator.name === '$in';
}

/**
 * Whether seeks give whole ranges of an index, without rows in between that do not match: columns by `$eq` from the
 * first on (that one by `$in`, too), then at most one range.
 */
export function areWholeRanges(seeks: Seeks, order: RowOrder): boolean {
  // What a folded index finds for its text is a range, which the key narrows further.
  const unfolded = seeks.filter(({ fold }) => fold === undefined);
  let remaining = unfolded.length;
  for (const [at, { column }] of order.entries()) {
    if (remaining === 0) return true;
    const own = unfolded.filter((seek) => seek.column === column);
    remaining -= own.length;
    const [only] = own;
    const isValue = only?.operator.name === '$eq' || (at === 0 && only?.operator.name === '$in');
    if (own.length === 1 && isValue) continue;
    // Of two bounds on a side SQLite would seek the first, and pass over the rows up to the second.
    return remaining === 0 && isRange(own);
  }
  return true;
}

/** The ranges that together hold, in order, what lies behind `after`; each is one seek. */
export function indexRanges(
  plan: Pick<OrderedPlan, 'order'>,
  seeks: Seeks,
  after: OrderValues | null,
): readonly SqlFragment[] {
  const [first] = plan.order;
  const choice = seeks.find(({ column, operator }) => column === first?.column && operator.name === '$in');
  if (first === undefined || choice === undefined) return rangesBehind(plan.order, seeks, after);
  // A choice of values is one range after the other, in the order of the values.
  const others = seeks.filter((seek) => seek !== choice);
  const compare = (left: unknown, right: unknown) => first.column.type.compare(left, right) * first.direction;
  return choice.operands
    .filter((operand, at) => choice.operands.findIndex((other) => compare(other, operand) === 0) === at)
    .filter((operand) => after === null || compare(operand, after[0]) >= 0)
    .toSorted(compare)
    .flatMap((operand) => {
      const only = { ...choice, operator: filterOperators.$eq, operands: [operand] };
      const isReached = after !== null && compare(operand, after[0]) === 0;
      return rangesBehind(plan.order, [only, ...others], isReached ? after : null);
    });
}

function rangesBehind(order: RowOrder, seeks: Seeks, after: OrderValues | null): readonly SqlFragment[] {
  const always = seeks.map(comparisonCondition);
  if (after === null) return [joinSql(always, ' AND ')];
  // A folded text stands for several: their rows lie behind one another. The values among several ranges may hold
  // another one than the only one of this range.
  const isFixed = (column: Column, value: unknown) =>
    seeks.some(
      (one) =>
        one.column === column &&
        one.operator.name === '$eq' &&
        one.fold === undefined &&
        column.type.compare(one.operands[0], value) === 0,
    );
  // Same as the position up to a column, behind it in that column: from the last column to the first.
  return order
    .flatMap(({ column, direction }, at) => {
      if (isFixed(column, after[at])) return []; // nothing is behind the only value
      const same = order.slice(0, at).map((before, place) => ({
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
