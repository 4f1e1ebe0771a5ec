// Failed reads on their way from a reading thread to the main one: plain data, as copies of errors lose their class.
import { DatabaseFailure, type DatabaseFailureKind } from '../../../../foundation/sqlite/database-failure.js';
import { toReadError } from './storage-failure.js';

/** Why a thread could not read. */
export interface ThreadFailure {
  readonly kind: DatabaseFailureKind | 'bug';
  readonly message: string;
}

/** What the thread says of an error. */
export function packFailure(error: unknown): ThreadFailure {
  return {
    kind: error instanceof DatabaseFailure ? error.kind : 'bug',
    message: error instanceof Error ? error.message : String(error),
  };
}

/** What that is to the engine's callers. `work` in words: `a read failed in the scan thread`. */
export function unpackFailure({ kind, message }: ThreadFailure, work: string): unknown {
  return kind === 'bug' ? new Error(`${work}: ${message}`) : toReadError(new DatabaseFailure(kind, message));
}
