// Keyspaces with their tables and user-defined types, and the schema of all of them.
import type { JsonObject } from '../../foundation/json/json-value.js';
import type { UserTypeDefinition } from '../column-types/column-type.js';
import { userTypesIn } from '../column-types/replace-user-type.js';
import { apiError } from '../errors/api-error.js';
import type { ReservedFor } from '../errors/new-collection-errors.js';
import type { Table, TableIndex } from './table.js';

/** A keyspace with its tables and user-defined types. */
export interface Keyspace {
  readonly name: string;
  /** The replication that was given at creation; it has no effect on one machine. */
  readonly replication: JsonObject;
  /** By name, in order of creation. */
  readonly tables: ReadonlyMap<string, Table>;
  /** The collections whose creation has not ended, by name. Only deleteCollection knows them. Absent: none. */
  readonly unfinished?: ReadonlyMap<string, Table>;
  /** By name, ascending. */
  readonly userTypes: ReadonlyMap<string, UserTypeDefinition>;
  /**
   * Names of tables of an engine's storage that commands neither show nor change nor make. Some need not exist yet.
   * Absent: none.
   */
  readonly reserved?: ReadonlyMap<string, ReservedFor>;
  /** Why its tables cannot be used now. Absent: they can. */
  readonly problem?: string;
}

/** An index and its table. */
export interface PlacedIndex {
  readonly table: Table;
  readonly index: TableIndex;
}

/** A snapshot of all keyspaces; a change creates a new one. */
export interface Schema {
  /** By name, in order of creation. */
  readonly keyspaces: ReadonlyMap<string, Keyspace>;
}

/** @throws ApiError TABLE_RESERVED if the name is one that the engine reserves */
export function refuseReserved({ name: keyspace, reserved }: Keyspace, name: string): void {
  const reservedFor = reserved?.get(name);
  if (reservedFor !== undefined)
    throw apiError('schema', 'TABLE_RESERVED', { keyspace, table: name, reservedFor });
}

/** The index of that name and its table: names are unique in a keyspace. */
export function indexNamed({ tables }: Keyspace, name: string): PlacedIndex | undefined {
  for (const table of tables.values()) {
    const index = table.indexes.find((each) => each.name === name);
    if (index !== undefined) return { table, index };
  }
  return undefined;
}

/** The tables with columns of a user-defined type, also inside lists, sets and maps, in order of creation. */
export function tablesWithUserType({ tables }: Keyspace, typeName: string): readonly Table[] {
  return [...tables.values()].filter(({ columns }) =>
    columns.some(({ type }) => userTypesIn(type).some(({ name }) => name === typeName)),
  );
}

/** The user-defined types in order of their names. */
export function inOrderOfNames(
  userTypes: Iterable<UserTypeDefinition>,
): ReadonlyMap<string, UserTypeDefinition> {
  const sorted = [...userTypes].sort((left, right) => (left.name < right.name ? -1 : 1));
  return new Map(sorted.map((type) => [type.name, type]));
}
