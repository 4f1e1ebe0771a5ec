// What of a filter CQL can do: the comparisons that must all hold, as one range for each column.
import {
  type Comparison,
  conjunctionOf,
  type Filter,
  isFoldServed,
  requiredOf,
} from '../../../query/filter.js';
import { matchOperator } from '../../../query/filter-operators.js';
import type { Column } from '../../../schema/table.js';
import { foldsServed } from '../schema/engine-state.js';
import { type ColumnRange, intersection, isEmpty, rangeOf } from './column-range.js';

/** The ranges of columns; none is empty. A row that matches the filter is within all of them. */
export type ColumnRanges = ReadonlyMap<Column, ColumnRange>;

/** What CQL can be asked of a filter. */
export interface PushedFilter {
  /** Ranges of values as they are. */
  readonly ranges: ColumnRanges;
  /**
   * Ranges of texts as the index of their column normalizes them. It may find more texts equal, so the rows that it
   * finds are compared again.
   */
  readonly folded: ColumnRanges;
  /** Whether the ranges are the whole filter. */
  readonly isWhole: boolean;
}

/** The part of a filter for CQL; undefined where no row can match. */
export function pushedFilter(filter: Filter): PushedFilter | undefined {
  if (matchesNothing(filter)) return undefined;
  const ranges = new Map<Column, ColumnRange>();
  const folded = new Map<Column, ColumnRange>();
  let isWhole = conjunctionOf(filter) !== undefined;
  for (const comparison of requiredOf(filter)) {
    const range = comparableRange(comparison);
    if (range === undefined || comparison.fold !== undefined) isWhole = false;
    if (range === undefined) continue;
    const own = comparison.fold === undefined ? ranges : folded;
    const { column } = comparison;
    const known = own.get(column);
    const both = known === undefined ? range : intersection(column.type, known, range);
    if (isEmpty(both)) return undefined;
    own.set(column, both);
  }
  return { ranges, folded, isWhole };
}

function comparableRange(comparison: Comparison): ColumnRange | undefined {
  const { column, operator, fold } = comparison;
  // Values that were stored before their type got a field have other bytes.
  if (column.type.userType !== undefined) return undefined;
  const { filterable, range } = column.type.traits;
  if (!filterable || (operator.isRange && !range)) return undefined;
  if (fold !== undefined && !isFoldServed(foldsServed(fold), comparison)) return undefined;
  return rangeOf(comparison);
}

function matchesNothing(filter: Filter): boolean {
  switch (filter.kind) {
    case 'comparison':
      return (
        filter.operands.length === 0 && (filter.operator.namesValues || filter.operator === matchOperator)
      );
    case 'members':
      return filter.operator.needs === 'oneOf' && filter.operands.length === 0;
    case 'document':
      return false; // the server compares documents
    case 'and':
      return filter.filters.some(matchesNothing);
    case 'or':
      return filter.filters.every(matchesNothing);
  }
}
