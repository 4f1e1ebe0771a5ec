// The messages between the main thread and the writer thread.

import type { FileUpgrade } from '../../../../foundation/sqlite/file-upgrade.js';
import type { MakingSums } from '../../../../foundation/sqlite/prepare-sums.js';
import type { ShippedLogSettings } from '../../../../foundation/sqlite/shipped-log.js';
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { DocumentResult } from './document-work.js';
import type { SegmentSizes } from './entry-segments.js';
import type { StepName } from './maintenance-steps.js';
import type { PackedStatements, WriteBatch, WriteJob } from './write-batch.js';

/** The settings of the thread. */
export interface WriterSettings {
  readonly path: string;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. 0 otherwise. */
  readonly commitDelayMs: number;
  /** Lets checkpoints wait until the log is shipped to an archive. */
  readonly shippedLog?: ShippedLogSettings | undefined;
  /** Tests only: segments of index entries so small that a few documents have several of them. */
  readonly entrySizes?: SegmentSizes | undefined;
}

/** Jobs to run, or a step of maintenance. */
export type WriterRequest = WriteBatch | PackedJob | DocumentJobs | StepRequest;

/** Jobs on documents; they cross the threads as objects, because they are few values with long texts. */
export interface DocumentJobs {
  readonly documentJobs: readonly DocumentJob[];
}

export type DocumentJob = Required<Pick<WriteJob, 'id' | 'table' | 'documents'>>;

/** A job of a guest, which the main thread passes on without reading it. */
export interface PackedJob extends Pick<WriteJob, 'id' | 'table'> {
  readonly packed: PackedStatements;
}

/** A step of maintenance, which runs after the jobs that were sent before, except late ones. */
export interface StepRequest {
  readonly stepId: number;
  readonly step: StepName;
  readonly argument: unknown;
}

/** The result of a step. */
export interface StepReply {
  readonly stepId: number;
  readonly result: unknown;
  readonly failure: PackedError | undefined;
}

/** Jobs that are done later than others with larger ids. */
export interface LateJobs {
  readonly lateIds: readonly number[];
}

/** One of these jobs is done: stored durably, if it did not fail. */
export interface LateReply {
  readonly lateId: number;
  readonly failure: PackedError | undefined;
  readonly result: DocumentResult | undefined;
}

/** The thread for long texts failed: the writer thread analyzes them itself, while other writes wait. */
export interface AnalysisFailure {
  readonly analysisFailure: PackedError;
}

/** What the thread finds or does while it opens the file; it is ready after that. */
export type OpeningMessage =
  | { readonly makingSums: MakingSums }
  | { readonly upgrade: FileUpgrade }
  | { readonly unknownObjects: readonly string[] }
  | { readonly openingFailure: PackedError };

/** What the thread sends. */
export type WriterMessage = OpeningMessage | WriterReply | LateJobs | LateReply | StepReply | AnalysisFailure;

/** All jobs up to an id are done, except late ones: stored durably, except those that failed. */
export interface WriterReply {
  readonly doneThrough: number;
  readonly failures: readonly (readonly [jobId: number, failure: PackedError])[];
  /** The results of jobs on documents. */
  readonly results: readonly (readonly [jobId: number, result: DocumentResult])[];
}
