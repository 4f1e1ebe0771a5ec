// Values of one column that an index looks up one after another, where no other index finds the rows at once.
import { foldText } from '../../../column-types/text-fold.js';
import { type Column, regularIndexOn, type Table } from '../../../schema/table.js';
import { onlyValue } from './column-range.js';
import { isTermServed } from './member-terms.js';
import type { ColumnRanges } from './pushed-filter.js';
import { isFoldAskable, isServed, type RowSource } from './row-source.js';

/** Values that one lookup has at most; with more, the rows are compared. */
const mostLookups = 100;

/** The values, different ones. Each row that a filter finds by its lookup is found by exactly one of them. */
export interface ValueLookup {
  readonly column: Column;
  readonly values: readonly unknown[];
}

/** The lookup of values as they are; undefined where there is none, or where an index serves one of the ranges. */
export function lookedUpValues(table: Table, ranges: ColumnRanges): ValueLookup | undefined {
  if ([...ranges].some(([column, range]) => isServed(table, column, range))) return undefined;
  for (const [column, range] of ranges)
    if (range.kind === 'values' && isEachServed(table, column, range.values))
      return { column, values: range.values };
  return undefined;
}

/**
 * The lookup of folded texts; undefined where there is none, or where an index serves the source. A text that an index
 * finds by one of them has its fold, and so is found by no other one.
 */
export function lookedUpFolds(
  table: Table,
  source: RowSource,
  folded: ColumnRanges,
): ValueLookup | undefined {
  if (folded.size === 0 || isAnyServed(table, source)) return undefined;
  for (const [column, range] of folded)
    if (range.kind === 'values' && range.values.length > 1 && isFoldAskable(table, column, range))
      if (isEachServed(table, column, range.values)) return { column, values: range.values };
  return undefined;
}

/** The form of a stored value in which a lookup has it: of texts, the one in which their index has them. */
export function lookedUpForm(table: Table, column: Column, value: unknown): unknown {
  const fold = regularIndexOn(table, column)?.fold ?? null;
  return fold === null ? value : foldText(value as string, fold); // only indexes of texts have a fold
}

/** Whether an index finds the rows of a source at once, or one value after another. */
export function isAnyServed(table: Table, { ranges, terms = [] }: RowSource): boolean {
  const isRangeServed = [...ranges].some(([column, range]) => isServed(table, column, range));
  return (
    isRangeServed ||
    terms.some((term) => isTermServed(table, term)) ||
    lookedUpValues(table, ranges) !== undefined
  );
}

function isEachServed(table: Table, column: Column, values: readonly unknown[]): boolean {
  return values.length <= mostLookups && values.every((value) => isServed(table, column, onlyValue(value)));
}
