// Creates or migrates the data file before the engine uses it.
import { statSync } from 'node:fs';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { type Migrated, migrateSchema } from '../file/schema-store.js';
import { renewDocumentEntries } from './renew-document-entries.js';
import { renewTextIndexes } from './renew-text-indexes.js';

/** Returns the versions of the file before and now. @throws Error if a later release wrote the file, or it cannot be opened */
export function prepareDataFile(path: string): Migrated {
  const database = openDatabase({ path, busyTimeoutMs: 5_000 });
  try {
    refuseCutFile(database, path);
    const migrated = migrateSchema(database);
    renewTextIndexes(database);
    renewDocumentEntries(database);
    return migrated;
  } finally {
    database.close();
  }
}

/** SQLite reads the missing end of a truncated last page as zeros, and would return wrong values without an error. */
function refuseCutFile(database: Database, path: string): void {
  const pageBytes = Number(database.statement('PRAGMA page_size').get()?.['page_size']);
  // If there is a log, the file may end anywhere, because the log has the missing pages.
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog && statSync(path).size % pageBytes !== 0) throw new Error('the file lacks its end');
}
