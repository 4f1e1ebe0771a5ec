// Clocks.
import { performance } from 'node:perf_hooks';

/** The time, passed in so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970, UTC; may jump. */
  nowMs(): number;
  /** Milliseconds since a fixed moment, with a fraction; never decreases. */
  monotonicMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** The machine's clock, whose monotonic time is the same on all threads of the process. */
export const processClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
};
