// Creates or migrates the data file before the engine uses it.
import { statSync } from 'node:fs';
import type { FileUpgrade } from '../../../../foundation/sqlite/file-upgrade.js';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { migrateSchema } from '../file/schema-store.js';
import { renewDocumentEntries } from './renew-document-entries.js';
import { renewTextIndexes } from './renew-text-indexes.js';

/** Who is notified of a migration. */
export interface UpgradeListener {
  readonly onUpgrade?: (upgrade: FileUpgrade) => void;
}

/** `onUpgrade`: for a file of an earlier release. @throws Error if a later one wrote it, or it cannot be opened */
export function prepareDataFile(path: string, onUpgrade?: UpgradeListener['onUpgrade']): void {
  const database = openDatabase({ path, busyTimeoutMs: 5_000 });
  try {
    refuseCutFile(database, path);
    const { from, to } = migrateSchema(database);
    renewTextIndexes(database);
    renewDocumentEntries(database);
    if (from > 0 && from < to) onUpgrade?.({ file: path, from, to });
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
