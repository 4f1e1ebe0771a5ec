// A change of the schema, as an engine carries it out: wholly or not at all.
import type { JsonObject } from '../../foundation/json/json-value.js';
import type { Table, TableDefinition } from './table.js';

/** One change of the schema. */
export type SchemaChange =
  /** Nothing happens where it exists. */
  | { readonly kind: 'createKeyspace'; readonly name: string; readonly replication: JsonObject }
  /** With everything in it. Nothing happens where it does not exist. */
  | { readonly kind: 'dropKeyspace'; readonly name: string }
  /** Refused with `schemaChanged` when the keyspace is gone or the name is taken. */
  | { readonly kind: 'createTable'; readonly keyspace: string; readonly definition: TableDefinition }
  /** Refused with `schemaChanged` when this very table is gone. */
  | { readonly kind: 'dropTable'; readonly table: Table };
