// Logs why the storage failed, however many requests it fails.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { ApiError } from '../errors/api-error.js';

/** Failures with one code are logged once in this time: while a cluster is away, every request fails. */
const pauseMs = 1_000;

/** When the next failure with a code is logged, and how many were not since the last one. */
interface Pause {
  readonly untilMs: number;
  notLogged: number;
}

/** Logs the reasons of failures of the storage: clients see only that it failed. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** By the codes of errors, of which there are some dozens. */
  readonly #pauses = new Map<string, Pause>();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /**
   * Logs errors of the server; `notLogged` in an entry counts those with its code that came during a pause.
   * A server that refuses writes logs the reason where it begins, and not with each write.
   */
  log(errors: readonly ApiError[]): void {
    for (const { family, cause, code } of errors)
      if (family === 'SERVER' && cause !== undefined && code !== 'READ_ONLY_SERVER')
        this.#logOne(code, cause);
  }

  #logOne(code: string, cause: unknown): void {
    const nowMs = this.#clock.monotonicMs();
    const pause = this.#pauses.get(code);
    if (pause !== undefined && nowMs < pause.untilMs) {
      pause.notLogged += 1;
      return;
    }
    this.#pauses.set(code, { untilMs: nowMs + pauseMs, notLogged: 0 });
    const more = pause === undefined || pause.notLogged === 0 ? {} : { notLogged: pause.notLogged };
    this.#logger.error({ err: cause, code, ...more }, 'a command failed');
  }
}
