// The times of writes: of two writes of one value Cassandra keeps the one with the later time.
import type { Clock } from '../../../foundation/telemetry/clock.js';

/** Memory in which the threads of a process share the time of the last write. */
export function sharedWriteTime(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

/** Some milliseconds; bounded because the clocks of tests stand still. */
const maxReadsOfStep = 100_000;
const longestReadMs = 0.02;

/** Gives each write a time, in microseconds since 1970: later than all that threads with the same memory have given. */
export class WriteTimes {
  readonly #clock: Clock;
  readonly #last: BigInt64Array;
  /** Milliseconds of the wall clock when the monotonic clock began. */
  #originMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, shared: SharedArrayBuffer) {
    this.#clock = clock;
    this.#last = new BigInt64Array(shared);
  }

  next(): number {
    const now = BigInt(this.#nowMicros());
    for (let last = Atomics.load(this.#last, 0); ; ) {
      const next = now > last ? now : last + 1n;
      const found = Atomics.compareExchange(this.#last, 0, last, next);
      if (found === last) return Number(next);
      last = found;
    }
  }

  /**
   * The wall clock has milliseconds: the microseconds come from the monotonic clock. Where both differ by little, the
   * origin moves by no more than that; where one of them was set, it is looked for again.
   */
  #nowMicros(): number {
    const nowMs = this.#clock.nowMs();
    const monotonicMs = this.#clock.monotonicMs();
    const beyondMs = this.#originMs + monotonicMs - nowMs;
    if (beyondMs >= 0 && beyondMs < 1) return nowMs * 1000 + Math.floor(beyondMs * 1000);
    if (!(beyondMs >= -1 && beyondMs < 2)) return this.#begin();
    const nearestMs = beyondMs < 0 ? 0 : 0.999;
    this.#originMs += nearestMs - beyondMs;
    return nowMs * 1000 + nearestMs * 1000;
  }

  /**
   * Waits up to a millisecond for the wall clock to step. A clock that began in the middle of a millisecond would be
   * behind that of another process of the same machine, whose earlier writes would count as later ones.
   */
  #begin(): number {
    let nowMs = this.#clock.nowMs();
    let monotonicMs = this.#clock.monotonicMs();
    for (let reads = 0; reads < maxReadsOfStep; reads += 1) {
      const [beforeMs, readMs] = [nowMs, monotonicMs];
      nowMs = this.#clock.nowMs();
      monotonicMs = this.#clock.monotonicMs();
      // Behind a longer time between two reads, in which another process ran, the step may be long past.
      if (nowMs !== beforeMs && monotonicMs - readMs < longestReadMs) break;
    }
    this.#originMs = nowMs - monotonicMs;
    return nowMs * 1000;
  }
}
