// The index entries of documents → SQL: a table of entries in the order of segment, path, key and document, one of
// segments, and one of paths. A segment has the entries of the documents from its first number to the next segment.
import { type Collection, collectionColumns } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import {
  type EntriesOwner,
  entriesId,
  rowIdColumn,
  sqlColumn,
  sqlEntries,
  sqlPaths,
  sqlSegments,
  sqlTable,
} from '../file/sql-names.js';
import type { WriteStatement } from './write-statements.js';

/** Creates the tables. Keys have the class in which they were stored, so the column has no type. */
export function createEntriesStatements(table: EntriesOwner): readonly WriteStatement[] {
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

/**
 * Creates the tables again under the id of `after`, to build the entries of all present documents. New documents have a
 * segment after them. What was in the tables before is removed later, see `Leftovers`.
 */
export function beginEntriesStatements(after: Table): readonly WriteStatement[] {
  const last = `SELECT coalesce(max(${rowIdColumn}), 0) FROM ${sqlTable(after)}`;
  return [
    ...createEntriesStatements(after),
    once(`INSERT INTO ${sqlSegments(after)} (first, id, entries) VALUES (0, 1, 0), ((${last}) + 1, 2, 0)`),
    {
      sql: `UPDATE tables SET version = ?, entries_id = ?, built = 0, last = (${last}) WHERE id = ?`,
      valueSets: [[after.version, entriesId(after), after.id]],
    },
  ];
}

/** Records that all documents have entries. */
export function endEntriesStatement({ id, version }: Pick<Table, 'id' | 'version'>): WriteStatement {
  return {
    sql: 'UPDATE tables SET version = ?, built = NULL, last = NULL WHERE id = ?',
    valueSets: [[version, id]],
  };
}

/** How far the entries of a table are built: `built` and `last`, null if they are complete. The id of the table. */
export const readBuiltText = 'SELECT built, last FROM tables WHERE id = ?';

/** Records how far they are built: the last document, the id of the table. */
export const noteBuiltText = 'UPDATE tables SET built = ? WHERE id = ?';

/** The next documents without entries: numbers and texts. `built` and `last`. */
export function unbuiltText(collection: Collection): string {
  const { document } = collectionColumns(collection);
  return (
    `SELECT ${rowIdColumn}, ${sqlColumn(document)} FROM ${sqlTable(collection)} ` +
    `WHERE ${rowIdColumn} > ? AND ${rowIdColumn} <= ? ORDER BY ${rowIdColumn}`
  );
}

/** The number of entries of a segment, up to a limit: its id, the limit. */
export function countSegmentText(table: EntriesOwner): string {
  return `SELECT count(*) FROM (SELECT 1 FROM ${sqlEntries(table)} WHERE segment = ? LIMIT ?)`;
}

/** Deletes all entries. Segments and paths keep their numbers, which the writer thread knows. */
export function clearEntriesStatement(table: EntriesOwner): WriteStatement {
  return once(`DELETE FROM ${sqlEntries(table)}`);
}

/** Adds `count` entries: segment, path, key and document of each. */
export function addEntriesText(table: EntriesOwner, count: number): string {
  const more = '(?, ?, ?, ?), '.repeat(count - 1);
  return `INSERT OR IGNORE INTO ${sqlEntries(table)} VALUES ${more}(?, ?, ?, ?)`;
}

/** Deletes an entry: segment, path, key and document. */
export function removeEntryText(table: EntriesOwner): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE segment = ? AND path = ? AND value = ? AND document = ?`;
}

/** Whether an entry is there: segment, path, key and document. */
export function findEntryText(table: EntriesOwner): string {
  return `SELECT 1 FROM ${sqlEntries(table)} WHERE segment = ? AND path = ? AND value = ? AND document = ?`;
}

/** The number of entries of all segments, without what merges have copied or left. */
export function countEntriesText(table: EntriesOwner): string {
  return (
    `SELECT count(*) FROM ${sqlSegments(table)} AS known ` +
    `CROSS JOIN ${sqlEntries(table)} AS entry ON entry.segment = known.id`
  );
}

/** The segments: `first`, `id` and `entries`, ascending by `first`. */
export function segmentsText(table: EntriesOwner): string {
  return `SELECT first, id, entries FROM ${sqlSegments(table)} ORDER BY first`;
}

/** The least segment above an id that has entries. */
export function nextSegmentText(table: EntriesOwner): string {
  return `SELECT min(segment) AS id FROM ${sqlEntries(table)} WHERE segment > ?`;
}

/** Adds or replaces a segment: first, id, entries. */
export function putSegmentText(table: EntriesOwner): string {
  return `INSERT OR REPLACE INTO ${sqlSegments(table)} (first, id, entries) VALUES (?, ?, ?)`;
}

/** Deletes segments, without their entries: the least and the greatest of their first numbers. */
export function deleteSegmentsText(table: EntriesOwner): string {
  return `DELETE FROM ${sqlSegments(table)} WHERE first BETWEEN ? AND ?`;
}

/**
 * Copies the next entries of some segments, in order, into another: its id, for each of `count` segments its id and
 * the path, key and document after which to begin, and the maximum number.
 */
export function mergeText(table: EntriesOwner, count: number): string {
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
export function lastOfSegmentText(table: EntriesOwner): string {
  return (
    `SELECT path, value, document FROM ${sqlEntries(table)} WHERE segment = ? ` +
    'ORDER BY path DESC, value DESC, document DESC LIMIT 1'
  );
}

/** Adds an entry, if it is not after another: segment, path, key, document; path, key and document of the other. */
export function addEntryUpToText(table: EntriesOwner): string {
  const entry = 'SELECT ?1, ?2, ?3, ?4 WHERE (?2, ?3, ?4) <= (?5, ?6, ?7)';
  return `INSERT OR IGNORE INTO ${sqlEntries(table)} ${entry}`;
}

/** The entry of a segment after so many others. */
export function entryAtText(table: EntriesOwner): string {
  return (
    `SELECT path, value, document FROM ${sqlEntries(table)} WHERE segment = ? ` +
    'ORDER BY path, value, document LIMIT 1 OFFSET ?'
  );
}

/** Deletes the entries of a segment before one: segment, path, key and document. */
export function deleteEntriesBeforeText(table: EntriesOwner): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE segment = ? AND (path, value, document) < (?, ?, ?)`;
}

/** Deletes the entries of a segment. */
export function deleteEntriesText(table: EntriesOwner): string {
  return `DELETE FROM ${sqlEntries(table)} WHERE segment = ?`;
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
