// Limits how often a costly result is computed: calls in between share the next result.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../telemetry/clock.js';

/** Each call gets a result whose computation started after the call. */
export class SharedResult<Result> {
  readonly #make: () => Promise<Result>;
  readonly #leastMs: number;
  readonly #clock: Clock;
  #next: Promise<Result> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #begunMs = Number.NEGATIVE_INFINITY;

  /** Computations start at least `leastMs` apart and do not overlap. */
  constructor(make: () => Promise<Result>, leastMs: number, clock: Clock) {
    this.#make = make;
    this.#leastMs = leastMs;
    this.#clock = clock;
  }

  /** Rejects with the error of the computation. */
  get(): Promise<Result> {
    this.#next ??= this.#makeNext();
    return this.#next;
  }

  async #makeNext(): Promise<Result> {
    await this.#running;
    const restMs = this.#begunMs + this.#leastMs - this.#clock.monotonicMs();
    if (restMs > 0) await pause(restMs);
    this.#begunMs = this.#clock.monotonicMs();
    this.#next = undefined;
    const made = this.#make();
    this.#running = made.catch(() => undefined); // the callers get the error
    return made;
  }
}
