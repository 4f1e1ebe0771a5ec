// A value of a metric at a time, and the stretches of time that are asked for.
import type { Rollup, StepMinutes } from './rollup-format.js';

/** A rollup at the beginning of its stretch of time, in seconds since 1970. */
export interface Point extends Rollup {
  readonly atS: number;
}

/** A stretch of time in steps: when the first of them begins, in seconds since 1970, and how many there are. */
export interface Steps {
  readonly step: StepMinutes;
  readonly firstS: number;
  readonly count: number;
}
