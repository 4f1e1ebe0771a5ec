// What the main thread and the writer thread say to each other.
import type { DatabaseFailureKind } from '../../../../foundation/sqlite/database-failure.js';
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { StepName } from './maintenance-steps.js';
import type { PackedStatements } from './packed-statements.js';
import type { WriteBatch, WriteJob } from './write-batch.js';

/** What the thread is started with. */
export interface WriterSettings {
  readonly path: string;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. 0 otherwise. */
  readonly commitDelayMs: number;
}

/** Jobs to carry out, a step of maintenance, or the order to end. */
export type WriterRequest = WriteBatch | PackedJob | StepRequest | 'close';

/** A job of another thread, which the main thread passes on as it came. */
export interface PackedJob extends Pick<WriteJob, 'id' | 'table'> {
  readonly packed: PackedStatements;
}

/** A step of maintenance, behind all jobs that were sent before. */
export interface StepRequest {
  readonly stepId: number;
  readonly step: StepName;
  readonly argument: unknown;
}

/** How a step ended. */
export interface StepReply {
  readonly stepId: number;
  readonly result: unknown;
  readonly failure: WriteFailure | undefined;
}

/** Why a job was not carried out. */
export interface WriteFailure {
  /**
   * `stale`: made for another version of the table. `check`: a check of the job found rows. `tooLarge`: rows would
   * become too large; the rest of the job was carried out.
   */
  readonly kind: DatabaseFailureKind | 'stale' | 'check' | 'tooLarge' | 'bug';
  readonly message: string;
  /** As stored, integers as `bigint`: what the check found. */
  readonly rows?: readonly SqlRowArray[];
  /** The places of the sets of values that are too large, counted through the statements of the job. */
  readonly tooLargeSets?: readonly number[];
}

/** All jobs up to an id are done: durably stored, but for those that failed. */
export interface WriterReply {
  readonly doneThrough: number;
  readonly failures: readonly (readonly [jobId: number, failure: WriteFailure])[];
}
