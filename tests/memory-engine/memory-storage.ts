// The schema and the rows of every table. Every method finishes before it returns, so that calls cannot meet.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { isZeroVector } from '../../src/data-service/column-types/vector.js';
import {
  heldVectors,
  refusesZeroVectors,
  unindexableRows,
} from '../../src/data-service/engine/refused-changes.js';
import type { Schema } from '../../src/data-service/schema/keyspace.js';
import type { SchemaChange } from '../../src/data-service/schema/schema-change.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { storedValue } from './ordered-rows.js';
import { keyspaceOf, schemaAfter } from './schema-after.js';
import { TableRows } from './table-rows.js';

/** Holds everything that is stored. It begins without keyspaces. */
export class MemoryStorage {
  readonly #dialect: Dialect;
  #schema: Schema = { keyspaces: new Map() };
  /** By the ids of tables, which are never used again. */
  readonly #rows = new Map<number, TableRows>();
  #lastTableId = 0;

  /** `dialect`: the one in which new columns get their types. */
  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** The present schema. */
  get schema(): Schema {
    return this.#schema;
  }

  /** The rows of a table. @throws EngineError `schemaChanged` if this version of the table is not the present one */
  rowsOf(table: Table): TableRows {
    keyspaceOf(this.#schema, table);
    const known = this.#rows.get(table.id);
    if (known !== undefined) return known;
    const rows = new TableRows(table);
    this.#rows.set(table.id, rows);
    return rows;
  }

  /** Makes a change completely or not at all. @throws EngineError `schemaChanged`, `unindexable`, `holdsVectors` */
  changeSchema(change: SchemaChange): void {
    this.#lastTableId += 1;
    const next = schemaAfter(this.#schema, change, this.#lastTableId, this.#dialect);
    if (change.kind === 'createIndex') this.#refuseUnindexable(change);
    if (change.kind === 'changeEmbeddingServices') this.#refuseHeldVectors(change);
    const rows = change.kind === 'dropColumns' ? this.rowsOf(change.table) : undefined;
    this.#schema = next;
    const tables = [...next.keyspaces.values()].flatMap((keyspace) => [...keyspace.tables.values()]);
    const present = new Map(tables.map((table) => [table.id, table]));
    for (const id of this.#rows.keys()) if (!present.has(id)) this.#rows.delete(id);
    if (change.kind !== 'dropColumns') return;
    rows?.dropColumns(present.get(change.table.id) ?? change.table, change.columns);
  }

  #refuseUnindexable({ table, index }: Extract<SchemaChange, { kind: 'createIndex' }>): void {
    const { column } = index;
    const most = index.kind === 'text' ? index.analyzer.mostCharacters : Number.POSITIVE_INFINITY;
    const isRefused = (value: unknown) =>
      refusesZeroVectors(index)
        ? value instanceof Float32Array && isZeroVector(value)
        : String(value).length > most;
    const rows = this.rowsOf(table).rows.all.filter((row) => isRefused(storedValue(row, column)));
    if (rows.length === 0) return;
    const keys = rows.map((row) => table.keyColumns.map((each) => storedValue(row, each)));
    throw index.kind === 'text'
      ? unindexableRows(table, index, keys, `texts of more than ${most} characters`)
      : unindexableRows(table, index, keys);
  }

  #refuseHeldVectors({
    table,
    withoutVectors,
  }: Extract<SchemaChange, { kind: 'changeEmbeddingServices' }>): void {
    const rows = this.rowsOf(table).rows.all;
    const held = withoutVectors.find((column) => rows.some((row) => storedValue(row, column) !== null));
    if (held !== undefined) throw heldVectors(table, held);
  }
}
