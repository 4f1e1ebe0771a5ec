// The data of a vector index in the file: a log of the rows whose vectors changed. Triggers write it, so that the graph
// can follow the rows in the order of their commits.
import type { Table, VectorIndex } from '../../../schema/table.js';
import { sqlColumn, sqlTable, sqlVectorLog } from '../file/sql-names.js';
import type { WriteStatement } from './write-statements.js';

/** Creates the log and the triggers that write it. */
export function createVectorLogStatements(table: Table, index: VectorIndex): readonly WriteStatement[] {
  const log = sqlVectorLog(table, index);
  const column = sqlColumn(index.column);
  const trigger = (name: string, event: string, row: string, condition: string) =>
    once(
      `CREATE TRIGGER ${log}_${name} AFTER ${event} ON ${sqlTable(table)} WHEN ${condition} ` +
        `BEGIN INSERT INTO ${log} (row_id) VALUES (${row}.row_id); END`,
    );
  return [
    // Numbers are never used again, because a snapshot stores up to which number it is complete.
    once(`CREATE TABLE ${log} (sequence INTEGER PRIMARY KEY AUTOINCREMENT, row_id INTEGER NOT NULL)`),
    trigger('insert', 'INSERT', 'new', `new.${column} IS NOT NULL`),
    trigger('update', `UPDATE OF ${column}`, 'new', `new.${column} IS NOT old.${column}`),
    trigger('delete', 'DELETE', 'old', `old.${column} IS NOT NULL`),
  ];
}

/** Drops the triggers of the log, and leaves its table. */
export function leaveVectorLogStatements(table: Table, index: VectorIndex): readonly WriteStatement[] {
  const log = sqlVectorLog(table, index);
  return ['insert', 'update', 'delete'].map((name) => once(`DROP TRIGGER ${log}_${name}`));
}

/**
 * Deletes log entries that a snapshot contains, except the last one: it shows that no later entry was deleted, see
 * `logBoundsText`.
 */
export function trimVectorLogStatement(log: string, sequence: number): WriteStatement {
  return { sql: `DELETE FROM ${log} WHERE sequence < ?`, valueSets: [[sequence]] };
}

/** Returns one row: the numbers of the first and the last entry of a log; null if it is empty. */
export function logBoundsText(log: string): string {
  return `SELECT min(sequence), max(sequence) FROM ${log}`;
}

/** Entries after a number, with the present vector of the row: null if it has none or was deleted. */
export function logText(log: string, table: string, column: string): string {
  return (
    `SELECT log.sequence, log.row_id, rows.${column} FROM ${log} AS log LEFT JOIN ${table} AS rows ` +
    'ON rows.row_id = log.row_id WHERE log.sequence > ? ORDER BY log.sequence LIMIT ?'
  );
}

/** The number of the row behind a row number, whether or not it has a vector. */
export function nextRowText(table: string): string {
  return `SELECT row_id FROM ${table} WHERE row_id > ? ORDER BY row_id LIMIT 1`;
}

/** Rows with vectors from one row number to another. */
export function rowsText(table: string, column: string): string {
  return (
    `SELECT row_id, ${column} FROM ${table} WHERE ${column} IS NOT NULL AND row_id BETWEEN ? AND ? ` +
    'ORDER BY row_id LIMIT ?'
  );
}

/** The largest row number. */
export function lastRowText(table: string): string {
  return `SELECT max(row_id) FROM ${table}`;
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
