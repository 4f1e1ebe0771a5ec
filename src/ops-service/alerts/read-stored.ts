// Reads what a rule's targets gave in the last minutes from the series.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { findMetricKey } from '../metrics/metric-keys.js';
import type { Point } from '../metrics/point.js';
import type { Series } from '../metrics/series.js';
import { partOfPercentile } from './rules/percentile.js';
import type { ReadStored, StoredMinute } from './stored-condition.js';

/** Reads the minutes of all targets of a rule together: series of one metric lie together. */
export function readStoredFrom(series: Series, clock: Clock): ReadStored {
  return function* (clusterId, rule, sinceMs) {
    const key = findMetricKey(rule.metric)?.key ?? rule.metric;
    const part = rule.type === 'percentile' ? partOfPercentile[rule.percentile] : '';
    const found = series.list(clusterId, key).filter((each) => each.part === part);
    const ids = new Map(found.map(({ id, node, subject }) => [`${node} ${subject}`, id]));
    const points = new Map<number, Point[]>([...ids.values()].map((id) => [id, []]));
    const minutes = series.stepsOf(1, sinceMs / 1000, clock.nowMs() / 1000);
    yield* series.walk([...points.keys()], minutes, (id, point) => points.get(id)?.push(point));
    return ({ node, table, device }) => {
      const id = ids.get(`${node} ${table ?? device ?? ''}`);
      const ofTarget = id === undefined ? [] : (points.get(id) ?? []);
      return ofTarget.map(({ atS, min, max }): StoredMinute => ({ atMs: atS * 1000, min, max }));
    };
  };
}
