// What a read is warned of (wire: How a SELECT is judged).
import { type ApiError, apiError } from '../errors/api-error.js';
import { type Column, indexOn, type Table } from '../schema/table.js';
import { type Comparison, comparisonsOf, type Filter } from './filter.js';

/** The warnings for a read with this filter, in the order of the rules. */
export function readWarnings(filter: Filter, table: Table): readonly ApiError[] {
  const comparisons = comparisonsOf(filter);
  if (comparisons.length === 0) return [apiError('warning', 'ZERO_FILTER_OPERATIONS', { table: table.name })];
  const columns = new Set(comparisons.map(({ column }) => column));
  if (comparisons.every(({ column }) => table.keyColumns.includes(column))) {
    const missing = missingKeyColumns(columns, table);
    if (missing.length === 0) return [];
    return [apiError('warning', 'INCOMPLETE_PRIMARY_KEY_FILTER', { primaryKey: table.keyColumns, missing })];
  }
  const unindexed = table.columns.filter(
    (column) => columns.has(column) && indexOn(table, column) === undefined,
  );
  if (unindexed.length > 0) return [apiError('warning', 'MISSING_INDEX', { columns: unindexed })];
  return inefficientUses(comparisons);
}

/** Uses of an index that Cassandra does not serve by it, a warning for each kind. */
function inefficientUses(comparisons: readonly Comparison[]): readonly ApiError[] {
  const used = (isUse: (comparison: Comparison) => boolean) => [
    ...new Set(comparisons.filter((comparison) => isUse(comparison)).map(({ column }) => column)),
  ];
  const isEqualityOnly = ({ column }: Comparison) => column.type.traits.index === 'equality';
  const kinds = [
    ['NOT_EQUALS_UNSUPPORTED_BY_INDEXING', used((one) => isEqualityOnly(one) && one.operator.name === '$ne')],
    ['COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING', used((one) => isEqualityOnly(one) && one.operator.isRange)],
    [
      'NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING',
      used((one) => isEqualityOnly(one) && one.operator.name === '$nin'),
    ],
  ] as const;
  return kinds.flatMap(([code, columns]) =>
    columns.length === 0 ? [] : [apiError('warning', code, { columns })],
  );
}

/** Partition columns that are not filtered on, and clustering columns that are skipped. */
function missingKeyColumns(filtered: ReadonlySet<Column>, table: Table): readonly Column[] {
  const lastFiltered = table.keyColumns.findLastIndex((column) => filtered.has(column));
  return table.keyColumns.filter(
    (column, at) => !filtered.has(column) && (at < lastFiltered || table.partitionKey.includes(column)),
  );
}
