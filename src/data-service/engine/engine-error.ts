// The kinds of failures of an engine, a closed list. Clients never see these errors: commands translate them.
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';

/** The kinds that callers distinguish. */
export type EngineErrorKind =
  /** The plan was made for an earlier schema: plan again. Nothing was changed. */
  | 'schemaChanged'
  /** Nodes that the plan needs did not answer. Nothing was changed: the call can be repeated, a few times. */
  | 'unavailable'
  /** The storage has too much to do. Nothing was done; to ask again at once would make it worse. */
  | 'overloaded'
  /** The storage cannot be reached. Nothing was done; it makes no difference to ask again at once. */
  | 'unreachable'
  /** The storage does not know the user, or the password is another: nothing was done. */
  | 'unauthenticated'
  /** The user of the storage may not do this: nothing was done. The message names the permission. */
  | 'notPermitted'
  /** The storage refused a write; nothing of the plan was stored. */
  | 'writeFailed'
  /** The storage refuses such a change of the schema: nothing was changed. The message gives the reason. */
  | 'refused'
  /**
   * A write, or a change of the schema, went over its time limit: it may be carried out, wholly or in part, now or
   * later. It is not asked again.
   */
  | 'writeTimeout'
  /** The server does not write at present, as it follows another one: nothing was done. The message says why. */
  | 'readOnly'
  /** A row would become larger than the engine allows; nothing of it was stored. */
  | 'tooLarge'
  /** Rows can never have columns of these types in addition: nothing was added. The message gives the reason. */
  | 'noRoom'
  /**
   * Rows contain values that the new index cannot contain: it was not created. The message names the column and some
   * rows.
   */
  | 'unindexable'
  /** Rows contain vectors that another service made: the column keeps its service. */
  | 'holdsVectors'
  /** The storage could not be read. */
  | 'readFailed'
  /** A read would take too much time or memory on this thread: it can be repeated on another thread. */
  | 'large'
  /** A read exceeded its time limit. */
  | 'timeout'
  /** The engine is closing. */
  | 'closed';

/** Thrown by engines; only commands translate it. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;

  /** `problem` is shown to clients: a message without paths or statements. The cause is not shown. */
  constructor(kind: EngineErrorKind, problem: string, cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** The error of an engine that is closing. */
export function engineClosed(): EngineError {
  return new EngineError('closed', 'the server is shutting down');
}

/** The form in which an EngineError is sent between threads, without its cause. */
export const engineErrorForm: ErrorForm = {
  kind: 'engine-error',
  pack: (error) => {
    if (!(error instanceof EngineError)) return undefined;
    return { kind: error.kind, message: error.message } satisfies PackedEngineError;
  },
  unpack: (packed) => {
    // It was packed by `pack`.
    const { kind, message } = packed as PackedEngineError;
    return new EngineError(kind, message);
  },
};

interface PackedEngineError {
  readonly kind: EngineErrorKind;
  readonly message: string;
}
