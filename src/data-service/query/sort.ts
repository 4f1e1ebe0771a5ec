// Sorts: this version knows none but the order of the primary key.
import type { JsonObject } from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import type { Table } from '../schema/table.js';

/** @throws ApiError scope SORT unless the sort is absent or empty */
export function refuseSort(sort: JsonObject | undefined, table: Table): void {
  if (sort === undefined || sort.size === 0) return;
  const columns = [...sort.keys()];
  const unknownColumns = columns.filter((name) => !table.columnsByName.has(name));
  if (unknownColumns.length > 0) {
    const allColumns = table.columns;
    throw apiError('sort', 'CANNOT_SORT_UNKNOWN_COLUMNS', { table: table.name, allColumns, unknownColumns });
  }
  throw apiError('sort', 'SORT_CLAUSE_INVALID', { columns });
}
