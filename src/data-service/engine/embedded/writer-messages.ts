// What the main thread and the writer thread say to each other.
import type { DatabaseFailureKind } from '../../../foundation/sqlite/database-failure.js';
import type { WriteStatement } from './write-statements.js';

export interface WriterSettings {
  readonly path: string;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. 0 otherwise. */
  readonly commitDelayMs: number;
}

/** Statements that are carried out together or not at all. */
export interface WriteJob {
  /** Rises by one from job to job. */
  readonly id: number;
  readonly statements: readonly WriteStatement[];
  /** The table the statements were made for; refused when it is gone or changed. Absent for schema changes. */
  readonly table?: { readonly id: number; readonly version: number };
  /** Schema changes: the versions of tables after this job; null for one that is gone. */
  readonly tableVersions?: readonly (readonly [tableId: number, version: number | null])[];
}

export type WriterRequest =
  | { readonly kind: 'jobs'; readonly jobs: readonly WriteJob[] }
  | { readonly kind: 'close' };

export interface WriteFailure {
  /** `stale`: made for another version of the table. */
  readonly kind: DatabaseFailureKind | 'stale' | 'bug';
  readonly message: string;
}

/** All jobs up to an id are done: durably stored, but for those that failed. */
export interface WriterReply {
  readonly doneThrough: number;
  readonly failures: readonly (readonly [jobId: number, failure: WriteFailure])[];
}
