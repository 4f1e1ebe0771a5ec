// Embeds texts with a provider, in batches.
import type {
  Credential,
  EmbeddingProvider,
  ParameterValue,
  ProviderEntry,
  ProviderModel,
  Purpose,
} from './provider.js';
import { type BatchEffects, runBatches } from './run-batches.js';

/** The provider and the parameters of the embedding. */
export interface EmbeddingTask {
  readonly provider: EmbeddingProvider;
  readonly entry: ProviderEntry;
  readonly model: ProviderModel;
  readonly dimension: number;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly credential: Credential | undefined;
  readonly purpose: Purpose;
  readonly texts: readonly string[];
}

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
