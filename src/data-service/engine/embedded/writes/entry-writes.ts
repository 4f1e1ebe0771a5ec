// Writes index entries of documents, inside the transaction of a commit.
import type { JsonObject } from '../../../../foundation/json/json-value.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { IsIndexed } from '../../../documents/entries.js';
import { addEntries } from '../../../documents/entries.js';
import type { EntriesOwner } from '../file/sql-names.js';
import { addEntriesText } from '../statements/entry-statements.js';
import type { EntrySegments } from './entry-segments.js';

/** A collection, as its entries are written. */
export interface EntryTable extends EntriesOwner {
  readonly isIndexed: IsIndexed;
  readonly segments: EntrySegments;
  /** The number of a path; a new path gets one. */
  pathNumber(path: string): number;
}

/** Entries per statement: more would not be faster, and every number of them is a statement of its own. */
const entriesPerStatement = 32;
/** Segment, path, key, document. */
export const entryWidth = 4;

/** Writes the entries of a document that has none: its number, see `EntrySegments.idForNew`, and its members. */
export function addDocumentEntries(
  database: Database,
  table: EntryTable,
  number: number,
  document: JsonObject,
): void {
  const entries: SqlValue[] = [];
  addEntries(document, table.isIndexed, (path, key) => {
    entries.push(0, table.pathNumber(path), key, number);
  });
  const segment = table.segments.idForNew(number, entries.length / entryWidth);
  for (let at = 0; at < entries.length; at += entryWidth) entries[at] = segment;
  writeEntries(database, table, entries);
}

/** Writes entries, `entryWidth` values each. */
export function writeEntries(database: Database, table: EntryTable, values: readonly SqlValue[]): void {
  for (let at = 0; at < values.length; at += entriesPerStatement * entryWidth) {
    const some = values.slice(at, at + entriesPerStatement * entryWidth);
    database.statement(addEntriesText(table, some.length / entryWidth)).run(some);
  }
}
