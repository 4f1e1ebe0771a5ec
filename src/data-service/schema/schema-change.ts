// A change of the schema, as an engine carries it out: wholly or not at all.
import type { JsonObject } from '../../foundation/json/json-value.js';
import type { ColumnEmbeddingService } from './embedding-service.js';
import type {
  Column,
  ColumnDefinition,
  IndexDefinition,
  Table,
  TableDefinition,
  TableIndex,
} from './table.js';

/** One change of the schema. The engine that carries it out gives what is new its ids. */
export type SchemaChange =
  /** Nothing happens where it exists. */
  | { readonly kind: 'createKeyspace'; readonly name: string; readonly replication: JsonObject }
  /** With everything in it. Nothing happens where it does not exist. */
  | { readonly kind: 'dropKeyspace'; readonly name: string }
  /** Refused with `schemaChanged` when the keyspace is gone or the name is taken. */
  | { readonly kind: 'createTable'; readonly keyspace: string; readonly definition: TableDefinition }
  /** These and the following are refused with `schemaChanged` when this very version of the table is gone. */
  | { readonly kind: 'dropTable'; readonly table: Table }
  /** `noRoom`: rows have no place for them. */
  | { readonly kind: 'addColumns'; readonly table: Table; readonly columns: readonly ColumnDefinition[] }
  /** Built before it is acknowledged; other writes wait. `unindexable`: zero vectors, for cosine. */
  | { readonly kind: 'createIndex'; readonly table: Table; readonly index: IndexDefinition }
  | { readonly kind: 'dropIndex'; readonly table: Table; readonly index: TableIndex }
  /**
   * Of vector columns; rows are not changed. `holdsVectors`: a column of `withoutVectors` has one in any row, for which
   * the rows may be looked through while writes wait.
   */
  | {
      readonly kind: 'changeEmbeddingServices';
      readonly table: Table;
      readonly services: ReadonlyMap<Column, ColumnEmbeddingService>;
      readonly withoutVectors: readonly Column[];
    }
  /** Values of the columns are gone, and with them rows that only updates made and that have no other. */
  | { readonly kind: 'dropColumns'; readonly table: Table; readonly columns: readonly Column[] };
