// Sends a task to a provider: in batches of the size that it allows, in order, with retries, within a time limit.
import type { ProviderEffects, ProviderLimits } from './provider.js';
import { ProviderFailure } from './provider-failure.js';

/** Items for a provider, and how a batch of them is sent. */
export interface BatchTask<Item, Result> {
  readonly items: readonly Item[];
  readonly limits: ProviderLimits;
  /** One result per item, in the same order. Rejects with a ProviderFailure. */
  run(items: readonly Item[], timeoutMs: number, signal: AbortSignal): Promise<readonly Result[]>;
}

/** The effects that batches need. */
export interface BatchEffects extends ProviderEffects {
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
 * One result per item, in the same order. When a batch fails after its last attempt, the others are cancelled.
 * @throws ProviderFailure
 */
export async function runBatches<Item, Result>(
  task: BatchTask<Item, Result>,
  effects: BatchEffects,
): Promise<readonly Result[]> {
  const { items, limits } = task;
  const { maxBatchSize } = limits;
  const deadlineMs = effects.clock.monotonicMs() + totalTimeoutMs;
  const ending = new AbortController();
  const starts = Array.from({ length: Math.ceil(items.length / maxBatchSize) }, (_, at) => at * maxBatchSize);
  const waiting = starts.values();
  const results = new Array<Result>(items.length);
  const runNext = async () => {
    for (const start of waiting) {
      const part = { ...task, items: items.slice(start, start + maxBatchSize) };
      const found = await runWithRetries(part, deadlineMs, ending.signal, effects);
      for (const [at, result] of found.entries()) results[start + at] = result;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(maxConcurrent, starts.length) }, runNext));
  } finally {
    ending.abort();
  }
  return results;
}

async function runWithRetries<Item, Result>(
  { items, limits, run }: BatchTask<Item, Result>,
  deadlineMs: number,
  signal: AbortSignal,
  effects: BatchEffects,
): Promise<readonly Result[]> {
  for (let attempt = 1; ; attempt += 1) {
    const timeoutMs = Math.min(limits.timeoutMs, deadlineMs - effects.clock.monotonicMs());
    try {
      return await run(items, Math.max(1, Math.floor(timeoutMs)), signal);
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
  { firstDelayMs, maxDelayMs }: ProviderLimits,
  random: number,
): number {
  const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + random / 2);
  return Math.max(Math.round(delayMs), retryAfterMs ?? 0);
}
