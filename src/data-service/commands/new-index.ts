// The name and the column of a new index, whatever its kind (wire: createIndex).
import { apiError } from '../errors/api-error.js';
import { indexNamed } from '../schema/keyspace.js';
import type { Column, IndexDefinition, TableIndex } from '../schema/table.js';
import type { TableContext } from './command.js';

/**
 * The kind, name and column of a new index; null if one of that name exists and that is not an error.
 * @throws ApiError CANNOT_ADD_EXISTING_INDEX for a name that has one, or a column that has one of this kind
 */
export function newIndex<Kind extends TableIndex['kind']>(
  kind: Kind,
  name: string,
  column: Column,
  ifNotExists: boolean,
  { keyspace, table }: TableContext,
): (Pick<IndexDefinition, 'name' | 'column'> & { readonly kind: Kind }) | null {
  const existing = indexNamed(keyspace, name);
  if (existing !== undefined && ifNotExists) return null;
  const inTheWay =
    existing?.index ?? table.indexes.find((index) => index.kind === kind && index.column === column);
  if (inTheWay !== undefined) {
    throw apiError('schema', 'CANNOT_ADD_EXISTING_INDEX', {
      name,
      existing: inTheWay.name,
      column: inTheWay.column,
      table: existing?.table.name ?? table.name,
    });
  }
  return { kind, name, column };
}
