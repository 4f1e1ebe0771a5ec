// When the rounds of a log were seen: what was committed before a later round is shipped when the chain has come there.
import { isEqualPair, type NumberPair } from '../../foundation/sqlite/log-format.js';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** A moment by both clocks. */
export interface Moment {
  /** In ms since 1970. */
  readonly nowMs: number;
  /** By the monotonic clock. */
  readonly monotonicMs: number;
}

/** The present moment. */
export function momentOf(clock: Clock): Moment {
  return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
}

/** The rounds that looks at a log have seen. */
export class RoundTimes {
  #present: (Moment & { readonly salts: NumberPair }) | undefined;
  /** The last look that saw the round before. */
  #before: Moment | undefined;

  /** A look that began at a moment has seen the round with these salts. */
  note(salts: NumberPair, { nowMs, monotonicMs }: Moment): void {
    if (this.#present !== undefined && !isEqualPair(this.#present.salts, salts)) this.#before = this.#present;
    this.#present = { salts, nowMs, monotonicMs };
  }

  /** Before this moment nothing was committed that a chain lacks which has come to the round with these salts. */
  completeIn(salts: NumberPair): Moment | undefined {
    return this.#present !== undefined && isEqualPair(this.#present.salts, salts) ? this.#before : undefined;
  }
}
