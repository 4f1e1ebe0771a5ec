// The messages between the main thread and a scan thread.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { WordFindings, WordSliceRequest } from '../postings/word-slices.js';

/** The settings of the thread. */
export interface ScanSettings {
  readonly path: string;
}

/** A statement with its bound values. */
export interface ScanStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly readBigInts: boolean;
  /** It is not run, and returns no rows, if the first statement returns so many. */
  readonly unlessRows?: number | undefined;
}

/** The statements of one slice of a scan, which run in one snapshot. */
export interface ScanRequest {
  /** Returns rows of the first statement until they exceed this size, but at least one. */
  readonly maxBytes: number;
  /** If the rows are larger, returns none, so that they are not copied between threads. */
  readonly allOrNone: boolean;
  readonly statements: readonly ScanStatement[];
  /** A slice of a text search, instead of statements. */
  readonly words?: WordSliceRequest;
}

/** The results of one slice of a long read. */
export interface ScanFindings {
  /** In their stored form; a list for each statement. */
  readonly rows: readonly (readonly SqlRowArray[])[];
  /** Whether rows of the first statement were omitted because they are too large. */
  readonly isCut: boolean;
  readonly elapsedMs: number;
  /** What a slice of a text search found besides rows. */
  readonly words?: WordFindings;
}

/** The results, or the error. */
export type ScanReply = ScanFindings | { readonly failure: PackedError };
