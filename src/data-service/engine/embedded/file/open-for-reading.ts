// Opens connections that only read the data file: each thread, and the check process, has its own.
import { join } from 'node:path';
import { embedded } from '../../../../foundation/config/engines/embedded.js';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { sqlFunctions } from './sql-functions.js';

/** For the recovery of the log when the file is opened. */
const busyTimeoutMs = 1_000;

/**
 * Opens the data file, which must exist, with the SQL functions of the engine.
 * @throws DatabaseFailure
 */
export function openForReading(path: string, cacheSizeBytes: number): Database {
  return openDatabase({ path, readOnly: true, cacheSizeBytes, busyTimeoutMs, functions: sqlFunctions });
}

/** Runs reads that see one snapshot of the file. @throws DatabaseFailure */
export function inSnapshot<Result>(database: Database, run: (database: Database) => Result): Result {
  try {
    database.exec('BEGIN');
    return run(database);
  } finally {
    database.endReading();
  }
}

/** The data file of a data directory. */
export function dataFile(dataDirectory: string): string {
  return join(dataDirectory, embedded.rowsFile);
}
