// Creates or migrates the data file before the engine uses it.
import { statSync } from 'node:fs';
import type { FileUpgrade } from '../../../../foundation/sqlite/file-upgrade.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { MakingSums } from '../../../../foundation/sqlite/prepare-sums.js';
import { migrateSchema } from '../file/schema-store.js';
import { renewDocumentEntries } from './renew-document-entries.js';
import { renewTextIndexes } from './renew-text-indexes.js';
import { unknownInDataFile } from './unknown-objects.js';

/** Gets notice of what is found in a file when it is opened, and of work that takes long. */
export interface DataFileListener {
  /** Called after the migration of a file of an earlier release. */
  readonly onUpgrade?: (upgrade: FileUpgrade) => void;
  /** Called with sentences about the objects in the file that the schema does not name. */
  readonly onUnknownObjects?: (problems: readonly string[]) => void;
  /** Called before and after checksums of the pages of a large file are made. */
  readonly onMakingSums?: (making: MakingSums) => void;
}

/**
 * `database` is the connection that writes from then on. @throws Error if a later release wrote the file,
 * DatabaseFailure
 */
export function prepareDataFile(
  database: Database,
  path: string,
  { onUpgrade, onUnknownObjects }: Required<Omit<DataFileListener, 'onMakingSums'>>,
): void {
  refuseCutFile(database, path);
  const { from, to } = migrateSchema(database);
  renewTextIndexes(database);
  renewDocumentEntries(database);
  if (from > 0 && from < to) onUpgrade({ file: path, from, to });
  const unknown = unknownInDataFile(database);
  if (unknown.length > 0) onUnknownObjects(unknown);
}

/** SQLite reads the missing end of a truncated last page as zeros, and would return wrong values without an error. */
function refuseCutFile(database: Database, path: string): void {
  const pageBytes = Number(database.statement('PRAGMA page_size').get()?.['page_size']);
  // If there is a log, the file may end anywhere, because the log has the missing pages.
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog && statSync(path).size % pageBytes !== 0) throw new Error('the file lacks its end');
}
