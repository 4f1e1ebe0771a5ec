// What a read is warned of (wire: How a SELECT is judged).
import { type ApiError, apiError } from '../errors/api-error.js';
import type { Column, Table } from '../schema/table.js';
import { comparisonsOf, type Filter } from './filter.js';

/** The warnings for a read with this filter, in the order of the rules. */
export function readWarnings(filter: Filter, table: Table): readonly ApiError[] {
  const comparisons = comparisonsOf(filter);
  if (comparisons.length === 0) return [apiError('warning', 'ZERO_FILTER_OPERATIONS', { table: table.name })];
  const columns = new Set(comparisons.map(({ column }) => column));
  if (comparisons.some(({ column }) => !table.keyColumns.includes(column))) {
    return [
      apiError('warning', 'MISSING_INDEX', {
        columns: table.columns.filter((column) => columns.has(column)),
      }),
    ];
  }
  const missing = missingKeyColumns(columns, table);
  if (missing.length === 0) return [];
  return [apiError('warning', 'INCOMPLETE_PRIMARY_KEY_FILTER', { primaryKey: table.keyColumns, missing })];
}

/** Partition columns that are not filtered on, and clustering columns that are skipped. */
function missingKeyColumns(filtered: ReadonlySet<Column>, table: Table): readonly Column[] {
  const lastFiltered = table.keyColumns.findLastIndex((column) => filtered.has(column));
  return table.keyColumns.filter(
    (column, at) => !filtered.has(column) && (at < lastFiltered || table.partitionKey.includes(column)),
  );
}
