// An engine in memory that leaves every read undone: what comes out right with it, `finishRead` did.
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { refusesZeroVectors, unindexableRows } from '../../src/data-service/engine/unindexable-rows.js';
import { matchesFilter } from '../../src/data-service/query/filter.js';
import type { RowValues } from '../../src/data-service/query/read.js';
import { type ColumnChange, changedValue } from '../../src/data-service/query/write.js';
import { indexNamed, type Keyspace } from '../../src/data-service/schema/keyspace.js';
import type { Assignments } from '../../src/data-service/schema/parse-row.js';
import type { SchemaChange } from '../../src/data-service/schema/schema-change.js';
import { makeTable, type Table, withIndexes } from '../../src/data-service/schema/table.js';
import { isZeroVector } from '../../src/data-service/schema/vector-index.js';

/** A row as it is remembered: values by column id, without the missing ones. */
interface StoredRow {
  readonly values: Map<number, unknown>;
  /** Whether an insert made it: then it stays when its last value goes. */
  isInserted: boolean;
}

const rowsPerChunk = 7;

/** Opens an empty one; nothing outlives it. It holds no keyspace. */
export function openLazyEngine(): Engine {
  const keyspaces = new Map<string, Keyspace>();
  const stored = new Map<number, StoredRow[]>();
  let lastTableId = 0;
  let isClosed = false;

  const refuseWhenClosed = () => {
    if (isClosed) throw new EngineError('closed', 'the engine is closed');
  };
  const rowsOf = ({ keyspace, name, id, version }: Table): StoredRow[] => {
    refuseWhenClosed();
    const present = keyspaces.get(keyspace)?.tables.get(name);
    const rows = stored.get(id);
    if (present?.id === id && present.version === version && rows !== undefined) return rows;
    throw changed();
  };
  const change = (wanted: SchemaChange) => {
    refuseWhenClosed();
    if (wanted.kind === 'createIndex') refuseZeroVectors(rowsOf(wanted.table), wanted);
    changeKeyspaces(keyspaces, wanted, () => {
      lastTableId += 1;
      stored.set(lastTableId, []);
      return lastTableId;
    });
  };

  return {
    name: 'lazy',
    readSchema: async () => {
      refuseWhenClosed();
      return { keyspaces: new Map(keyspaces) };
    },
    changeSchema: async (wanted) => change(wanted),
    insertRows: async ({ table, rows }) => {
      const present = rowsOf(table);
      for (const row of rows) insertRow(present, table, row);
      return { rows: rows.map(() => null) };
    },
    changeRow: async ({ table, key, changes }) => changeRow(rowsOf(table), table, key, changes),
    deleteRows: async ({ table, filter }) => {
      const rows = rowsOf(table);
      const kept = rows.filter((row) => !matchesFilter(filter, ({ id }) => row.values.get(id) ?? null));
      rows.splice(0, rows.length, ...kept);
    },
    readRows: async ({ table }) => {
      const rows = rowsOf(table).map(({ values }) => table.columns.map(({ id }) => values.get(id) ?? null));
      return { columns: table.columns, applied: { filter: false, order: false }, chunks: chunksOf(rows) };
    },
    close: async () => {
      isClosed = true;
    },
  };
}

function changeKeyspaces(
  keyspaces: Map<string, Keyspace>,
  change: SchemaChange,
  makeTableId: () => number,
): void {
  switch (change.kind) {
    case 'createKeyspace': {
      const { name, replication } = change;
      if (!keyspaces.has(name)) keyspaces.set(name, { name, replication, tables: new Map() });
      return;
    }
    case 'dropKeyspace':
      keyspaces.delete(change.name);
      return;
    case 'createTable': {
      const keyspace = keyspaces.get(change.keyspace);
      if (keyspace === undefined || keyspace.tables.has(change.definition.name)) throw changed();
      const table = makeTable({ id: makeTableId(), version: 1, keyspace: keyspace.name }, change.definition);
      const tables = new Map([...keyspace.tables, [table.name, table]]);
      keyspaces.set(keyspace.name, { ...keyspace, tables });
      return;
    }
    case 'dropTable': {
      const { id, name, keyspace: keyspaceName } = change.table;
      const keyspace = keyspaces.get(keyspaceName);
      if (keyspace === undefined || keyspace.tables.get(name)?.id !== id) throw changed();
      const tables = new Map(keyspace.tables);
      tables.delete(name);
      keyspaces.set(keyspaceName, { ...keyspace, tables });
      return;
    }
    case 'createIndex':
    case 'dropIndex': {
      const { table } = change;
      const keyspace = keyspaces.get(table.keyspace);
      const isTaken = keyspace !== undefined && indexNamed(keyspace, change.index.name) !== undefined;
      const isNew = change.kind === 'createIndex';
      if (keyspace?.tables.get(table.name) !== table || isTaken === isNew) throw changed();
      const indexes = isNew
        ? [...table.indexes, { ...change.index, id: table.version + 1 }]
        : table.indexes.filter((each) => each !== change.index);
      const after = withIndexes(table, indexes);
      keyspaces.set(keyspace.name, {
        ...keyspace,
        tables: new Map([...keyspace.tables, [table.name, after]]),
      });
    }
  }
}

function refuseZeroVectors(
  rows: readonly StoredRow[],
  { table, index }: Extract<SchemaChange, { kind: 'createIndex' }>,
): void {
  if (!refusesZeroVectors(index)) return;
  const keys = rows
    .filter(({ values }) => {
      const vector = values.get(index.column.id);
      return vector instanceof Float32Array && isZeroVector(vector);
    })
    .map(({ values }) => table.keyColumns.map(({ id }) => values.get(id)));
  if (keys.length > 0) throw unindexableRows(table, index, keys);
}

function insertRow(rows: StoredRow[], table: Table, row: Assignments): void {
  const key = table.keyColumns.map((column) => row.values[row.columns.indexOf(column)]);
  const found = findRow(rows, table, key) ?? addRow(rows, table, key);
  found.isInserted = true;
  assign(found, row);
}

function changeRow(rows: StoredRow[], table: Table, key: RowValues, changes: readonly ColumnChange[]): void {
  const makesRow = changes.some((change) => changedValue(change, null) !== null);
  const found = findRow(rows, table, key) ?? (makesRow ? addRow(rows, table, key) : undefined);
  if (found === undefined) return;
  for (const change of changes) {
    const value = changedValue(change, found.values.get(change.column.id) ?? null);
    assign(found, { columns: [change.column], values: [value] });
  }
  const isBare = found.values.size === table.keyColumns.length;
  if (isBare && !found.isInserted) rows.splice(rows.indexOf(found), 1);
}

function findRow(rows: readonly StoredRow[], { keyColumns }: Table, key: RowValues): StoredRow | undefined {
  return rows.find(({ values }) =>
    keyColumns.every(({ id, type }, at) => type.compare(values.get(id), key[at]) === 0),
  );
}

function addRow(rows: StoredRow[], { keyColumns }: Table, key: RowValues): StoredRow {
  const row = { values: new Map(keyColumns.map(({ id }, at) => [id, key[at]])), isInserted: false };
  rows.push(row);
  return row;
}

function assign({ values }: StoredRow, { columns, values: assigned }: Assignments): void {
  for (const [at, { id }] of columns.entries()) {
    const value = assigned[at] ?? null;
    if (value === null) values.delete(id);
    else values.set(id, value);
  }
}

async function* chunksOf(rows: readonly RowValues[]): AsyncIterable<readonly RowValues[]> {
  for (let at = 0; at < rows.length; at += rowsPerChunk) yield rows.slice(at, at + rowsPerChunk);
}

function changed(): EngineError {
  return new EngineError('schemaChanged', 'the table changed');
}
