// Makes guessing passwords slow: delays per address and user, and one check at a time.
import { isIPv6 } from 'node:net';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { OpsError } from '../errors/ops-error.js';

/** Mistypings that cost nothing. */
const freeFailures = 2;
const maxDelayMs = 60_000;
/** After this time without an attempt the failures are forgotten. */
const memoryMs = 15 * 60_000;
/** Pairs that are remembered; the one that failed longest ago goes first. */
const maxPairs = 10_000;
const maxWaiting = 8;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** Lets attempts pass, or makes them wait. Other addresses are never kept out by failures of one. */
export class LoginThrottle {
  readonly #clock: Clock;
  /** In the order of the last failures. */
  readonly #failures = new Map<string, Failures>();
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `check` when it is its turn.
   * @throws OpsError `TooManyRequests` while this address has to wait with this user, or when too many wait
   */
  async attempt(address: string, user: string, check: () => Promise<boolean>): Promise<boolean> {
    const pair = `${networkOf(address)} ${user}`;
    const waitMs = this.#waitMs(pair);
    if (waitMs > 0) throw tooMany('too many failed logins', waitMs);
    if (this.#underWay > maxWaiting) throw tooMany('too many logins at a time', 1000);
    // It counts as failed until it has succeeded: attempts side by side must not be free.
    this.#fail(pair);
    this.#underWay += 1;
    const turn = this.#last.then(check, check);
    this.#last = turn.catch(() => {});
    try {
      const isRight = await turn;
      if (isRight) this.#failures.delete(pair);
      return isRight;
    } finally {
      this.#underWay -= 1;
    }
  }

  #waitMs(pair: string): number {
    const failures = this.#failures.get(pair);
    if (failures === undefined || failures.count <= freeFailures) return 0;
    const delayMs = Math.min(maxDelayMs, 1000 * 2 ** Math.min(30, failures.count - freeFailures - 1));
    return failures.lastMs + delayMs - this.#clock.monotonicMs();
  }

  #fail(pair: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#failures.get(pair);
    const isForgotten = known === undefined || nowMs - known.lastMs > memoryMs;
    this.#failures.delete(pair);
    this.#failures.set(pair, { count: isForgotten ? 1 : known.count + 1, lastMs: nowMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxPairs && oldest !== undefined) this.#failures.delete(oldest);
  }
}

function tooMany(what: string, waitMs: number): OpsError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new OpsError('TooManyRequests', `${what}: try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}

/** An IPv6 host has 2^64 addresses of its own: its network counts. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array.from({ length: missing }, () => '0')].slice(0, 4).join(':');
}
