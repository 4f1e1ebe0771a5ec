// Determines from stored series since when the condition of a changed rule has held.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { findMetricKey } from '../metrics/metric-keys.js';
import type { Point } from '../metrics/rollup-format.js';
import type { Series } from '../metrics/series.js';
import { type JudgedCluster, minutesMs, type Rule, type StoredMinute, type Target } from './rule.js';
import { kindOf } from './rules/registry.js';

/**
 * Reads, in steps, the stored minutes of a rule's targets that can show since when its condition holds at `nowMs`. The
 * result returns those of one target, oldest first; none for a rule that compares no metric.
 */
export type ReadStored = (
  clusterId: string,
  rule: Rule,
  nowMs: number,
) => Generator<void, (target: Target) => readonly StoredMinute[]>;

const minuteMs = 60_000;

/** Reads the minutes of all targets of a rule at once, because the series of one metric are stored together. */
export function readStoredFrom(series: Series, clock: Clock): ReadStored {
  return function* (clusterId, rule, nowMs) {
    const { metric } = kindOf(rule);
    if (metric === undefined) return () => [];
    const name = metric.nameOf(rule);
    const part = metric.partOf(rule);
    const found = series
      .list(clusterId, findMetricKey(name)?.key ?? name)
      .filter((each) => each.part === part);
    const ids = new Map(found.map(({ id, node, subject }) => [`${node} ${subject}`, id]));
    const points = new Map<number, Point[]>([...ids.values()].map((id) => [id, []]));
    const sinceMs = nowMs - minutesMs(rule.duration) - metric.windowMs(rule) - 2 * minuteMs;
    const minutes = series.stepsOf(1, sinceMs / 1000, clock.nowMs() / 1000);
    yield* series.walk([...points.keys()], minutes, (id, point) => points.get(id)?.push(point));
    return ({ node, table, device }) => {
      const id = ids.get(`${node} ${table ?? device ?? ''}`);
      const ofTarget = id === undefined ? [] : (points.get(id) ?? []);
      return ofTarget.map(({ atS, min, max }): StoredMinute => ({ atMs: atS * 1000, min, max }));
    };
  };
}

/**
 * The time on the monotonic clock since which the condition certainly held: every value of every minute was beyond, and
 * so was every window of them. Undefined if it does not hold now or nothing is stored.
 */
export function heldSince(
  rule: Rule,
  minutes: readonly StoredMinute[],
  { atMs, nowMs, gapMs }: Pick<JudgedCluster, 'atMs' | 'nowMs' | 'gapMs'>,
): number | undefined {
  const { metric } = kindOf(rule);
  if (metric === undefined) return undefined;
  let laterMs = nowMs;
  let first: StoredMinute | undefined;
  for (const minute of minutes.toReversed()) {
    if (!metric.isBeyond(rule, minute) || laterMs - (minute.atMs + minuteMs) > gapMs) break;
    first = minute;
    laterMs = minute.atMs;
  }
  if (first === undefined) return undefined;
  // The condition may have begun at the end of the first minute, and the first windows may contain earlier values.
  const sinceMs = first.atMs + minuteMs + metric.windowMs(rule);
  return sinceMs > nowMs ? undefined : atMs - (nowMs - sinceMs);
}
