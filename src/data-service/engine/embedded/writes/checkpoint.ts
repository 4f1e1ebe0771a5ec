// Moves the write-ahead log into the data file, without waiting for readers.
import type { Database } from '../../../../foundation/sqlite/open-database.js';

/** How long the writer waits for another program that has locked the file; maintenance does not wait. */
export const writerBusyTimeoutMs = 5_000;

/** What a checkpoint did. */
export interface CheckpointResult {
  /** Whether all of the log is in the file and, with `TRUNCATE`, the log is empty: no reader prevented it. */
  readonly isWhole: boolean;
  /** The pages of the log that are in the file. */
  readonly pages: number;
}

/**
 * Moves as much of the log into the file as no reader needs; `TRUNCATE` also empties the log.
 * @throws DatabaseFailure
 */
export function checkpoint(database: Database, mode: 'PASSIVE' | 'TRUNCATE'): CheckpointResult {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    const row = database.statement(`PRAGMA wal_checkpoint(${mode})`).get() ?? {};
    const [busy, log, pages] = [row['busy'], row['log'], row['checkpointed']].map(Number);
    return { isWhole: busy === 0 && log === pages, pages: Math.max(0, pages ?? 0) };
  } finally {
    database.exec(`PRAGMA busy_timeout = ${writerBusyTimeoutMs}`);
  }
}
