// Ranks passages with a provider, in batches.
import type { Credential, ModelFacts } from './provider.js';
import type { Passage, RerankingEntry, RerankingProvider } from './reranking-provider.js';
import { type BatchEffects, runBatches } from './run-batches.js';

/** The provider, the query and the passages. */
export interface RankingTask {
  readonly provider: RerankingProvider;
  readonly entry: RerankingEntry;
  readonly model: ModelFacts;
  readonly credential: Credential | undefined;
  readonly query: string;
  readonly passages: readonly Passage[];
}

/** One score per passage, in the same order. @throws ProviderFailure */
export function rankPassages(task: RankingTask, effects: BatchEffects): Promise<readonly number[]> {
  const { provider, entry, passages } = task;
  return runBatches<Passage, number>(
    {
      items: passages,
      limits: entry.limits,
      run: (part, timeoutMs, signal) =>
        provider.rank({ ...task, passages: part, timeoutMs, signal }, effects),
    },
    effects,
  );
}
