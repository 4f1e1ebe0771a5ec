// The errors of the engine for failures of the data file, for reads and writes on all threads.
import {
  DatabaseFailure,
  type DatabaseFailureKind,
  databaseFailureForm,
} from '../../../../foundation/sqlite/database-failure.js';
import { type PackedError, packError, unpackError } from '../../../../foundation/threads/crossing-error.js';
import { EngineError, engineErrorForm } from '../../engine-error.js';

/** Messages for clients; undefined for a fault of the server. */
const problems: Readonly<Record<Exclude<DatabaseFailureKind, 'schema' | 'io'>, string | undefined>> = {
  full: 'there is no room left on the disk',
  busy: 'another program holds the database file',
  corrupt: 'the database file is damaged',
  readOnly: 'the database file is read-only',
  tooBig: 'a value is too large to be stored',
  constraint: undefined,
  other: undefined,
};

/** The error for a failure; `cause` is kept for the operator. */
export function storageFailure(
  work: 'read' | 'write',
  kind: DatabaseFailureKind | 'bug',
  cause: Error,
): Error {
  if (kind === 'schema') return new EngineError('schemaChanged', 'the table changed', cause);
  const problem = problemOf(work, kind);
  if (problem === undefined) return new Error(`a ${work} failed: ${cause.message}`, { cause });
  return new EngineError(work === 'read' ? 'readFailed' : 'writeFailed', problem, cause);
}

/** The engine's error for a failed read; other errors are returned unchanged. */
export function toReadError(error: unknown): unknown {
  return error instanceof DatabaseFailure ? storageFailure('read', error.kind, error) : error;
}

/** The errors of reads that are sent between threads. */
const readErrors = [databaseFailureForm, engineErrorForm];

/** Converts the error of a failed read to a form that can be copied to another thread. */
export function packReadError(error: unknown): PackedError {
  return packError(error, readErrors);
}

/** The engine's error for a packed one. `work` describes the work: `a read failed in the scan thread`. */
export function unpackReadError(packed: PackedError, work: string): unknown {
  return toReadError(unpackError(packed, readErrors, work));
}

function problemOf(
  work: 'read' | 'write',
  kind: Exclude<DatabaseFailureKind, 'schema'> | 'bug',
): string | undefined {
  if (kind === 'io') return work === 'read' ? 'the disk could not be read' : 'the disk refused the write';
  return kind === 'bug' ? undefined : problems[kind];
}
