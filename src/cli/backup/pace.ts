// The pace of a copy beside a server that uses the same disk and processors.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** After each piece of work it rests, in proportion to the time that the piece took: on a busy disk it is slower. */
export class Pace {
  readonly #clock: Clock;
  readonly #restFactor: number;

  constructor(clock: Clock, restFactor: number) {
    this.#clock = clock;
    this.#restFactor = restFactor;
  }

  async work<Result>(piece: () => Result): Promise<Result> {
    const startedMs = this.#clock.monotonicMs();
    const result = piece();
    await delay((this.#clock.monotonicMs() - startedMs) * this.#restFactor);
    return result;
  }
}
