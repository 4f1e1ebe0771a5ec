// The questions to the process of transformers, and its answers.
import type { Purpose } from '../provider.js';
import type { ProviderProblem } from '../provider-failure.js';
import type { PackedScores } from './reranker-model.js';
import type { PackedVectors } from './transformer-model.js';

/** What the process gets at its start. */
export interface TransformerProcessData {
  /** The directory of all models. */
  readonly directory: string;
}

/** Texts that become vectors as one piece of work. */
export interface EmbedQuestion {
  readonly kind: 'embed';
  readonly model: string;
  /** The fingerprint that the model had when the server was started. */
  readonly fingerprint: string;
  readonly purpose: Purpose;
  readonly texts: readonly string[];
  /** What is not begun after this time is given up. */
  readonly timeoutMs: number;
}

/** Passages that are scored as one piece of work. */
export interface RankQuestion {
  readonly kind: 'rank';
  readonly model: string;
  readonly query: string;
  readonly passages: readonly string[];
  readonly timeoutMs: number;
}

export type TransformerQuestion = EmbedQuestion | RankQuestion;

/** One for each question, in their order. A failure is that of a ProviderFailure. */
export type TransformerAnswer =
  | ({ readonly kind: 'vectors' } & PackedVectors)
  | ({ readonly kind: 'scores' } & PackedScores)
  | { readonly kind: 'failure'; readonly problem: ProviderProblem; readonly message: string };
