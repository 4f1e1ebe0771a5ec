// A warning about something that can happen many times a second: logged at most once a minute.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';

const warnEveryMs = 60_000;

/** Counts occurrences, and logs warnings about them. */
export class RareWarning {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #message: string;
  #count = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;
  #loggedCount = 0;

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }, message: string) {
    this.#logger = logger;
    this.#clock = clock;
    this.#message = message;
  }

  /** The number of occurrences. */
  get count(): number {
    return this.#count;
  }

  /** Counts an occurrence. */
  note(fields: Readonly<Record<string, unknown>> = {}): void {
    this.#count += 1;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#loggedMs < warnEveryMs) return;
    this.#loggedMs = nowMs;
    this.#logger.warn({ ...fields, times: this.#count - this.#loggedCount }, this.#message);
    this.#loggedCount = this.#count;
  }
}
