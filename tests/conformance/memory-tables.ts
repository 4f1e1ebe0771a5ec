// Keyspaces, tables and rows in memory, as the engines of tests keep them.

import { isZeroVector } from '../../src/data-service/column-types/vector.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { refusesZeroVectors, unindexableRows } from '../../src/data-service/engine/refused-changes.js';
import { matchesFilter } from '../../src/data-service/query/filter.js';
import type { RowValues } from '../../src/data-service/query/read.js';
import {
  type ChangePlan,
  type ColumnChange,
  changedValue,
  type DeletePlan,
  type InsertPlan,
} from '../../src/data-service/query/write.js';
import { indexNamed, type Keyspace, type Schema } from '../../src/data-service/schema/keyspace.js';
import type { Assignments } from '../../src/data-service/schema/parse-row.js';
import type { SchemaChange } from '../../src/data-service/schema/schema-change.js';
import { makeTable, type Table, withIndexes } from '../../src/data-service/schema/table.js';

/** A row as it is remembered: values by column id, without the missing ones. */
export interface StoredRow {
  readonly values: Map<number, unknown>;
  /** Whether an insert made it: then it stays when its last value goes. */
  isInserted: boolean;
}

/** Where the rows of one table are. */
export interface RowStore {
  find(key: RowValues): StoredRow | undefined;
  add(key: RowValues, row: StoredRow): void;
  remove(rows: ReadonlySet<StoredRow>): void;
  all(): Iterable<StoredRow>;
}

/** What a row has in some columns; null for a missing value. */
export function valuesOf({ values }: StoredRow, columns: Table['columns']): RowValues {
  return columns.map(({ id }) => values.get(id) ?? null);
}

/** The tables of an engine; each has a store of its own. Every method does its work before it returns. */
export class MemoryTables<Store extends RowStore> {
  readonly #makeStore: (table: Table) => Store;
  readonly #keyspaces = new Map<string, Keyspace>();
  /** By the ids of tables. */
  readonly #stores = new Map<number, Store>();
  #lastTableId = 0;

  constructor(makeStore: (table: Table) => Store) {
    this.#makeStore = makeStore;
  }

  schema(): Schema {
    return { keyspaces: new Map(this.#keyspaces) };
  }

  /** @throws EngineError `schemaChanged` where the table is gone or changed */
  storeOf({ keyspace, name, id, version }: Table): Store {
    const present = this.#keyspaces.get(keyspace)?.tables.get(name);
    const store = this.#stores.get(id);
    if (present?.id === id && present.version === version && store !== undefined) return store;
    throw changed();
  }

  insert({ table, rows }: InsertPlan): void {
    const store = this.storeOf(table);
    for (const row of rows) {
      const key = table.keyColumns.map((column) => row.values[row.columns.indexOf(column)]);
      const found = store.find(key) ?? addRow(store, table, key);
      found.isInserted = true;
      assign(found, row);
    }
  }

  change({ table, key, changes }: ChangePlan): void {
    const store = this.storeOf(table);
    const found = store.find(key) ?? (makesRow(changes) ? addRow(store, table, key) : undefined);
    if (found === undefined) return;
    for (const change of changes) {
      const value = changedValue(change, found.values.get(change.column.id) ?? null);
      assign(found, { columns: [change.column], values: [value] });
    }
    const isBare = found.values.size === table.keyColumns.length;
    if (isBare && !found.isInserted) store.remove(new Set([found]));
  }

  delete({ table, filter }: DeletePlan): void {
    const store = this.storeOf(table);
    const matching = [...store.all()].filter(({ values }) =>
      matchesFilter(filter, ({ id }) => values.get(id) ?? null),
    );
    store.remove(new Set(matching));
  }

  changeSchema(change: SchemaChange): void {
    switch (change.kind) {
      case 'createKeyspace': {
        const { name, replication } = change;
        if (!this.#keyspaces.has(name))
          this.#keyspaces.set(name, { name, replication, tables: new Map(), userTypes: new Map() });
        return;
      }
      case 'dropKeyspace':
        this.#keyspaces.delete(change.name);
        return;
      case 'createTable': {
        const keyspace = this.#keyspaces.get(change.keyspace);
        if (keyspace === undefined || keyspace.tables.has(change.definition.name)) throw changed();
        this.#lastTableId += 1;
        const identity = { id: this.#lastTableId, version: 1, keyspace: keyspace.name };
        const table = makeTable(identity, change.definition);
        this.#stores.set(table.id, this.#makeStore(table));
        this.#put(keyspace, table);
        return;
      }
      case 'dropTable': {
        const { id, name, keyspace: keyspaceName } = change.table;
        const keyspace = this.#keyspaces.get(keyspaceName);
        if (keyspace === undefined || keyspace.tables.get(name)?.id !== id) throw changed();
        const tables = new Map(keyspace.tables);
        tables.delete(name);
        this.#keyspaces.set(keyspaceName, { ...keyspace, tables });
        return;
      }
      case 'createIndex':
      case 'dropIndex':
        this.#changeIndexes(change);
        return;
      case 'addColumns':
      case 'dropColumns':
      case 'changeEmbeddingServices':
      case 'createType':
      case 'alterType':
      case 'dropType':
        throw new TypeError('the engine suite changes no columns');
    }
  }

  #changeIndexes(change: Extract<SchemaChange, { kind: 'createIndex' | 'dropIndex' }>): void {
    const { table } = change;
    const keyspace = this.#keyspaces.get(table.keyspace);
    const isTaken = keyspace !== undefined && indexNamed(keyspace, change.index.name) !== undefined;
    const isNew = change.kind === 'createIndex';
    if (keyspace?.tables.get(table.name) !== table || isTaken === isNew) throw changed();
    if (isNew) refuseZeroVectors(this.storeOf(table).all(), change);
    const indexes = isNew
      ? [...table.indexes, { ...change.index, id: table.version + 1 }]
      : table.indexes.filter((each) => each !== change.index);
    this.#put(keyspace, withIndexes(table, indexes));
  }

  #put(keyspace: Keyspace, table: Table): void {
    const tables = new Map([...keyspace.tables, [table.name, table]]);
    this.#keyspaces.set(keyspace.name, { ...keyspace, tables });
  }
}

/** The engine's methods that the tables carry out, each under `call`, which may make it late or refuse it. */
export function writesOf(
  tables: MemoryTables<RowStore>,
  call: <Result>(work: () => Result) => Promise<Result>,
): Pick<Engine, 'insertRows' | 'changeRow' | 'deleteRows'> {
  return {
    insertRows: (plan) =>
      call(() => {
        tables.insert(plan);
        return { rows: plan.rows.map(() => null) };
      }),
    changeRow: (plan) => call(() => tables.change(plan)),
    deleteRows: (plan) => call(() => tables.delete(plan)),
  };
}

function makesRow(changes: readonly ColumnChange[]): boolean {
  return changes.some((change) => changedValue(change, null) !== null);
}

function addRow(store: RowStore, { keyColumns }: Table, key: RowValues): StoredRow {
  const row = { values: new Map(keyColumns.map(({ id }, at) => [id, key[at]])), isInserted: false };
  store.add(key, row);
  return row;
}

function assign({ values }: StoredRow, { columns, values: assigned }: Assignments): void {
  for (const [at, { id }] of columns.entries()) {
    const value = assigned[at] ?? null;
    if (value === null) values.delete(id);
    else values.set(id, value);
  }
}

function refuseZeroVectors(
  rows: Iterable<StoredRow>,
  { table, index }: Extract<SchemaChange, { kind: 'createIndex' }>,
): void {
  if (!refusesZeroVectors(index)) return;
  const keys = [...rows]
    .filter(({ values }) => {
      const vector = values.get(index.column.id);
      return vector instanceof Float32Array && isZeroVector(vector);
    })
    .map((row) => valuesOf(row, table.keyColumns));
  if (keys.length > 0) throw unindexableRows(table, index, keys);
}

function changed(): EngineError {
  return new EngineError('schemaChanged', 'the table changed');
}
