// A table in the form for all layers: its columns and its primary key.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { JsonText } from '../../foundation/json/json-value.js';
import { type ColumnType, isReadable, type PartName } from '../column-types/column-type.js';
import type { TextFold } from '../column-types/text-fold.js';
import type { Analyzer } from '../text-analysis/analyzer.js';
import type { CollectionSettings } from './collection-settings.js';
import type { ColumnEmbeddingService } from './embedding-service.js';
import type { SourceModel, VectorLimits, VectorMetric } from './vector-index.js';

/** A column of a table. */
export interface Column {
  /** Unique in its table; never used again after a drop. */
  readonly id: number;
  readonly name: string;
  readonly type: ColumnType;
  /** The name as the start of a JSON member: `"age":`. */
  readonly label: JsonText;
  /** For a vector column: the service that embeds texts, or did. */
  readonly service?: ColumnEmbeddingService;
  /** For a vector column: what the storage takes; absent: every vector that its index can contain. */
  readonly vectorLimits?: VectorLimits;
  /** Whether the storage never drops it, outside the key. Absent: no. */
  readonly isPermanent?: boolean;
  /** For a static column: whose values it has. */
  readonly partitions?: Partitions;
  /** What only the engine knows of it and reads, as where its values are. */
  readonly engineState?: unknown;
}

/** The partitions of a table. */
export interface Partitions {
  readonly table: Pick<Table, 'id'>;
  readonly key: readonly Column[];
}

/** A column that was dropped. */
export interface DroppedColumn extends Column {
  /** Whether no row has a value of it any more. */
  readonly isEmpty: boolean;
}

/** A clustering column of the key. */
export interface ClusteringColumn {
  readonly column: Column;
  /** 1 ascending, -1 descending. */
  readonly direction: 1 | -1;
}

/** An index over one column. */
export type TableIndex = RegularIndex | ContainerIndex | VectorIndex | TextIndex;

/** An index over values, for filters. */
export interface RegularIndex extends IndexIdentity {
  readonly kind: 'regular';
  /** Null if the column does not contain texts. */
  readonly fold: TextFold | null;
  /** Which filters on folded texts it serves; the others read the whole table. Absent: all. */
  readonly servedFolds?: ServedFolds;
}

/** None, or `$eq` and `$in` with operands that every version of Unicode folds alike (`isSteady`). */
export type ServedFolds = 'none' | 'equalSteady';

/** An index over a part of the members of lists, sets or maps, for filters. */
export interface ContainerIndex extends IndexIdentity {
  readonly kind: 'container';
  readonly part: PartName;
  /** Null if the members are not texts, or if the index was created without options. */
  readonly fold: TextFold | null;
}

/** An index over vectors, for searches. */
export interface VectorIndex extends IndexIdentity {
  readonly kind: 'vector';
  readonly metric: VectorMetric;
  readonly sourceModel: SourceModel;
}

/** An index over the tokens of texts, for text searches. */
export interface TextIndex extends IndexIdentity {
  readonly kind: 'text';
  readonly analyzer: Analyzer;
}

interface IndexIdentity {
  /** Unique among the present indexes of its table; assigned by the engine that creates the index. */
  readonly id: number;
  /** Unique in the keyspace. */
  readonly name: string;
  readonly column: Column;
  /** Whether it is still being built: the engine does not use it yet. Absent: no. */
  readonly isBuilding?: boolean;
  /**
   * Whether another dialect created it: the engine keeps it up to date, but only listIndexes and dropIndex know it.
   * Absent: no.
   */
  readonly isUnsupported?: boolean;
  /** What only the engine knows of it and reads. */
  readonly engineState?: unknown;
}

/** A table; immutable: a change creates another object. */
export interface Table {
  /** Unique in the engine; never used again. */
  readonly id: number;
  /** The id that the table had first: the engine can give it another one when all rows are deleted. Absent: `id`. */
  readonly firstId?: number;
  /** Increases with every change of the table's definition. */
  readonly version: number;
  readonly keyspace: string;
  readonly name: string;
  /** In the order of the definition. */
  readonly columns: readonly Column[];
  readonly columnsByName: ReadonlyMap<string, Column>;
  /** The columns that commands can read, in the order of the definition; usually the same list object as `columns`. */
  readonly readableColumns: readonly Column[];
  readonly partitionKey: readonly Column[];
  readonly clustering: readonly ClusteringColumn[];
  /** Partition columns, then clustering columns. */
  readonly keyColumns: readonly Column[];
  /** Columns that were dropped: their ids are used up, and their names can be used again only with the same type. */
  readonly droppedColumns: readonly DroppedColumn[];
  /** At most one per column and function: values, vectors, words, or one part of containers. */
  readonly indexes: readonly TableIndex[];
  /** The key columns with their directions: the default order of rows. */
  readonly keyOrder: readonly ClusteringColumn[];
  /** If the table contains the documents of a collection, which only commands on collections use. */
  readonly collection?: CollectionSettings;
  /** What only the engine knows of it and reads. */
  readonly engineState?: unknown;
}

/** A column without its id. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: ColumnType;
  readonly service?: ColumnEmbeddingService;
  readonly vectorLimits?: VectorLimits;
  readonly isPermanent?: boolean;
  readonly engineState?: unknown;
}

/** An index without its id. */
export type IndexDefinition =
  | Omit<RegularIndex, 'id'>
  | Omit<ContainerIndex, 'id'>
  | Omit<VectorIndex, 'id'>
  | Omit<TextIndex, 'id'>;

/** The definition of a new table, before an engine has assigned its ids. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** The names of columns. */
  readonly partitionKey: readonly string[];
  readonly clustering: readonly { readonly name: string; readonly direction: 1 | -1 }[];
  readonly collection?: CollectionSettings;
  /** Indexes that are created with the table. */
  readonly indexes?: readonly NewTableIndex[];
}

/** An index of a new table; `column` is a name. */
export type NewTableIndex =
  | (Omit<VectorIndex, 'id' | 'column'> & { readonly column: string })
  | (Omit<TextIndex, 'id' | 'column'> & { readonly column: string });

/** Creates a table from a definition and its ids. Columns get the ids 1, 2, … unless `places` has others. */
export function makeTable(
  identity: Pick<Table, 'id' | 'firstId' | 'version' | 'keyspace' | 'engineState'>,
  definition: TableDefinition,
  places: readonly Pick<Column, 'id' | 'engineState'>[] = [],
  droppedColumns: readonly DroppedColumn[] = [],
): Table {
  const columns = definition.columns.map((column, position) => {
    const { id, engineState } = places[position] ?? { id: position + 1 };
    return makeColumn(id, column, engineState);
  });
  const { name, partitionKey, clustering, collection } = definition;
  const parts = { ...identity, name, columns, droppedColumns, indexes: [], collection };
  const table = assembleTable(parts, partitionKey, clustering);
  return {
    ...table,
    indexes: (definition.indexes ?? []).map((index, at) => placedIndex(index, at + 1, table)),
  };
}

function placedIndex(index: NewTableIndex, id: number, { columnsByName, name }: Table): TableIndex {
  const column = columnsByName.get(index.column);
  if (column === undefined)
    throw new TypeError(`an index of ${name} names the unknown column ${index.column}`);
  return { ...index, id, column };
}

/** The table without some columns, none of which is in the key. */
export function withoutColumns(table: Table, dropped: readonly Column[]): Table {
  return changedTable(table, {
    columns: table.columns.filter((column) => !dropped.includes(column)),
    droppedColumns: [...table.droppedColumns, ...dropped.map((column) => ({ ...column, isEmpty: false }))],
  });
}

/** Gives this version of the table another id. */
export function withId(table: Table, id: number): Table {
  const { firstId = table.id } = table;
  const after = assembleTable({ ...table, id, firstId, engineState: undefined }, ...keyNames(table));
  const indexes = table.indexes.map((index) => ({
    ...index,
    // Static columns refer to their table.
    column: after.columnsByName.get(index.column.name) ?? index.column,
  }));
  return { ...after, indexes };
}

/** The table with another state of the engine. */
export function withEngineState(table: Table, engineState: unknown): Table {
  return changedTable(table, { engineState });
}

/** The table with other indexes. */
export function withIndexes(table: Table, indexes: readonly TableIndex[]): Table {
  return changedTable(table, { indexes });
}

/** The table with other services of some of its vector columns. */
export function withEmbeddingServices(
  table: Table,
  services: ReadonlyMap<Column, ColumnEmbeddingService>,
): Table {
  return withChangedColumns(table, (column) => {
    const service = services.get(column);
    return service === undefined ? column : { ...column, service };
  });
}

/** The table with another form of some columns, which keep their names and places. */
export function withChangedColumns(table: Table, change: (column: Column) => Column): Table {
  const changed = new Map(table.columns.map((column) => [column, change(column)]));
  // Indexes refer to columns of the same table object.
  const indexes = table.indexes.map((index) => ({
    ...index,
    column: changed.get(index.column) ?? index.column,
  }));
  return changedTable(table, { columns: [...changed.values()], indexes });
}

/** All indexes on a column, of any kind. */
export function indexesOn(table: Table, column: Column): readonly TableIndex[] {
  return table.indexes.filter((index) => index.column === column);
}

/** The index over the values of a column, if it has one. */
export function regularIndexOn(table: Table, column: Column): RegularIndex | undefined {
  for (const index of table.indexes) if (index.kind === 'regular' && index.column === column) return index;
  return undefined;
}

/** The index over a part of the lists, sets or maps of a column, if it has one. */
export function containerIndexOn(table: Table, column: Column, part: PartName): ContainerIndex | undefined {
  for (const index of table.indexes)
    if (index.kind === 'container' && index.column === column && index.part === part) return index;
  return undefined;
}

/** The index over the vectors of a column, if it has one. */
export function vectorIndexOn(table: Table, column: Column): VectorIndex | undefined {
  for (const index of table.indexes) if (index.kind === 'vector' && index.column === column) return index;
  return undefined;
}

/** The index over the tokens of a column, if it has one that is built. */
export function textIndexOn(table: Table, column: Column): TextIndex | undefined {
  const index = anyTextIndexOn(table, column);
  return index?.isBuilding === true || index?.isUnsupported === true ? undefined : index;
}

/** The index over the tokens of a column, if it has one, which may not be built yet. */
export function anyTextIndexOn(table: Table, column: Column): TextIndex | undefined {
  for (const index of table.indexes) if (index.kind === 'text' && index.column === column) return index;
  return undefined;
}

const indexOrders = new WeakMap<RegularIndex, readonly ClusteringColumn[]>();

/** The order of rows in an index: by its column, then by the key, which never changes. */
export function indexOrder(index: RegularIndex, table: Table): readonly ClusteringColumn[] {
  return getOrMake(indexOrders, index, ({ column }) => [
    { column, direction: 1 },
    ...table.keyOrder.filter((key) => key.column !== column),
  ]);
}

/** Whether the table has counters: its rows are created and changed only by additions. */
export function isCounterTable({ columns }: Table): boolean {
  return columns.some(({ type }) => type.add !== undefined);
}

/**
 * The dropped column that prevents a new one with the same name: one that had another type, or a user-defined type, of
 * which a cluster only knows the fields.
 */
export function droppedInTheWay(table: Table, column: ColumnDefinition): DroppedColumn | undefined {
  return table.droppedColumns.find(
    ({ name, type }) =>
      name === column.name && (type.name !== column.type.name || type.userType !== undefined),
  );
}

/** Creates a column with its id, and with the state of the engine if the definition has none. */
export function makeColumn(
  id: number,
  { name, type, engineState: given, ...others }: ColumnDefinition,
  engineState: unknown = given,
): Column {
  const state = engineState === undefined ? {} : { engineState };
  return { ...others, ...state, id, name, type, label: `${JSON.stringify(name)}:` };
}

/** The next version of the table. */
export function changedTable(table: Table, change: Partial<TableParts>): Table {
  return assembleTable({ ...table, version: table.version + 1, ...change }, ...keyNames(table));
}

function keyNames({
  partitionKey,
  clustering,
}: Table): readonly [TableDefinition['partitionKey'], TableDefinition['clustering']] {
  return [
    partitionKey.map(({ name }) => name),
    clustering.map(({ column, direction }) => ({ name: column.name, direction })),
  ];
}

type TableParts = Pick<
  Table,
  'id' | 'firstId' | 'version' | 'keyspace' | 'name' | 'columns' | 'droppedColumns' | 'indexes'
> & { readonly collection?: CollectionSettings | undefined; readonly engineState?: unknown };

function assembleTable(
  { columns: given, droppedColumns, indexes, ...parts }: TableParts,
  partition: TableDefinition['partitionKey'],
  sorted: TableDefinition['clustering'],
): Table {
  const { id, firstId, version, keyspace, name, collection, engineState } = parts;
  const columnsByName = new Map<string, Column>(given.map((column) => [column.name, column]));
  const columnNamed = (columnName: string): Column => {
    const column = columnsByName.get(columnName);
    if (column === undefined)
      throw new TypeError(`the key of ${name} names the unknown column ${columnName}`);
    return column;
  };
  const partitionKey = partition.map(columnNamed);
  const columns = placed(given, { table: { id }, key: partitionKey });
  for (const column of columns) columnsByName.set(column.name, column);
  const clustering = sorted.map(({ name: columnName, direction }) => ({
    column: columnNamed(columnName),
    direction,
  }));
  const keyOrder = [...partitionKey.map((column) => ({ column, direction: 1 as const })), ...clustering];
  const keyColumns = keyOrder.map(({ column }) => column);
  const identity = {
    id,
    ...(firstId !== undefined && { firstId }),
    version,
    keyspace,
    name,
    ...(collection !== undefined && { collection }),
    ...(engineState !== undefined && { engineState }),
  };
  const key = { partitionKey, clustering, keyColumns, keyOrder };
  const readable = columns.filter(({ type }) => isReadable(type));
  const readableColumns = readable.length === columns.length ? columns : readable;
  return { ...identity, columns, columnsByName, readableColumns, droppedColumns, indexes, ...key };
}

/** The columns, of which the static ones know their partitions; the same list if none changes. */
function placed(columns: readonly Column[], partitions: Partitions): readonly Column[] {
  const isPlaced = ({ type, partitions: own }: Column) =>
    type.static === undefined || own?.table.id === partitions.table.id;
  if (columns.every(isPlaced)) return columns;
  return columns.map((column) => (isPlaced(column) ? column : { ...column, partitions }));
}
