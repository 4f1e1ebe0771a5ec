// The messages between the main thread and a scan thread.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';

/** What the thread is started with. */
export interface ScanSettings {
  readonly path: string;
}

/** A statement with the values bound in it. */
export interface ScanStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly readBigInts: boolean;
}

/** Statements to run in one snapshot, together one slice of a scan. */
export interface ScanRequest {
  /** Rows of the first statement are given until they have more bytes than this, at least one. */
  readonly maxBytes: number;
  /** Where they have more bytes, none is given: they would only be copied from thread to thread. */
  readonly allOrNone: boolean;
  readonly statements: readonly ScanStatement[];
}

/** What one slice of a long read found. */
export interface ScanFindings {
  /** As stored; a list per statement. */
  readonly rows: readonly (readonly SqlRowArray[])[];
  /** The rows of the first statement were too large to give all of them. */
  readonly isCut: boolean;
  readonly elapsedMs: number;
}

/** What was found, or why nothing was. */
export type ScanReply = ScanFindings | { readonly failure: PackedError };
