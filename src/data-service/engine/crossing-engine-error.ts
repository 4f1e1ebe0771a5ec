// How failures of an engine cross between threads; their causes stay behind.
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';
import { EngineError, type EngineErrorKind } from './engine-error.js';

/** The form of EngineError. */
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
