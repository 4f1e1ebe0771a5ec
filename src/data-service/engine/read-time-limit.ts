// How long a read may take: one limit for all of its work, on whichever thread.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { ReadDeadline } from '../query/row-text.js';
import { EngineError } from './engine-error.js';

/** The time of one read, as another thread is given it: its clock may be another one. */
export interface TimeLeft {
  readonly leftMs: number;
  /** Of the whole read. */
  readonly timeoutMs: number;
}

/** The time of one read, from the moment it is made. It covers looking for rows, decoding and writing them. */
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

  /** As it is now. @throws EngineError `timeout` once the time is over */
  left(): TimeLeft {
    this.check();
    return { leftMs: this.#atMs - this.#clock.monotonicMs(), timeoutMs: this.#timeoutMs };
  }
}
