// Ranks passages with a provider, in batches.
import type { Passage, PassageBatch, RerankingProvider } from './reranking-provider.js';
import { type BatchEffects, runBatches } from './run-batches.js';

/** Passages for a provider, in any number. */
export type RankingTask = Omit<PassageBatch, 'timeoutMs' | 'signal'> & {
  readonly provider: RerankingProvider;
};

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
