// The queue in front of local models: one piece of work runs at a time, a bounded number of others waits.
import { NotBegun, WorkQueue } from '../../../foundation/limits/work-queue.js';
import { type Clock, systemClock } from '../../../foundation/telemetry/clock.js';
import { beginningOf } from '../../../foundation/text/shorten-text.js';
import { ProviderFailure } from '../provider-failure.js';

/** The pieces of work that wait. */
const mostWaiting = 256;
/** The characters of a text that reach a model; models use a few thousand. */
const mostCharacters = 65_536;
/** Work that takes so long, with the loading of its model, is ended from outside, with the models that are loaded. */
export const stuckMs = 60_000;
/** The heap has the tokenizers of models; their numbers are outside of it. */
export const heapMb = 1024;

/** When work is given up. */
interface WorkLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The beginnings of texts that models get. */
export function beginningsOf(texts: readonly string[]): readonly string[] {
  return texts.map((text) => beginningOf(text, mostCharacters));
}

/** A queue of work for models. */
export class ModelQueue {
  readonly #queue = new WorkQueue({ places: 1, mostWaiting });
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#clock = clock;
  }

  /**
   * Runs work when its turn comes, with the time that is left then: what was given up must not keep the next ones
   * waiting. Rejects with a ProviderFailure, or as the work does.
   */
  run<Result>({ timeoutMs, signal }: WorkLimits, work: (leftMs: number) => Promise<Result>): Promise<Result> {
    const endMs = this.#clock.monotonicMs() + timeoutMs;
    const begin = () => work(Math.max(1, Math.ceil(endMs - this.#clock.monotonicMs())));
    return new Promise((resolve, reject) => {
      const ending = new AbortController();
      const giveUp = (failure: ProviderFailure) => {
        ending.abort(); // what waits leaves the queue
        reject(failure);
      };
      const abort = () => giveUp(new ProviderFailure('unreachable', 'the request was cancelled'));
      const timer = setTimeout(() => {
        const hint = 'its model may still be loading, or other texts come first';
        giveUp(new ProviderFailure('timeout', `the texts were not read in ${timeoutMs} ms; ${hint}`));
      }, timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      this.#inTurn(begin, ending.signal)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
        });
    });
  }

  /** Refuses work that waits. */
  close(): void {
    this.#queue.close();
  }

  async #inTurn<Result>(work: () => Promise<Result>, gone: AbortSignal): Promise<Result> {
    try {
      const whenGone = (listener: () => void) => gone.addEventListener('abort', listener, { once: true });
      return await this.#queue.run(1, work, whenGone);
    } catch (error) {
      if (error instanceof NotBegun)
        throw new ProviderFailure('rateLimited', error.message, { cause: error });
      throw error;
    }
  }
}

/** The vectors of `count` texts, whose numbers are one behind the other. */
export function vectorsOf(numbers: Float32Array, count: number): readonly Float32Array[] {
  const dimension = numbers.length / count;
  return Array.from({ length: count }, (_, at) => numbers.slice(at * dimension, (at + 1) * dimension));
}
