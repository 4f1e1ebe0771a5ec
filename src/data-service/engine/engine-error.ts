// The closed list of ways in which an engine can fail. Clients never see these: commands translate them.
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';

/** What failed, as far as callers act on it. */
export type EngineErrorKind =
  /** The plan was made for a schema that is gone: plan again. Nothing was done. */
  | 'schemaChanged'
  /** Nodes that the plan needs did not answer. Nothing was done: the same may be asked again, a few times. */
  | 'unavailable'
  /** The storage refused a write; nothing of the plan was stored. */
  | 'writeFailed'
  /** A row would become larger than the engine takes; nothing of it was stored. */
  | 'tooLarge'
  /** Rows have no place for columns of these types, and will have none: nothing was added. The message says why. */
  | 'noRoom'
  /** Rows hold values that the new index cannot: there is no index. The message names the column and some rows. */
  | 'unindexable'
  /** Rows hold vectors that the new service would not have made: the column keeps the one it has. */
  | 'holdsVectors'
  /** The storage could not be read. */
  | 'readFailed'
  /** A read would take too much time or memory on this thread: the same may be asked on one that waits for nobody. */
  | 'large'
  /** A read went over its time limit. */
  | 'timeout'
  /** The engine is closing. */
  | 'closed';

/** Thrown by engines; only commands translate it. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;

  /** `problem` is shown to clients: in words, without paths or statements. The cause stays private. */
  constructor(kind: EngineErrorKind, problem: string, cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** The refusal of an engine that is closing. */
export function engineClosed(): EngineError {
  return new EngineError('closed', 'the server is shutting down');
}

/** How an EngineError crosses between threads; its cause stays behind. */
export const engineErrorForm: ErrorForm = {
  kind: 'engine-error',
  pack: (error) => {
    if (!(error instanceof EngineError)) return undefined;
    return { kind: error.kind, message: error.message } satisfies PackedEngineError;
  },
  unpack: (packed) => {
    // It was packed above.
    const { kind, message } = packed as PackedEngineError;
    return new EngineError(kind, message);
  },
};

interface PackedEngineError {
  readonly kind: EngineErrorKind;
  readonly message: string;
}
