// What the main thread and the scan thread say to each other.
import type { DatabaseFailureKind } from '../../../foundation/sqlite/database-failure.js';
import type { SqlRowArray } from '../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../foundation/sqlite/sql-value.js';

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
  readonly id: number;
  readonly statements: readonly ScanStatement[];
}

/** The rows of each statement, or why there are none. */
export type ScanReply =
  | { readonly id: number; readonly rows: readonly (readonly SqlRowArray[])[]; readonly elapsedMs: number }
  | {
      readonly id: number;
      readonly failure: { readonly kind: DatabaseFailureKind | 'bug'; readonly message: string };
    };
