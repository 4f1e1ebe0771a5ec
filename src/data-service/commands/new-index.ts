// The identity of a new index, whatever its kind (wire: createIndex).
import { apiError } from '../errors/api-error.js';
import { indexNamed } from '../schema/keyspace.js';
import { type Column, indexOn, type TableIndex } from '../schema/table.js';
import type { TableContext } from './command.js';

/**
 * The identity of an index to make; null where one of that name exists and that is no error.
 * @throws ApiError CANNOT_ADD_EXISTING_INDEX for a name or a column that has one
 */
export function newIndex(
  name: string,
  column: Column,
  ifNotExists: boolean,
  { keyspace, table }: TableContext,
): Pick<TableIndex, 'id' | 'name' | 'column'> | null {
  const existing = indexNamed(keyspace, name);
  if (existing !== undefined && ifNotExists) return null;
  const inTheWay = existing?.index ?? indexOn(table, column);
  if (inTheWay !== undefined) {
    throw apiError('schema', 'CANNOT_ADD_EXISTING_INDEX', {
      name,
      existing: inTheWay.name,
      column: inTheWay.column,
      table: existing?.table.name ?? table.name,
    });
  }
  // Every change of indexes makes a new version: no id comes again, and what is left of an old index fits no new one.
  return { id: Math.max(table.version, ...table.indexes.map(({ id }) => id)) + 1, name, column };
}
