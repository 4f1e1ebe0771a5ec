// The pace of a copy beside a server that uses the same disk and processors.
import { setTimeout as delayOfSystem } from 'node:timers/promises';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** After each piece of work it rests, in proportion to the time that the piece took: on a busy disk it is slower. */
export class Pace {
  readonly #clock: Clock;
  readonly #restFactor: number;
  readonly #delay: (ms: number) => Promise<void>;

  /** With a delay of their own, tests need not wait. */
  constructor(clock: Clock, restFactor: number, delay: (ms: number) => Promise<void> = delayOfSystem) {
    this.#clock = clock;
    this.#restFactor = restFactor;
    this.#delay = delay;
  }

  async work<Result>(piece: () => Result): Promise<Result> {
    const startedMs = this.#clock.monotonicMs();
    const result = piece();
    await this.#delay((this.#clock.monotonicMs() - startedMs) * this.#restFactor);
    return result;
  }
}
