// A change of the schema, which an engine makes completely or not at all.
import type { JsonObject } from '../../foundation/json/json-value.js';
import type { UserTypeDefinition } from '../column-types/column-type.js';
import type { ColumnEmbeddingService } from './embedding-service.js';
import type {
  Column,
  ColumnDefinition,
  IndexDefinition,
  Table,
  TableDefinition,
  TableIndex,
} from './table.js';

/** One change of the schema. The engine assigns the ids of new tables, columns and indexes. */
export type SchemaChange =
  /** Does nothing if it exists. */
  | { readonly kind: 'createKeyspace'; readonly name: string; readonly replication: JsonObject }
  /** With all its tables. Does nothing if it does not exist. */
  | { readonly kind: 'dropKeyspace'; readonly name: string }
  /** Refused with `schemaChanged` if the keyspace was dropped or the name is in use. */
  | { readonly kind: 'createTable'; readonly keyspace: string; readonly definition: TableDefinition }
  /**
   * This and the following changes are refused with `schemaChanged` if this version of the table is not the present
   * one.
   */
  | { readonly kind: 'dropTable'; readonly table: Table }
  /** `noRoom`: rows have no room for them. */
  | { readonly kind: 'addColumns'; readonly table: Table; readonly columns: readonly ColumnDefinition[] }
  /** Built before it is acknowledged. `unindexable`: rows have vectors that it cannot contain. */
  | { readonly kind: 'createIndex'; readonly table: Table; readonly index: IndexDefinition }
  | { readonly kind: 'dropIndex'; readonly table: Table; readonly index: TableIndex }
  /**
   * For vector columns; rows are not changed. `holdsVectors`: a row has a vector in a column of `withoutVectors`;
   * writes may wait while the rows are checked for that.
   */
  | {
      readonly kind: 'changeEmbeddingServices';
      readonly table: Table;
      readonly services: ReadonlyMap<Column, ColumnEmbeddingService>;
      readonly withoutVectors: readonly Column[];
    }
  /** This and the following changes are refused with `schemaChanged` if the present types or tables are others. */
  | { readonly kind: 'createType'; readonly type: UserTypeDefinition }
  /** Stored values keep their fields in order: `after` has all of them, some with other names, and perhaps more. */
  | { readonly kind: 'alterType'; readonly before: UserTypeDefinition; readonly after: UserTypeDefinition }
  | { readonly kind: 'dropType'; readonly type: UserTypeDefinition }
  /** Deletes the values of the columns, and rows that only updates created and that have no other values. */
  | { readonly kind: 'dropColumns'; readonly table: Table; readonly columns: readonly Column[] };
