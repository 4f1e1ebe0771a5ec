// The times of writes: of two writes of one value Cassandra keeps the one with the later time.
import type { Clock } from '../../../foundation/telemetry/clock.js';

/** Memory in which the threads of a process share the time of the last write. */
export function sharedWriteTime(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

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
   * The wall clock has milliseconds: the microseconds come from the monotonic clock. It begins again where the two
   * disagree, because one of them was set.
   */
  #nowMicros(): number {
    const nowMs = this.#clock.nowMs();
    const monotonicMs = this.#clock.monotonicMs();
    const beyondMs = this.#originMs + monotonicMs - nowMs;
    if (beyondMs >= 0 && beyondMs < 1) return nowMs * 1000 + Math.floor(beyondMs * 1000);
    this.#originMs = nowMs - monotonicMs;
    return nowMs * 1000;
  }
}
