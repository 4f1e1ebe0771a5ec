// Names inside the SQLite file. Names of users are only in the schema tables.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { Column, Table, TableIndex } from '../../../schema/table.js';
import { entriesOf, slotOf } from './engine-state.js';

/** `t7` for the table with the id 7. */
export function sqlTable(table: Pick<Table, 'id'>): string {
  return `t${table.id}`;
}

/** The unique index over the primary key, in clustering order. */
export function sqlKeyIndex(table: Pick<Table, 'id'>): string {
  return `k${table.id}`;
}

/** `i7_2` for the index with the id 2 on the table with the id 7. */
export function sqlIndex(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `i${table.id}_${index.id}`;
}

/** `v7_2` for the log of changes of the vector index with the id 2 on the table with the id 7. */
export function sqlVectorLog(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `v${table.id}_${index.id}`;
}

/** `m7_2` for the members in the container index with the id 2 on the table with the id 7. */
export function sqlMembers(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `m${table.id}_${index.id}`;
}

/** `p7_2` for the postings of the text index with the id 2 on the table with the id 7: which rows have which tokens. */
export function sqlPostings(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `p${table.id}_${index.id}`;
}

/** `x7_2` for the segments of the same index. */
export function sqlTextSegments(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `x${table.id}_${index.id}`;
}

/** `r7_2` for the texts of the same index that changed lately. */
export function sqlRecentTexts(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `r${table.id}_${index.id}`;
}

/** `s7_2` for how far the same index is built. */
export function sqlTextProgress(table: Pick<Table, 'id'>, index: Pick<TableIndex, 'id'>): string {
  return `s${table.id}_${index.id}`;
}

/** A collection, as the names of its entries need it. */
export type EntriesOwner = Pick<Table, 'id' | 'engineState'>;

/** The id in the names of the tables of entries. When they are built again, it is another one. */
export function entriesId(table: EntriesOwner): number {
  return entriesOf(table)?.id ?? table.id;
}

/** `d7` for the index entries of documents with the id 7: segment, path, key, document. */
export function sqlEntries(table: EntriesOwner): string {
  return `d${entriesId(table)}`;
}

/** `e7` for the segments of those entries: the first number of the documents of each. */
export function sqlSegments(table: EntriesOwner): string {
  return `e${entriesId(table)}`;
}

/** `n7` for the numbers of the paths in those entries. */
export function sqlPaths(table: EntriesOwner): string {
  return `n${entriesId(table)}`;
}

/** `c3` for the column in the slot 3: the place in a row where its values are written. */
export function sqlSlot(column: Pick<Column, 'id' | 'engineState'>): string {
  return `c${slotOf(column)}`;
}

/** SQL for the value of a column of the row that a statement reads. */
export function sqlColumn(column: Pick<Column, 'id' | 'engineState' | 'partitions'>): string {
  const { partitions } = column;
  if (partitions === undefined) return sqlSlot(column);
  const isSame = partitions.key.map((each) => `${sqlPartitionKey(each)} = ${sqlSlot(each)}`);
  return `(SELECT ${sqlStatic(column)} FROM ${sqlPartitions(partitions.table)} WHERE ${isSame.join(' AND ')})`;
}

/** `g7` for the static values of the table with the id 7: a row for each partition that has any. */
export function sqlPartitions(table: Pick<Table, 'id'>): string {
  return `g${table.id}`;
}

/** `k1` for a column of the partition key there. */
export function sqlPartitionKey(column: Pick<Column, 'id' | 'engineState'>): string {
  return `k${slotOf(column)}`;
}

/** `s5` for the static column with the id 5 there. */
export function sqlStatic(column: Pick<Column, 'id'>): string {
  return `s${column.id}`;
}

/** The column with the number of a row, which never changes; later rows have larger numbers. */
export const rowIdColumn = 'row_id';

/** 1 for rows that an insert created, 0 for those that only updates created. */
export const insertedColumn = 'inserted';

type KeyedTable = Pick<Table, 'keyColumns'>;

const keyConditions = new WeakMap<KeyedTable, string>();

/** `c1 = ? AND c2 = ?` over the key columns. */
export function keyCondition(table: KeyedTable): string {
  return getOrMake(keyConditions, table, makeKeyCondition);
}

function makeKeyCondition({ keyColumns }: KeyedTable): string {
  return keyColumns.map((column) => `${sqlColumn(column)} = ?`).join(' AND ');
}
