// The index entries of documents → SQL: a table of entries in the order of segment, path, key and document, one of
// segments, and one of paths. A segment has the entries of the documents from its first number to the next segment.
import type { Table } from '../../../schema/table.js';
import { sqlEntries, sqlPaths, sqlSegments } from '../file/sql-names.js';
import type { WriteStatement } from './write-statements.js';

type Identity = Pick<Table, 'id'>;

/** Creates the tables. Keys have the class in which they were stored, so the column has no type. */
export function createEntriesStatements(table: Identity): readonly WriteStatement[] {
  return [
    once(`CREATE TABLE ${sqlPaths(table)} (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)`),
    once(
      `CREATE TABLE ${sqlSegments(table)} (first INTEGER PRIMARY KEY, id INTEGER NOT NULL, ` +
        'entries INTEGER NOT NULL)',
    ),
    once(
      `CREATE TABLE ${sqlEntries(table)} (segment INTEGER NOT NULL, path INTEGER NOT NULL, value, ` +
        'document INTEGER NOT NULL, PRIMARY KEY (segment, path, value, document)) WITHOUT ROWID',
    ),
  ];
}

/** Deletes all entries. Segments and paths keep their numbers, which the writer thread knows. */
export function clearEntriesStatement(table: Identity): WriteStatement {
  return once(`DELETE FROM ${sqlEntries(table)}`);
}

/** Adds `count` entries: segment, path, key and document of each. */
export function addEntriesText(table: Identity, count: number): string {
  const more = '(?, ?, ?, ?), '.repeat(count - 1);
  return `INSERT OR IGNORE INTO ${sqlEntries(table)} VALUES ${more}(?, ?, ?, ?)`;
}

/** Deletes an entry: segment, path, key and document. */
export function removeEntryText(table: Identity): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE segment = ? AND path = ? AND value = ? AND document = ?`;
}

/** Whether an entry is there: segment, path, key and document. */
export function findEntryText(table: Identity): string {
  return `SELECT 1 FROM ${sqlEntries(table)} WHERE segment = ? AND path = ? AND value = ? AND document = ?`;
}

/** The number of entries of all segments, without what merges have copied or left. */
export function countEntriesText(table: Identity): string {
  return (
    `SELECT count(*) FROM ${sqlSegments(table)} AS known ` +
    `CROSS JOIN ${sqlEntries(table)} AS entry ON entry.segment = known.id`
  );
}

/** Deletes all entries and segments. */
export function emptyEntriesTexts(table: Identity): readonly string[] {
  return [`DELETE FROM ${sqlEntries(table)}`, `DELETE FROM ${sqlSegments(table)}`];
}

/** The segments: `first`, `id` and `entries`, ascending by `first`. */
export function segmentsText(table: Identity): string {
  return `SELECT first, id, entries FROM ${sqlSegments(table)} ORDER BY first`;
}

/** The least segment above an id that has entries. */
export function nextSegmentText(table: Identity): string {
  return `SELECT min(segment) AS id FROM ${sqlEntries(table)} WHERE segment > ?`;
}

/** Adds or replaces a segment: first, id, entries. */
export function putSegmentText(table: Identity): string {
  return `INSERT OR REPLACE INTO ${sqlSegments(table)} (first, id, entries) VALUES (?, ?, ?)`;
}

/** Deletes segments, without their entries: the least and the greatest of their first numbers. */
export function deleteSegmentsText(table: Identity): string {
  return `DELETE FROM ${sqlSegments(table)} WHERE first BETWEEN ? AND ?`;
}

/**
 * Copies the next entries of some segments, in order, into another: its id, for each of `count` segments its id and
 * the path, key and document after which to begin, and the maximum number.
 */
export function mergeText(table: Identity, count: number): string {
  const arm =
    `SELECT path, value, document FROM ${sqlEntries(table)} ` +
    'WHERE segment = ? AND (path, value, document) > (?, ?, ?)';
  const arms = Array.from({ length: count }, () => arm).join(' UNION ALL ');
  return (
    `INSERT INTO ${sqlEntries(table)} SELECT ?, path, value, document ` +
    `FROM (${arms} ORDER BY path, value, document LIMIT ?)`
  );
}

/** The last entry of a segment. */
export function lastOfSegmentText(table: Identity): string {
  return (
    `SELECT path, value, document FROM ${sqlEntries(table)} WHERE segment = ? ` +
    'ORDER BY path DESC, value DESC, document DESC LIMIT 1'
  );
}

/** Adds an entry, if it is not after another: segment, path, key, document; path, key and document of the other. */
export function addEntryUpToText(table: Identity): string {
  const entry = 'SELECT ?1, ?2, ?3, ?4 WHERE (?2, ?3, ?4) <= (?5, ?6, ?7)';
  return `INSERT OR IGNORE INTO ${sqlEntries(table)} ${entry}`;
}

/** The entry of a segment after so many others. */
export function entryAtText(table: Identity): string {
  return (
    `SELECT path, value, document FROM ${sqlEntries(table)} WHERE segment = ? ` +
    'ORDER BY path, value, document LIMIT 1 OFFSET ?'
  );
}

/** Deletes the entries of a segment before one: segment, path, key and document. */
export function deleteEntriesBeforeText(table: Identity): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE segment = ? AND (path, value, document) < (?, ?, ?)`;
}

/** Deletes the entries of a segment. */
export function deleteEntriesText(table: Identity): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE segment = ?`;
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
