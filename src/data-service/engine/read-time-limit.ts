// The time limit of a read, for all of its work on all threads.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { ReadDeadline } from '../query/row-text.js';
import { EngineError } from './engine-error.js';

/** The time of one read in a form for other threads, whose clock may differ. */
export interface TimeLeft {
  readonly leftMs: number;
  /** The limit of the whole read. */
  readonly timeoutMs: number;
}

/** The time limit of one read, from its creation on. It includes finding, decoding and writing rows. */
export class ReadTimeLimit implements ReadDeadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #atMs: number;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#atMs = clock.monotonicMs() + timeoutMs;
  }

  check(): void {
    if (this.#clock.monotonicMs() > this.#atMs)
      throw new EngineError('timeout', `over ${this.#timeoutMs} ms`);
  }

  /** The remaining time. @throws EngineError `timeout` if the limit is exceeded */
  left(): TimeLeft {
    this.check();
    return { leftMs: this.#atMs - this.#clock.monotonicMs(), timeoutMs: this.#timeoutMs };
  }
}
