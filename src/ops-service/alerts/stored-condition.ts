// Finds out from stored minutes since when a changed rule's condition has held.
import type { JudgedCluster, PercentileRule, RollingAverageRule, Target } from './rule.js';
import { minutesMs, windowMs } from './rule.js';

/** What was read of a metric in one minute. */
export interface StoredMinute {
  /** The beginning of the minute, milliseconds since 1970. */
  readonly atMs: number;
  readonly min: number;
  readonly max: number;
}

/** Reads in steps the minutes of each target of a rule from a time on, oldest first. */
export type ReadStored = (
  clusterId: string,
  rule: RollingAverageRule | PercentileRule,
  sinceMs: number,
) => Generator<void, (target: Target) => readonly StoredMinute[]>;

const minuteMs = 60_000;

/** How far back it is worth to look, in milliseconds. */
export function neededHistoryMs(rule: RollingAverageRule | PercentileRule): number {
  return minutesMs(rule.duration) + windowMs(rule) + 2 * minuteMs;
}

/**
 * The time on the clock that never falls since which the condition certainly held: every value of every minute was
 * beyond, and so was every window of them. Undefined when it does not hold now or nothing is stored.
 */
export function heldSince(
  rule: RollingAverageRule | PercentileRule,
  minutes: readonly StoredMinute[],
  { atMs, nowMs, gapMs }: Pick<JudgedCluster, 'atMs' | 'nowMs' | 'gapMs'>,
): number | undefined {
  const isBeyond = ({ min, max }: StoredMinute) =>
    rule.comparator === '>' ? min > rule.threshold : max < rule.threshold;
  let laterMs = nowMs;
  let first: StoredMinute | undefined;
  for (const minute of minutes.toReversed()) {
    if (!isBeyond(minute) || laterMs - (minute.atMs + minuteMs) > gapMs) break;
    first = minute;
    laterMs = minute.atMs;
  }
  if (first === undefined) return undefined;
  // Within the first minute it may have begun at its end; the first windows may hold what was before.
  const sinceMs = first.atMs + minuteMs + windowMs(rule);
  return sinceMs > nowMs ? undefined : atMs - (nowMs - sinceMs);
}
