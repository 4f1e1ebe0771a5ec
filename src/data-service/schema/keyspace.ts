// Keyspaces, and the schema of all of them.
import type { JsonObject } from '../../foundation/json/json-value.js';
import type { Table, TableIndex } from './table.js';

/** A keyspace with its tables. */
export interface Keyspace {
  readonly name: string;
  /** As given at creation; has no effect on one machine. */
  readonly replication: JsonObject;
  /** By name, in order of creation. */
  readonly tables: ReadonlyMap<string, Table>;
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

/** The index of that name and its table: names are unique in a keyspace. */
export function indexNamed({ tables }: Keyspace, name: string): PlacedIndex | undefined {
  for (const table of tables.values()) {
    const index = table.indexes.find((each) => each.name === name);
    if (index !== undefined) return { table, index };
  }
  return undefined;
}
