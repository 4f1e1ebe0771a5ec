// Changes of user-defined types → SQL: rows of the schema tables, and indexes on members. Stored values have the order
// of the fields, so they do not change.
import type { UserTypeDefinition } from '../../../column-types/column-type.js';
import { userDefinedOf } from '../../../column-types/user-types.js';
import type { Table, TableIndex } from '../../../schema/table.js';
import { renewedTriggers } from './member-statements.js';
import { newVersion } from './schema-lines.js';
import type { WriteStatement } from './write-statements.js';

/** The row of a new type. */
export function createTypeStatements(type: UserTypeDefinition): readonly WriteStatement[] {
  return [
    {
      sql: 'INSERT INTO user_types (keyspace, name, type) VALUES (?, ?, ?)',
      valueSets: [[type.keyspace, type.name, userDefinedOf(type).name]],
    },
  ];
}

/** The changed type, and the types of the columns that contain it. `tables` have these columns already. */
export function alterTypeStatements(
  type: UserTypeDefinition,
  tables: readonly Table[],
): readonly WriteStatement[] {
  return [
    {
      sql: 'UPDATE user_types SET type = ? WHERE keyspace = ? AND name = ?',
      valueSets: [[userDefinedOf(type).name, type.keyspace, type.name]],
    },
    ...tables.flatMap((table) => [
      {
        sql: 'UPDATE columns SET type = ? WHERE table_id = ? AND id = ?',
        valueSets: table.columns.map((column) => [column.type.name, table.id, column.id]),
      },
      ...table.indexes.flatMap((index) => triggersOf(type, table, index)),
      newVersion(table),
    ]),
  ];
}

/** The triggers of a container index name the type of its column; its entries have fields by their places alone. */
function triggersOf(
  { name }: UserTypeDefinition,
  table: Table,
  index: TableIndex,
): readonly WriteStatement[] {
  if (index.kind !== 'container') return [];
  const { members = [] } = index.column.type.container ?? {};
  return members.some(({ userType }) => userType?.name === name) ? renewedTriggers(table, index) : [];
}

/** Removes the row of the type. */
export function dropTypeStatements({ keyspace, name }: UserTypeDefinition): readonly WriteStatement[] {
  return [{ sql: 'DELETE FROM user_types WHERE keyspace = ? AND name = ?', valueSets: [[keyspace, name]] }];
}
