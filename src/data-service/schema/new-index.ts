// The name and the column of a new index, whatever its kind (wire: createIndex).
import { apiError } from '../errors/api-error.js';
import { indexNamed, type Keyspace } from './keyspace.js';
import type { Column, IndexDefinition, Table, TableIndex } from './table.js';

/**
 * The name and the column of a new index; null if one of that name exists and that is not an error. `sameOn` finds an
 * index with the same function.
 * @throws ApiError CANNOT_ADD_EXISTING_INDEX for a name that is taken, or an index with the same function
 */
export function newIndex(
  name: string,
  column: Column,
  ifNotExists: boolean,
  sameOn: (table: Table, column: Column) => TableIndex | undefined,
  { keyspace, table }: { readonly keyspace: Keyspace; readonly table: Table },
): Pick<IndexDefinition, 'name' | 'column'> | null {
  const existing = indexNamed(keyspace, name);
  if (existing !== undefined && ifNotExists) return null;
  const inTheWay = existing?.index ?? sameOn(table, column);
  if (inTheWay !== undefined) {
    throw apiError('schema', 'CANNOT_ADD_EXISTING_INDEX', {
      name,
      existing: inTheWay.name,
      column: inTheWay.column,
      table: existing?.table.name ?? table.name,
      isBuilding: inTheWay.isBuilding === true,
    });
  }
  return { name, column };
}
