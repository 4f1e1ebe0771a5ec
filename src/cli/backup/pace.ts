// The pace of a copy, which a server beside it changes.
import { setTimeout as delayOfSystem } from 'node:timers/promises';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** How long a copy rests after each piece, as a multiple of the time that the piece took. */
const restFactor = 2;
/** How often the copy asks for a server, in ms. */
const askEveryMs = 1_000;

/**
 * Beside a server that uses the same disk and processors it rests after each piece of work, in proportion to the time
 * that the piece took: on a busy disk it is slower.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #findServer: () => boolean;
  readonly #delay: (ms: number) => Promise<void>;
  #hasServer = false;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** With a delay of their own, tests need not wait. */
  constructor(clock: Clock, findServer: () => boolean, delay: (ms: number) => Promise<void> = delayOfSystem) {
    this.#clock = clock;
    this.#findServer = findServer;
    this.#delay = delay;
  }

  /** Whether a server ran a short time ago: one may start or stop while a copy is made. */
  isBesideServer(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#askedMs >= askEveryMs) {
      this.#askedMs = nowMs;
      this.#hasServer = this.#findServer();
    }
    return this.#hasServer;
  }

  async work<Result>(piece: () => Result): Promise<Result> {
    const startedMs = this.#clock.monotonicMs();
    const result = piece();
    await this.#delay((this.#clock.monotonicMs() - startedMs) * restFactor);
    return result;
  }
}
