// The index entries of documents → SQL: a table of entries in the order of path, key and document, and one of paths.
import type { Table } from '../../../schema/table.js';
import { sqlEntries, sqlPaths } from '../file/sql-names.js';
import type { WriteStatement } from './write-statements.js';

/** Creates both tables. Keys have the class in which they were stored, so the column has no type. */
export function createEntriesStatements(table: Pick<Table, 'id'>): readonly WriteStatement[] {
  return [
    once(`CREATE TABLE ${sqlPaths(table)} (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)`),
    once(
      `CREATE TABLE ${sqlEntries(table)} (path INTEGER NOT NULL, value, document INTEGER NOT NULL, ` +
        'PRIMARY KEY (path, value, document)) WITHOUT ROWID',
    ),
  ];
}

/** Drops both. */
export function dropEntriesStatements(table: Pick<Table, 'id'>): readonly WriteStatement[] {
  return [once(`DROP TABLE ${sqlEntries(table)}`), once(`DROP TABLE ${sqlPaths(table)}`)];
}

/** Deletes all entries. Paths keep their numbers, which the writer thread knows. */
export function clearEntriesStatement(table: Pick<Table, 'id'>): WriteStatement {
  return once(`DELETE FROM ${sqlEntries(table)}`);
}

/** Adds `count` entries: path, key and document of each. */
export function addEntriesText(table: Pick<Table, 'id'>, count: number): string {
  return `INSERT OR IGNORE INTO ${sqlEntries(table)} VALUES ${'(?, ?, ?), '.repeat(count - 1)}(?, ?, ?)`;
}

/** Deletes an entry: path, key and document. */
export function removeEntryText(table: Pick<Table, 'id'>): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE path = ? AND value = ? AND document = ?`;
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
