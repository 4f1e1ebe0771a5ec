// A table as all layers see it: its columns and its primary key.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { JsonText } from '../../foundation/json/json-value.js';
import { type ColumnType, isReadable } from '../column-types/column-type.js';
import type { TextFold } from '../column-types/text-fold.js';
import type { ColumnEmbeddingService } from './embedding-service.js';
import type { SourceModel, VectorMetric } from './vector-index.js';

/** A column of a table. */
export interface Column {
  /** Unique in its table, never given again after a drop. */
  readonly id: number;
  /** Where the engine keeps its values: no one else reads it. */
  readonly slot: number;
  readonly name: string;
  readonly type: ColumnType;
  /** The name as the start of a JSON member: `"age":`. */
  readonly label: JsonText;
  /** Of a vector column: what makes vectors of texts, or did. */
  readonly service?: ColumnEmbeddingService;
}

/** A column that was dropped. */
export interface DroppedColumn extends Omit<Column, 'slot'> {
  /** Null once another column has it. */
  readonly slot: number | null;
  /** Whether no row holds a value of it any more. */
  readonly isEmpty: boolean;
}

/** A column of the key behind the partition columns. */
export interface ClusteringColumn {
  readonly column: Column;
  /** 1 ascending, -1 descending. */
  readonly direction: 1 | -1;
}

/** An index over one column. */
export type TableIndex = RegularIndex | VectorIndex;

/** An index over values, for filters. */
export interface RegularIndex extends IndexIdentity {
  readonly kind: 'regular';
  /** Null for columns that hold no text. */
  readonly fold: TextFold | null;
}

/** An index over vectors, for searches. */
export interface VectorIndex extends IndexIdentity {
  readonly kind: 'vector';
  readonly metric: VectorMetric;
  readonly sourceModel: SourceModel;
}

interface IndexIdentity {
  /** Unique in its table among the present ones; given by the engine that makes the index. */
  readonly id: number;
  /** Unique in the keyspace. */
  readonly name: string;
  readonly column: Column;
}

/** A table; immutable, a change makes another. */
export interface Table {
  /** Unique in the engine, never given again. */
  readonly id: number;
  /** Rises with every change of the table's definition. */
  readonly version: number;
  readonly keyspace: string;
  readonly name: string;
  /** In the order of the definition. */
  readonly columns: readonly Column[];
  readonly columnsByName: ReadonlyMap<string, Column>;
  /** The columns that commands can read, in the order of the definition; most often that very list. */
  readonly readableColumns: readonly Column[];
  readonly partitionKey: readonly Column[];
  readonly clustering: readonly ClusteringColumn[];
  /** Partition columns, then clustering columns. */
  readonly keyColumns: readonly Column[];
  /** Columns that were dropped: their ids are spent, and their names can only come back with the same type. */
  readonly droppedColumns: readonly DroppedColumn[];
  /** At most one per column. */
  readonly indexes: readonly TableIndex[];
  /** The key columns with their directions: the order of rows that nothing else orders. */
  readonly keyOrder: readonly ClusteringColumn[];
}

/** A column before it has an identity. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: ColumnType;
  readonly service?: ColumnEmbeddingService;
}

/** An index before it has an identity. */
export type IndexDefinition = Omit<RegularIndex, 'id'> | Omit<VectorIndex, 'id'>;

/** The definition of a new table, before an engine has given it an identity. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** Names of columns. */
  readonly partitionKey: readonly string[];
  readonly clustering: readonly { readonly name: string; readonly direction: 1 | -1 }[];
}

/** Gives a definition its identity. Columns get the ids and slots 1, 2, … unless `places` has others. */
export function makeTable(
  identity: Pick<Table, 'id' | 'version' | 'keyspace'>,
  definition: TableDefinition,
  places: readonly Pick<Column, 'id' | 'slot'>[] = [],
  droppedColumns: readonly DroppedColumn[] = [],
): Table {
  const columns = definition.columns.map((column, position) => {
    const { id, slot } = places[position] ?? { id: position + 1, slot: position + 1 };
    return makeColumn(id, column, slot);
  });
  const { name, partitionKey, clustering } = definition;
  return assembleTable({ ...identity, name, columns, droppedColumns, indexes: [] }, partitionKey, clustering);
}

/** The table after columns were dropped, none of them of the key. */
export function withoutColumns(table: Table, dropped: readonly Column[]): Table {
  return changedTable(table, {
    columns: table.columns.filter((column) => !dropped.includes(column)),
    droppedColumns: [...table.droppedColumns, ...dropped.map((column) => ({ ...column, isEmpty: false }))],
  });
}

/** The table with these indexes instead of its own. */
export function withIndexes(table: Table, indexes: readonly TableIndex[]): Table {
  return changedTable(table, { indexes });
}

/** The table with these services of some of its vector columns. */
export function withEmbeddingServices(
  table: Table,
  services: ReadonlyMap<Column, ColumnEmbeddingService>,
): Table {
  const changed = new Map(
    table.columns.map((column) => {
      const service = services.get(column);
      return [column, service === undefined ? column : { ...column, service }];
    }),
  );
  // Indexes are on columns of the table itself.
  const indexes = table.indexes.map((index) => ({
    ...index,
    column: changed.get(index.column) ?? index.column,
  }));
  return changedTable(table, { columns: [...changed.values()], indexes });
}

/** The index of a column, of whatever kind, if it has one. */
export function indexOn(table: Table, column: Column): TableIndex | undefined {
  return table.indexes.find((index) => index.column === column);
}

/** The index over the values of a column, if it has one. */
export function regularIndexOn(table: Table, column: Column): RegularIndex | undefined {
  const index = indexOn(table, column);
  return index?.kind === 'regular' ? index : undefined;
}

/** The index over the vectors of a column, if it has one. */
export function vectorIndexOn(table: Table, column: Column): VectorIndex | undefined {
  const index = indexOn(table, column);
  return index?.kind === 'vector' ? index : undefined;
}

const indexOrders = new WeakMap<RegularIndex, readonly ClusteringColumn[]>();

/** The order in which an index holds rows: by its column, then by the key, which is the same as long as it lives. */
export function indexOrder(index: RegularIndex, table: Table): readonly ClusteringColumn[] {
  return getOrMake(indexOrders, index, ({ column }) => [
    { column, direction: 1 },
    ...table.keyOrder.filter((key) => key.column !== column),
  ]);
}

/** Whether the table counts: its rows are made and changed by additions alone. */
export function isCounterTable({ columns }: Table): boolean {
  return columns.some(({ type }) => type.add !== undefined);
}

/** The dropped column that keeps a new one from its name: one that had another type. */
export function droppedInTheWay(table: Table, column: ColumnDefinition): DroppedColumn | undefined {
  return table.droppedColumns.find(({ name, type }) => name === column.name && type !== column.type);
}

/** A column with its identity. */
export function makeColumn(id: number, { name, type, service }: ColumnDefinition, slot: number = id): Column {
  const column = { id, slot, name, type, label: `${JSON.stringify(name)}:` };
  return service === undefined ? column : { ...column, service };
}

/** The next version of the table. */
export function changedTable(table: Table, change: Partial<TableParts>): Table {
  return assembleTable(
    { ...table, version: table.version + 1, ...change },
    table.partitionKey.map(({ name }) => name),
    table.clustering.map(({ column, direction }) => ({ name: column.name, direction })),
  );
}

type TableParts = Pick<
  Table,
  'id' | 'version' | 'keyspace' | 'name' | 'columns' | 'droppedColumns' | 'indexes'
>;

function assembleTable(
  { id, version, keyspace, name, columns, droppedColumns, indexes }: TableParts,
  partition: TableDefinition['partitionKey'],
  sorted: TableDefinition['clustering'],
): Table {
  const columnsByName = new Map<string, Column>(columns.map((column) => [column.name, column]));
  const columnNamed = (columnName: string): Column => {
    const column = columnsByName.get(columnName);
    if (column === undefined)
      throw new TypeError(`the key of ${name} names the unknown column ${columnName}`);
    return column;
  };
  const partitionKey = partition.map(columnNamed);
  const clustering = sorted.map(({ name: columnName, direction }) => ({
    column: columnNamed(columnName),
    direction,
  }));
  const keyOrder = [...partitionKey.map((column) => ({ column, direction: 1 as const })), ...clustering];
  const keyColumns = keyOrder.map(({ column }) => column);
  const identity = { id, version, keyspace, name };
  const key = { partitionKey, clustering, keyColumns, keyOrder };
  const readable = columns.filter(({ type }) => isReadable(type));
  const readableColumns = readable.length === columns.length ? columns : readable;
  return { ...identity, columns, columnsByName, readableColumns, droppedColumns, indexes, ...key };
}
