// What a filter requires of one column, in the forms that CQL compares: values, or bounds.
import type { ColumnType } from '../../../column-types/column-type.js';
import type { Comparison } from '../../../query/filter.js';
import type { FilterOperatorName } from '../../../query/filter-operators.js';

/** The values that a column can have. */
export type ColumnRange =
  /** One of these: different, ascending. None: no row matches. */
  | {
      readonly kind: 'values';
      readonly values: readonly unknown[];
      /** Whether nodes compare the rows, also with one value, because an index does not find all. Absent: no. */
      readonly isCompared?: boolean;
    }
  /** Between these; at least one is there. */
  | { readonly kind: 'between'; readonly lower?: Bound | undefined; readonly upper?: Bound | undefined };

/** An end of a range. */
export interface Bound {
  readonly value: unknown;
  readonly isIncluded: boolean;
}

/** The range of one value. */
export function onlyValue(value: unknown): ColumnRange {
  return { kind: 'values', values: [value] };
}

/** The values behind one in an order of the column: greater ones (1), or less ones (-1). */
export function rangeBehind(value: unknown, direction: 1 | -1): ColumnRange {
  const bound: Bound = { value, isIncluded: false };
  return direction === 1 ? { kind: 'between', lower: bound } : { kind: 'between', upper: bound };
}

type RangeOf = (value: unknown, comparison: Comparison) => ColumnRange;

/** The ranges of the operators that have one. */
const ranges: Readonly<Partial<Record<FilterOperatorName, RangeOf>>> = {
  $eq: onlyValue,
  $in: (_, { column, operands }) => ({ kind: 'values', values: ascending(column.type, operands) }),
  $gt: (value) => ({ kind: 'between', lower: { value, isIncluded: false } }),
  $gte: (value) => ({ kind: 'between', lower: { value, isIncluded: true } }),
  $lt: (value) => ({ kind: 'between', upper: { value, isIncluded: false } }),
  $lte: (value) => ({ kind: 'between', upper: { value, isIncluded: true } }),
};

/** The range of a comparison; undefined for operators without one, such as `$ne`. */
export function rangeOf(comparison: Comparison): ColumnRange | undefined {
  return ranges[comparison.operator.name]?.(comparison.operands[0], comparison);
}

/** The values that both ranges have. */
export function intersection(type: ColumnType, one: ColumnRange, other: ColumnRange): ColumnRange {
  if (one.kind === 'values')
    return { kind: 'values', values: one.values.filter((value) => holds(type, other, value)) };
  if (other.kind === 'values') return intersection(type, other, one);
  const lower = tighter(type, one.lower, other.lower, 1);
  const upper = tighter(type, one.upper, other.upper, -1);
  return hasNothing(type, lower, upper) ? { kind: 'values', values: [] } : { kind: 'between', lower, upper };
}

/** Whether no value is in the range. */
export function isEmpty(range: ColumnRange): boolean {
  return range.kind === 'values' && range.values.length === 0;
}

function holds(type: ColumnType, range: ColumnRange, value: unknown): boolean {
  if (range.kind === 'values') return range.values.some((each) => type.compare(each, value) === 0);
  return isWithin(type, range.lower, value, 1) && isWithin(type, range.upper, value, -1);
}

/** `side`: 1 for a lower bound, -1 for an upper one. */
function isWithin(type: ColumnType, bound: Bound | undefined, value: unknown, side: 1 | -1): boolean {
  if (bound === undefined) return true;
  const difference = type.compare(value, bound.value) * side;
  return difference > 0 || (difference === 0 && bound.isIncluded);
}

/** The one of two bounds on one side that excludes more. */
function tighter(
  type: ColumnType,
  one: Bound | undefined,
  other: Bound | undefined,
  side: 1 | -1,
): Bound | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const difference = type.compare(other.value, one.value) * side;
  if (difference === 0) return one.isIncluded ? other : one;
  return difference > 0 ? other : one;
}

function hasNothing(type: ColumnType, lower: Bound | undefined, upper: Bound | undefined): boolean {
  if (lower === undefined || upper === undefined) return false;
  const difference = type.compare(lower.value, upper.value);
  return difference > 0 || (difference === 0 && !(lower.isIncluded && upper.isIncluded));
}

function ascending(type: ColumnType, values: readonly unknown[]): readonly unknown[] {
  const sorted = values.toSorted((left, right) => type.compare(left, right));
  return sorted.filter((value, at) => at === 0 || type.compare(sorted[at - 1], value) !== 0);
}
