// The interface of reranking providers: their facts, and the function that ranks passages.
import type { ModelFacts, ProviderEffects, ProviderFacts, TextBatch } from './provider.js';

/** The facts of a reranking provider. The providers file can change them. */
export type RerankingEntry = ProviderFacts<ModelFacts>;

/** A passage of a document that a hybrid search found. */
export interface Passage {
  readonly text: string;
  /** The score of reciprocal rank fusion. */
  readonly fusionScore: number;
}

/** One request to a provider. */
export interface PassageBatch extends Pick<TextBatch, 'credential' | 'timeoutMs' | 'signal' | 'onCut'> {
  readonly entry: RerankingEntry;
  readonly model: ModelFacts;
  readonly query: string;
  /** At least one, at most `maxBatchSize`. */
  readonly passages: readonly Passage[];
}

/** Ranks passages. An entry of the registry, from which `docs/embedding-providers.md` is generated. */
export interface RerankingProvider {
  /** The name in the `service` of a collection: `nvidia`. */
  readonly name: string;
  /** One line for the reference. */
  readonly help: string;
  readonly entry: RerankingEntry;
  /**
   * One finite score per passage, in the same order: the greater, the better it answers the query. Scores of several
   * batches for one query can be compared.
   * @throws ProviderFailure
   */
  rank(batch: PassageBatch, effects: ProviderEffects): Promise<readonly number[]>;
}
