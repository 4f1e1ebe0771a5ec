// Embeds texts with a provider, in batches.
import type { EmbeddingProvider, TextBatch } from './provider.js';
import { type BatchEffects, runBatches } from './run-batches.js';

/** Texts for a provider, in any number. */
export type EmbeddingTask = Omit<TextBatch, 'timeoutMs' | 'signal'> & {
  readonly provider: EmbeddingProvider;
};

/** One vector per text, in the same order. @throws ProviderFailure */
export function embedBatches(task: EmbeddingTask, effects: BatchEffects): Promise<readonly Float32Array[]> {
  const { provider, entry, texts } = task;
  return runBatches<string, Float32Array>(
    {
      items: texts,
      limits: entry.limits,
      run: (part, timeoutMs, signal) => provider.embed({ ...task, texts: part, timeoutMs, signal }, effects),
    },
    effects,
  );
}
