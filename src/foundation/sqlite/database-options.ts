// How a SQLite file is opened.
import type { ShippedLogSettings } from './shipped-log.js';
import type { SqlValue } from './sql-value.js';

/** Which file, and how it is used. */
export interface DatabaseOptions {
  /** The path of the file, which is created if missing, or `:memory:`. */
  readonly path: string;
  /** Read-only; the file must exist. */
  readonly readOnly?: boolean;
  /** `delete` (a rollback journal) is for files that only serve as locks. Default `wal`. */
  readonly journalMode?: 'wal' | 'delete';
  /** How long a statement waits for a lock. Default 0: it does not wait. */
  readonly busyTimeoutMs?: number;
  readonly cacheSizeBytes?: number;
  /** Pages in the write-ahead log after which a commit starts a checkpoint; 0 for never. Default 1000. */
  readonly walAutocheckpointPages?: number;
  /**
   * Keeps checksums of the pages in a file beside this one, see `SummedLog`. Only one connection of all processes may
   * write then. Checkpoints then begin soon after a log has so many pages: after at most 16 small commits, or a large
   * one.
   */
  readonly hasPageSums?: boolean;
  /** Lets checkpoints wait until the log is shipped to an archive, see `CheckpointGate`. It takes `hasPageSums`. */
  readonly shippedLog?: ShippedLogSettings | undefined;
  /** How much of the file is read through memory mapping. Default 0. */
  readonly mmapSizeBytes?: number;
  /** Functions to call in SQL. */
  readonly functions?: SqlFunctions;
  /** Prepared statements kept; those with long texts count as several. Default 500. */
  readonly statementCacheSize?: number;
}

/** Functions by name. They must be deterministic, because indexes use them. */
export type SqlFunctions = Readonly<Record<string, (...values: SqlValue[]) => SqlValue>>;
