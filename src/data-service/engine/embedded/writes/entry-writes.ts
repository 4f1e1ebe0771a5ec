// Writes index entries of documents, inside the transaction of a commit.
import type { JsonText } from '../../../../foundation/json/json-value.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { parsedObject } from '../../../documents/document-columns.js';
import { addEntries } from '../../../documents/entries.js';
import { addEntriesText } from '../statements/entry-statements.js';
import type { DocumentTable } from './document-tables.js';

/** Entries per statement: more would not be faster, and every number of them is a statement of its own. */
const entriesPerStatement = 32;
/** Segment, path, key, document. */
export const entryWidth = 4;

/** Writes the entries of a new document: its number, which is above all others, and its text. */
export function addDocumentEntries(
  database: Database,
  table: DocumentTable,
  number: number,
  text: JsonText,
): void {
  const entries: SqlValue[] = [];
  addEntries(parsedObject(text), table.isIndexed, (path, key) => {
    entries.push(0, table.pathNumber(path), key, number);
  });
  const segment = table.segments.idForNew(number, entries.length / entryWidth);
  for (let at = 0; at < entries.length; at += entryWidth) entries[at] = segment;
  writeEntries(database, table, entries);
}

/** Writes entries, `entryWidth` values each. */
export function writeEntries(database: Database, table: DocumentTable, values: readonly SqlValue[]): void {
  for (let at = 0; at < values.length; at += entriesPerStatement * entryWidth) {
    const some = values.slice(at, at + entriesPerStatement * entryWidth);
    database.statement(addEntriesText(table, some.length / entryWidth)).run(some);
  }
}
