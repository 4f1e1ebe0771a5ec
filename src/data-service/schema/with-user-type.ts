// A table after a change of a user-defined type of its columns.
import type { UserTypeDefinition } from '../column-types/column-type.js';
import { replaceUserType } from '../column-types/replace-user-type.js';
import { type Table, withChangedColumns } from './table.js';

/** The next version of the table, after a change of a user-defined type. */
export function withUserType(table: Table, before: UserTypeDefinition, after: UserTypeDefinition): Table {
  return withChangedColumns(table, (column) => {
    const type = replaceUserType(column.type, before, after);
    return type === column.type ? column : { ...column, type };
  });
}
