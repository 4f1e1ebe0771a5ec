// Names inside the SQLite file. Users' names live in the schema tables only: these are ours.
import type { Column, Table } from '../../schema/table.js';

export function sqlTable(table: Pick<Table, 'id'>): string {
  return `t${table.id}`;
}

/** The unique index over the primary key, in clustering order. */
export function sqlKeyIndex(table: Pick<Table, 'id'>): string {
  return `k${table.id}`;
}

export function sqlColumn(column: Pick<Column, 'id'>): string {
  return `c${column.id}`;
}

/** 1 for rows that an insert made, 0 for those that only updates made. */
export const insertedColumn = 'inserted';
