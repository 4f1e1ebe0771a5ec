// The connections that only read the data file: each thread, and the check process, has one of its own.
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { sqlFunctions } from './sql-functions.js';

/** For what recovers the log when the file is opened, which others wait for. */
const busyTimeoutMs = 1_000;

/**
 * Opens the data file, which must be there, with the functions of our statements.
 * @throws DatabaseFailure
 */
export function openForReading(path: string, cacheSizeBytes: number): Database {
  return openDatabase({ path, readOnly: true, cacheSizeBytes, busyTimeoutMs, functions: sqlFunctions });
}

/** Runs reads that see one state of the file. @throws DatabaseFailure */
export function inSnapshot<Result>(database: Database, run: (database: Database) => Result): Result {
  try {
    database.exec('BEGIN');
    return run(database);
  } finally {
    database.endReading();
  }
}

/** Where the rows of a data directory are. */
export function dataFile(dataDirectory: string): string {
  return join(dataDirectory, 'data.db');
}
