// The calls of the thread of local models.
import type { ErrorForm } from '../../../foundation/threads/crossing-error.js';
import type { MovedResult } from '../../../foundation/threads/thread-link.js';
import type { CutTexts, Purpose } from '../provider.js';
import { ProviderFailure, type ProviderProblem } from '../provider-failure.js';

/** The message of texts for a model whose files were replaced. */
export const filesChanged =
  'its files have changed since the server was started: put the former files back, or start the server again';

/** The settings of the thread. */
export interface ModelThreadData {
  /** The directory of all models. */
  readonly directory: string;
}

/** A batch that the thread embeds as one piece of work. */
export interface TextsForModel {
  readonly model: string;
  /** The fingerprint that the model had when the server was started. */
  readonly fingerprint: string;
  readonly purpose: Purpose;
  readonly texts: readonly string[];
  /** Texts that are not embedded after this time are given up. */
  readonly timeoutMs: number;
}

/** The vectors of a batch. */
export interface PackedVectors {
  /** The numbers of all vectors, one vector behind the other. */
  readonly numbers: Float32Array;
  readonly cut: CutTexts | undefined;
}

/** The calls that the thread answers, in their order. */
export interface ModelThreadCalls {
  /** Rejects with a ProviderFailure. */
  embed(wanted: TextsForModel): Promise<MovedResult<PackedVectors>>;
}

interface PackedFailure {
  readonly problem: ProviderProblem;
  readonly message: string;
}

/** A ProviderFailure crosses as one. */
export const modelErrors: readonly ErrorForm[] = [
  {
    kind: 'provider failure',
    pack: (error): PackedFailure | undefined =>
      error instanceof ProviderFailure ? { problem: error.problem, message: error.message } : undefined,
    unpack: (packed) => {
      const { problem, message } = packed as PackedFailure; // from `pack`
      return new ProviderFailure(problem, message);
    },
  },
];
