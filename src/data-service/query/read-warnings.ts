// The warnings of reads (wire: How a SELECT is judged).
import { type ApiError, apiError } from '../errors/api-error.js';
import { type Column, containerIndexOn, regularIndexOn, type Table } from '../schema/table.js';
import {
  type Comparison,
  comparedColumns,
  comparisonsByKind,
  type Filter,
  isFoldServed,
  type MemberComparison,
} from './filter.js';
import type { FilterOperator } from './filter-operators.js';

/** The warnings for a read with this filter: those about values in the order of the rules, then that about members. */
export function readWarnings(filter: Filter, table: Table): readonly ApiError[] {
  const { values, members } = comparisonsByKind(filter);
  if (members.length === 0) return valueWarnings(values, table);
  return [...(values.length === 0 ? [] : valueWarnings(values, table)), ...memberWarnings(members, table)];
}

/** Columns whose members are compared need an index on the part that is compared. */
function memberWarnings(comparisons: readonly MemberComparison[], table: Table): readonly ApiError[] {
  const unindexed = comparisons.filter(
    ({ column, part }) => containerIndexOn(table, column, part) === undefined,
  );
  const columns = table.columns.filter((each) => unindexed.some(({ column }) => column === each));
  return columns.length === 0 ? [] : [apiError('warning', 'MISSING_INDEX', { columns })];
}

function valueWarnings(all: readonly Comparison[], table: Table): readonly ApiError[] {
  if (all.length === 0) return [apiError('warning', 'ZERO_FILTER_OPERATIONS', { table: table.name })];
  // A text search always has its index.
  const comparisons = all.every(isOfValues) ? all : all.filter(isOfValues);
  if (comparisons.length === 0) return [];
  const columns = new Set(comparisons.map(({ column }) => column));
  if (comparisons.every(({ column }) => table.keyColumns.includes(column))) {
    const missing = missingKeyColumns(columns, table);
    if (missing.length === 0) return [];
    return [apiError('warning', 'INCOMPLETE_PRIMARY_KEY_FILTER', { primaryKey: table.keyColumns, missing })];
  }
  const unindexed = table.columns.filter(
    (column) => columns.has(column) && regularIndexOn(table, column) === undefined,
  );
  if (unindexed.length > 0) return [apiError('warning', 'MISSING_INDEX', { columns: unindexed })];
  const inefficient = inefficientUses(comparisons);
  return comparisons.some(isFolded) ? [...unservedFolds(comparisons, table), ...inefficient] : inefficient;
}

/** Engines have indexes that do not find every text that is equal after its fold. */
function unservedFolds(comparisons: readonly Comparison[], table: Table): readonly ApiError[] {
  const unserved = comparisons.filter(
    (comparison) =>
      isFolded(comparison) &&
      ['$eq', '$in'].includes(comparison.operator.name) &&
      !isFoldServed(regularIndexOn(table, comparison.column)?.servedFolds, comparison),
  );
  if (unserved.length === 0) return [];
  const columns = [...new Set(unserved.map(({ column }) => column))];
  return [apiError('warning', 'EQUALITY_FILTER_UNSUPPORTED_BY_INDEXING', { columns })];
}

const isFolded = ({ fold }: Comparison) => fold !== undefined;

const isOfValues = ({ analyzer }: Comparison) => analyzer === undefined;

/** The warnings for a vector search with this filter; a search without a filter is fast and has none. */
export function searchWarnings(filter: Filter, table: Table): readonly ApiError[] {
  return comparedColumns(filter).length === 0 ? [] : readWarnings(filter, table);
}

/** Uses of an index that Cassandra does not support, with a warning for each kind. */
function inefficientUses(comparisons: readonly Comparison[]): readonly ApiError[] {
  if (!comparisons.some(mayBeInefficient)) return [];
  const served = comparisons.filter(({ column }) => column.type.traits.index === 'equality');
  const used = (isUse: (operator: FilterOperator) => boolean) => [
    ...new Set(served.filter(({ operator }) => isUse(operator)).map(({ column }) => column)),
  ];
  const unequal = used(({ name }) => name === '$ne');
  const compared = used(({ isRange }) => isRange);
  const excluded = used(({ name }) => name === '$nin');
  return [
    ...(unequal.length === 0
      ? []
      : [apiError('warning', 'NOT_EQUALS_UNSUPPORTED_BY_INDEXING', { columns: unequal })]),
    ...(compared.length === 0
      ? []
      : [apiError('warning', 'COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING', { columns: compared })]),
    ...(excluded.length === 0
      ? []
      : [apiError('warning', 'NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING', { columns: excluded })]),
  ];
}

function mayBeInefficient({ operator: { name, isRange } }: Comparison): boolean {
  return isRange || name === '$ne' || name === '$nin';
}

/** Partition columns without a comparison, and skipped clustering columns. */
function missingKeyColumns(filtered: ReadonlySet<Column>, table: Table): readonly Column[] {
  const lastFiltered = table.keyColumns.findLastIndex((column) => filtered.has(column));
  return table.keyColumns.filter(
    (column, at) => !filtered.has(column) && (at < lastFiltered || table.partitionKey.includes(column)),
  );
}
