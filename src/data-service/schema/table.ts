// A table as all layers see it: its columns and its primary key.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ColumnType } from '../column-types/column-type.js';

/** A column of a table. */
export interface Column {
  /** Unique in its table, never given again after a drop. */
  readonly id: number;
  readonly name: string;
  readonly type: ColumnType;
  /** The name as the start of a JSON member: `"age":`. */
  readonly label: JsonText;
}

/** A column of the key behind the partition columns. */
export interface ClusteringColumn {
  readonly column: Column;
  /** 1 ascending, -1 descending. */
  readonly direction: 1 | -1;
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
  readonly partitionKey: readonly Column[];
  readonly clustering: readonly ClusteringColumn[];
  /** Partition columns, then clustering columns. */
  readonly keyColumns: readonly Column[];
  /** The key columns with their directions: the order of rows that nothing else orders. */
  readonly keyOrder: readonly ClusteringColumn[];
}

/** The definition of a new table, before an engine has given it an identity. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  /** Names of columns. */
  readonly partitionKey: readonly string[];
  readonly clustering: readonly { readonly name: string; readonly direction: 1 | -1 }[];
}

/** Gives a definition its identity. Columns get the ids 1, 2, … unless `columnIds` has others. */
export function makeTable(
  identity: { readonly id: number; readonly version: number; readonly keyspace: string },
  definition: TableDefinition,
  columnIds: readonly number[] = definition.columns.map((_, position) => position + 1),
): Table {
  const columns = definition.columns.map(({ name, type }, position) => ({
    id: columnIds[position] ?? position + 1,
    name,
    type,
    label: `${JSON.stringify(name)}:`,
  }));
  const columnsByName = new Map<string, Column>(columns.map((column) => [column.name, column]));
  const columnNamed = (name: string): Column => {
    const column = columnsByName.get(name);
    if (column === undefined)
      throw new TypeError(`the key of ${definition.name} names the unknown column ${name}`);
    return column;
  };
  const partitionKey = definition.partitionKey.map(columnNamed);
  const clustering = definition.clustering.map(({ name, direction }) => ({
    column: columnNamed(name),
    direction,
  }));
  const keyOrder = [...partitionKey.map((column) => ({ column, direction: 1 as const })), ...clustering];
  const keyColumns = keyOrder.map(({ column }) => column);
  return {
    ...identity,
    name: definition.name,
    columns,
    columnsByName,
    partitionKey,
    clustering,
    keyColumns,
    keyOrder,
  };
}
