// Determines which comparisons of a filter an index can seek, and the ranges of the index with their rows.

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

/** Comparisons that limit the part of an index that is read. */
export type Seeks = readonly Comparison[];

/** The maximum product of the lengths of lists: a read that seeks every combination must still be short. */
const mostCombinations = 1_000;

/** The comparisons required by the filter that an index in the plan's order can seek. */
export function filterSeeks({
  filter,
  order,
  table,
}: Pick<OrderedPlan, 'filter' | 'order' | 'table'>): Seeks {
  return seeksOf(requiredOf(filter), order, table);
}

/**
 * The comparisons that an index in an order can seek: those of the first columns of the order without a gap, and before
 * them a text in a folded index. For any other comparison, SQLite would read and skip rows, any number of them within
 * one slice, or sort them.
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

/** Rows with the same folded text are adjacent in a folded index, in the order of the key. */
function isSeekInFolded({ column, operator, fold }: Comparison, table: Table): boolean {
  return fold !== undefined && operator.name === '$eq' && regularIndexOn(table, column) !== undefined;
}

/** A range of an index that contains exactly the rows of some comparisons, in the order of the key. */
export interface KeyOrderedRange {
  readonly seeks: Seeks;
  /** Undefined for the index of the key. */
  readonly index: RegularIndex | undefined;
}

/** Undefined if no index has such a range for the comparisons. */
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

/** Whether an index can find the rows of the comparison, as values or as a range. */
export function isSeekable(comparison: Comparison): boolean {
  const { operator } = comparison;
  return namesValues(comparison) || (operator.isRange && isWrittenAsSql(operator));
}

function namesValues({ operator }: Comparison): boolean {
  return operator.name === '$eq' || operator.name === '$in';
}

/**
 * Whether seeks give whole ranges of an index, without other rows in between: the first columns compared by `$eq`
 * (column 1 also by `$in`), then at most one column compared by a range.
 */
export function areWholeRanges(seeks: Seeks, order: RowOrder): boolean {
  // The rows of a text in a folded index are a range, which the key limits further.
  const unfolded = seeks.filter(({ fold }) => fold === undefined);
  let remaining = unfolded.length;
  for (let at = 0; at < order.length; at += 1) {
    if (remaining === 0) return true;
    const own = unfolded.filter(({ column }) => column === order[at]?.column);
    remaining -= own.length;
    const [only] = own;
    const isValue = only?.operator.name === '$eq' || (at === 0 && only?.operator.name === '$in');
    if (own.length === 1 && isValue) continue;
    // If there are two bounds on one side, SQLite seeks the first, and skips the rows up to the second.
    return remaining === 0 && isRange(own);
  }
  return true;
}

/** The ranges that together contain, in order, the rows after `after`; each is one seek. */
export function indexRanges(
  plan: Pick<OrderedPlan, 'order'>,
  seeks: Seeks,
  after: OrderValues | null,
): readonly SqlFragment[] {
  const [first] = plan.order;
  const choice = seeks.find(({ column, operator }) => column === first?.column && operator.name === '$in');
  if (first === undefined || choice === undefined) return rangesBehind(plan.order, seeks, after);
  // A choice of values is one range after another, in the order of the values.
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
  // A folded text includes several texts, whose rows are adjacent. With several ranges, the position may contain
  // another value than the only one of this range.
  const isFixed = (column: Column, value: unknown) =>
    seeks.some(
      (one) =>
        one.column === column &&
        one.operator.name === '$eq' &&
        one.fold === undefined &&
        column.type.compare(one.operands[0], value) === 0,
    );
  // Equal to the position in the columns before one, and after it in that column: from the last column to the first.
  return order
    .flatMap(({ column, direction }, at) => {
      if (isFixed(column, after[at])) return []; // no row is after the only value
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
