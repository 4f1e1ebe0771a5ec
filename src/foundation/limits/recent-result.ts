// Gives a costly result again for a time: for readers to whom a result of a moment ago is as good as a new one.
import type { Clock } from '../telemetry/clock.js';

/** One result at a time. Calls during a computation share it. */
export class RecentResult<Result> {
  readonly #make: () => Promise<Result>;
  readonly #keptMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #last: { readonly result: Promise<Result>; endMs: number } | undefined;

  /** A result, also an error, is given again for `keptMs` after it was there. */
  constructor(make: () => Promise<Result>, keptMs: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#make = make;
    this.#keptMs = keptMs;
    this.#clock = clock;
  }

  /** Rejects with the error of the computation. */
  get(): Promise<Result> {
    if (this.#last !== undefined && this.#clock.monotonicMs() < this.#last.endMs) return this.#last.result;
    const result = this.#make();
    const last = { result, endMs: Number.POSITIVE_INFINITY };
    this.#last = last;
    const keep = () => {
      last.endMs = this.#clock.monotonicMs() + this.#keptMs;
    };
    result.then(keep, keep); // the callers get an error
    return result;
  }
}
