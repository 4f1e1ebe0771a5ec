// A filter in the form for engines: comparisons of columns with values, joined by "and" and "or".
import { foldText, type TextFold } from '../column-types/text-fold.js';
import type { Column, Table } from '../schema/table.js';
import type { Analyzer } from '../text-analysis/analyzer.js';
import type { FilterOperator } from './filter-operators.js';

/** A column compared with values. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly column: Column;
  readonly operator: FilterOperator;
  /** Texts are compared in the form of the column's index; the operands already have this form. */
  readonly fold?: TextFold;
  /** For `$match`: the value is compared as the list of its tokens, and the operands are tokens. */
  readonly analyzer?: Analyzer;
  /** Values of the column's type, never null: one, or any number for a list operator. */
  readonly operands: readonly unknown[];
}

/**
 * There is no "not": it is replaced by negated operators. An empty "and" matches every row, an empty "or" (a negated
 * empty "and") matches none.
 */
export type Filter =
  | Comparison
  | { readonly kind: 'and'; readonly filters: readonly Filter[] }
  | { readonly kind: 'or'; readonly filters: readonly Filter[] };

/** The filter that matches every row. */
export const matchAll: Filter = { kind: 'and', filters: [] };

/** Whether the filter matches every row. */
export function matchesAll(filter: Filter): boolean {
  return filter.kind === 'and' && filter.filters.every(matchesAll);
}

/** The reference meaning of a filter. `valueOfColumn` returns null for a missing value. */
export function matchesFilter(filter: Filter, valueOfColumn: (column: Column) => unknown): boolean {
  switch (filter.kind) {
    case 'comparison': {
      const { column, operator, operands } = filter;
      const value = valueOfColumn(column);
      return operator.matches(column.type, value === null ? value : comparedForm(filter, value), operands);
    }
    case 'and':
      return filter.filters.every((part) => matchesFilter(part, valueOfColumn));
    case 'or':
      return filter.filters.some((part) => matchesFilter(part, valueOfColumn));
  }
}

/** The form of a value that is compared. Only texts have other forms. */
export function comparedForm(
  { fold, analyzer }: Pick<Comparison, 'fold' | 'analyzer'>,
  value: unknown,
): unknown {
  if (analyzer !== undefined) return analyzer.analyze(value as string);
  return fold === undefined ? value : foldText(value as string, fold);
}

/** All comparisons, in the order of the command. */
export function comparisonsOf(filter: Filter, found: Comparison[] = []): readonly Comparison[] {
  if (filter.kind === 'comparison') found.push(filter);
  else for (const part of filter.filters) comparisonsOf(part, found);
  return found;
}

/** The comparisons that must all be true, if the filter has no others; undefined if an "or" has several branches. */
export function conjunctionOf(filter: Filter): readonly Comparison[] | undefined {
  return hasChoice(filter) ? undefined : comparisonsOf(filter);
}

/** The comparisons that must all be true, whatever else the filter contains. */
export function requiredOf(filter: Filter, found: Comparison[] = []): readonly Comparison[] {
  if (filter.kind === 'comparison') found.push(filter);
  else if (filter.kind === 'and' || filter.filters.length === 1)
    for (const part of filter.filters) requiredOf(part, found);
  return found;
}

/** Whether a filter selects rows of one partition only: every partition column must equal one value. */
export function fixesPartition(filter: Filter, table: Table): boolean {
  const comparisons = requiredOf(filter);
  return table.partitionKey.every((key) =>
    comparisons.some(({ column, operator }) => column === key && operator.name === '$eq'),
  );
}

function hasChoice(filter: Filter): boolean {
  if (filter.kind === 'comparison') return false;
  return (filter.kind === 'or' && filter.filters.length !== 1) || filter.filters.some(hasChoice);
}
