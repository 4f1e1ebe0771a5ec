// A table after a change of a user-defined type of its columns.
import type { UserTypeDefinition } from '../column-types/column-type.js';
import { replaceUserType } from '../column-types/replace-user-type.js';
import { changedTable, type Table } from './table.js';

/** The next version of the table, after a change of a user-defined type. */
export function withUserType(table: Table, before: UserTypeDefinition, after: UserTypeDefinition): Table {
  const columns = table.columns.map((column) => {
    const type = replaceUserType(column.type, before, after);
    return type === column.type ? column : { ...column, type };
  });
  const changed = new Map(table.columns.map((column, at) => [column, columns[at] ?? column]));
  const indexes = table.indexes.map((index) => ({
    ...index,
    column: changed.get(index.column) ?? index.column,
  }));
  return changedTable(table, { columns, indexes });
}
