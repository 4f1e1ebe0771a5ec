// Embeds texts with a provider: in batches of the size that it allows, in order, with retries, within a time limit.
import type {
  Credential,
  EmbeddingProvider,
  ParameterValue,
  ProviderEffects,
  ProviderEntry,
  ProviderModel,
  Purpose,
} from './provider.js';
import { ProviderFailure } from './provider-failure.js';

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

/** The effects that the batches need. */
export interface EmbedEffects extends ProviderEffects {
  /** Resolves after a while; rejects as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a number from 0 to 1. */
  random(): number;
}

/** The time limit of all batches and attempts: official clients wait 10 s for a reply. */
const totalTimeoutMs = 9_000;
/** Simultaneous requests of one task. */
const maxConcurrent = 8;

/**
 * One vector per text, in the same order. When a batch fails after its last attempt, the others are cancelled.
 * @throws ProviderFailure
 */
export async function embedBatches(
  task: EmbeddingTask,
  effects: EmbedEffects,
): Promise<readonly Float32Array[]> {
  const { texts, entry } = task;
  const { maxBatchSize } = entry.limits;
  const deadlineMs = effects.clock.monotonicMs() + totalTimeoutMs;
  const ending = new AbortController();
  const starts = Array.from({ length: Math.ceil(texts.length / maxBatchSize) }, (_, at) => at * maxBatchSize);
  const waiting = starts.values();
  const vectors = new Array<Float32Array>(texts.length);
  const embedNext = async () => {
    for (const start of waiting) {
      const part = { ...task, texts: texts.slice(start, start + maxBatchSize) };
      const found = await embedWithRetries(part, deadlineMs, ending.signal, effects);
      for (const [at, vector] of found.entries()) vectors[start + at] = vector;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(maxConcurrent, starts.length) }, embedNext));
  } finally {
    ending.abort();
  }
  return vectors;
}

async function embedWithRetries(
  task: EmbeddingTask,
  deadlineMs: number,
  signal: AbortSignal,
  effects: EmbedEffects,
): Promise<readonly Float32Array[]> {
  const { limits } = task.entry;
  for (let attempt = 1; ; attempt += 1) {
    const timeoutMs = Math.min(limits.timeoutMs, deadlineMs - effects.clock.monotonicMs());
    try {
      return await task.provider.embed(
        { ...task, timeoutMs: Math.max(1, Math.floor(timeoutMs)), signal },
        effects,
      );
    } catch (error) {
      const isFinal = signal.aborted || attempt >= limits.maxAttempts;
      if (!(error instanceof ProviderFailure) || !error.mayPass || isFinal) throw error;
      const delayMs = delayBefore(attempt, error, limits, effects.random());
      if (effects.clock.monotonicMs() + delayMs >= deadlineMs) throw error;
      await effects.sleep(delayMs, signal);
    }
  }
}

/** Doubles with each attempt, with random jitter, so that many clients do not retry at the same time. */
function delayBefore(
  attempt: number,
  { retryAfterMs }: ProviderFailure,
  { firstDelayMs, maxDelayMs }: ProviderEntry['limits'],
  random: number,
): number {
  const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + random / 2);
  return Math.max(Math.round(delayMs), retryAfterMs ?? 0);
}
