// Normalizes the texts of a filter as the indexes do (differences: index options act on $eq $ne $in $nin).
import { foldText, isExact } from '../column-types/text-fold.js';
import { regularIndexOn, type Table } from '../schema/table.js';
import type { Comparison, Filter } from './filter.js';
import { fixesPartition } from './fixes-partition.js';

/** The filter with the folds of the table's indexes. Inside one partition the key is compared without a fold. */
export function foldFilter(filter: Filter, table: Table): Filter {
  const hasFolds = table.indexes.some(
    (index) => index.kind === 'regular' && index.fold !== null && !isExact(index.fold),
  );
  return hasFolds ? foldPart(filter, table, fixesPartition(filter, table)) : filter;
}

function foldPart(filter: Filter, table: Table, isInPartition: boolean): Filter {
  if (filter.kind === 'comparison') return foldComparison(filter, table, isInPartition);
  return { kind: filter.kind, filters: filter.filters.map((part) => foldPart(part, table, isInPartition)) };
}

function foldComparison(comparison: Comparison, table: Table, isInPartition: boolean): Comparison {
  const { column, operator, operands } = comparison;
  const fold = regularIndexOn(table, column)?.fold ?? null;
  if (fold === null || isExact(fold) || operator.isRange) return comparison;
  if (isInPartition && table.keyColumns.includes(column)) return comparison;
  // Only text columns have folds.
  return { ...comparison, fold, operands: operands.map((operand) => foldText(operand as string, fold)) };
}
