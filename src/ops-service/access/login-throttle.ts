// Makes guessing passwords slow: delays per address and user, and one check at a time.
import { isIPv6 } from 'node:net';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { OpsError } from '../errors/ops-error.js';

/** Failures of one user before delays begin. */
const freeFailures = 2;
/** Failures of all users of one address before delays begin: the address may be that of a proxy or an office. */
const freeFailuresOfAddress = 20;
const maxDelayMs = 60_000;
/**
 * Behind a proxy, all users have one address: a longer delay would let one stranger, who tries a new name each minute,
 * keep all of them out. The delays of each user remain.
 */
const maxDelayOfAddressMs = 1000;
/** After this time without an attempt the failures are forgotten. */
const memoryMs = 15 * 60_000;
/**
 * The maximum number of remembered addresses and pairs of address and user; the one that failed longest ago is removed
 * first.
 */
const maxRemembered = 10_000;
/** One attempt is checked, eight wait. */
const maxUnderWay = 9;
/** The maximum number of attempts of one address; the rest is for other addresses. */
const maxUnderWayOfAddress = 3;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** Admits attempts, or refuses them for some time. Failures from one address never delay another address. */
export class LoginThrottle {
  readonly #clock: Clock;
  /** The failures of each address, and of each address and user, in the order of the last failures. */
  readonly #failures = new Map<string, Failures>();
  #last: Promise<unknown> = Promise.resolve();
  /** The addresses of all attempts that are checked or wait. */
  readonly #underWay: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `check` when it is its turn.
   * @throws OpsError `TooManyRequests` while this address must wait, with this user or with any, or when too many wait
   */
  async attempt(address: string, user: string, check: () => Promise<boolean>): Promise<boolean> {
    const network = networkOf(address);
    const pair = `${network} ${user}`;
    const waitMs = Math.max(
      this.#waitMs(pair, freeFailures, maxDelayMs),
      this.#waitMs(network, freeFailuresOfAddress, maxDelayOfAddressMs),
    );
    if (waitMs > 0) throw tooMany('too many failed logins', waitMs);
    const ofAddress = this.#underWay.filter((other) => other === network).length;
    if (this.#underWay.length >= maxUnderWay || ofAddress >= maxUnderWayOfAddress) {
      throw tooMany('too many logins at a time', 1000);
    }
    // An attempt counts as failed until it has succeeded: otherwise simultaneous attempts would have no delay.
    const failuresOfPair = this.#fail(pair);
    // Only the first failures of each user count for the address: a program that repeats an old password for days must
    // not block others with its address.
    if (failuresOfPair <= freeFailures + 1) this.#fail(network);
    this.#underWay.push(network);
    const turn = this.#last.then(check, check);
    this.#last = turn.catch(() => {});
    try {
      const isRight = await turn;
      if (isRight) {
        this.#failures.delete(pair);
        this.#failures.delete(network);
      }
      return isRight;
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(network), 1);
    }
  }

  #waitMs(key: string, free: number, mostMs: number): number {
    const failures = this.#failures.get(key);
    if (failures === undefined || failures.count <= free) return 0;
    const delayMs = Math.min(mostMs, 1000 * 2 ** Math.min(30, failures.count - free - 1));
    return failures.lastMs + delayMs - this.#clock.monotonicMs();
  }

  /** Counts a failure; returns their present number. */
  #fail(key: string): number {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#failures.get(key);
    const isForgotten = known === undefined || nowMs - known.lastMs > memoryMs;
    this.#failures.delete(key);
    const count = isForgotten ? 1 : known.count + 1;
    this.#failures.set(key, { count, lastMs: nowMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxRemembered && oldest !== undefined) this.#failures.delete(oldest);
    return count;
  }
}

function tooMany(what: string, waitMs: number): OpsError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new OpsError('TooManyRequests', `${what}: try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}

/** An IPv6 host has 2^64 addresses, so failures count for its network. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array.from({ length: missing }, () => '0')].slice(0, 4).join(':');
}
