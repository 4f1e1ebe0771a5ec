// Looks up the values of metrics over time and puts them into the form of the replies.
import type { Cluster, HistogramPart } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import { findMetricKey, type MetricKey, type MetricScope } from './metric-keys.js';
import type { StepMinutes } from './rollup-format.js';
import type { Point, Series } from './series.js';
import type { NumberedSeries } from './series-index.js';

/** How the values of a stretch of time can be summed up. */
export type RollupFunction = 'min' | 'max' | 'average';

/** Which values are wanted. Times in seconds since 1970, both ends among them. */
export interface Range {
  readonly step: StepMinutes;
  readonly startS: number;
  readonly endS: number;
  readonly functions: readonly RollupFunction[];
}

/** A time in seconds and a value. */
export type TimedValue = readonly [atS: number, value: number];

/** By node, device or table, then by `AVERAGE`, `MAX`, `MIN`; by `P50`, `MAX` … for distributions. */
export type MetricReply = Readonly<Record<string, Readonly<Record<string, readonly TimedValue[]>>>>;

/** The metric of a key or alias in a path. @throws OpsError `NotFound` */
export function metricOf(name: string): MetricKey {
  const metric = findMetricKey(name);
  if (metric !== undefined) return metric;
  throw new OpsError('NotFound', `there is no metric ${JSON.stringify(name)}; GET /metric-keys lists them`);
}

/** Asks for a table or device only where the metric has such. @throws OpsError `NotFound` */
export function needScope(metric: MetricKey, scope: MetricScope): void {
  if (metric.scope === scope) return;
  throw new OpsError('NotFound', `${metric.key} is a metric of each ${metric.scope}, not of a ${scope}`);
}

/** The values on one node; of all its devices or tables unless one is named. */
export function lookUpNode(
  series: Series,
  cluster: Cluster,
  node: string,
  metric: MetricKey,
  subject: string | undefined,
  range: Range,
): MetricReply {
  const found = series
    .list(cluster.id, metric.key)
    .filter((each) => each.node === node && (subject === undefined || each.subject === subject));
  if (found.length === 0 && !cluster.nodes.some(({ address }) => address === node)) {
    throw new OpsError('NotFound', `the cluster ${cluster.id} has no node ${JSON.stringify(node)}`);
  }
  needTable(cluster, metric, subject, found);
  const label = (each: NumberedSeries) =>
    each.subject === '' || (metric.hasParts && subject !== undefined) ? node : each.subject;
  return replyOf(series, metric, found, label, range);
}

/** The values of the nodes of a data center taken together, or of all nodes with `all`. */
export function lookUpCluster(
  series: Series,
  cluster: Cluster,
  dc: string,
  metric: MetricKey,
  subject: string | undefined,
  range: Range,
): MetricReply {
  const nodes = cluster.nodes.filter((node) => dc === 'all' || node.dc === dc);
  if (nodes.length === 0) {
    throw new OpsError('NotFound', `the cluster ${cluster.id} has no data center ${JSON.stringify(dc)}`);
  }
  const addresses = new Set(nodes.map(({ address }) => address));
  const found = series
    .list(cluster.id, metric.key)
    .filter((each) => addresses.has(each.node) && (subject === undefined || each.subject === subject));
  needTable(cluster, metric, subject, found);
  const label = (each: NumberedSeries) =>
    each.subject === '' || (metric.hasParts && subject !== undefined) ? dc : each.subject;
  return replyOf(series, metric, found, label, range);
}

/** A table that is gone may still have values. @throws OpsError `NotFound` */
function needTable(
  cluster: Cluster,
  { scope }: MetricKey,
  table: string | undefined,
  found: readonly NumberedSeries[],
): void {
  if (scope !== 'table' || table === undefined || found.length > 0 || cluster.isLoaded === false) return;
  if (cluster.tables.includes(table)) return;
  throw new OpsError('NotFound', `the cluster ${cluster.id} has no table ${JSON.stringify(table)}`);
}

/** Points of several series taken together: the mean of averages, the least and the greatest. */
export function mergePoints(lists: readonly (readonly Point[])[]): readonly Point[] {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  const merged = new Map<number, { sum: number; count: number; min: number; max: number }>();
  for (const { atS, average, min, max } of lists.flat()) {
    const known = merged.get(atS);
    if (known === undefined) {
      merged.set(atS, { sum: average, count: 1, min, max });
      continue;
    }
    known.sum += average;
    known.count += 1;
    known.min = Math.min(known.min, min);
    known.max = Math.max(known.max, max);
  }
  return [...merged]
    .map(([atS, { sum, count, min, max }]) => ({ atS, average: sum / count, min, max }))
    .sort((left, right) => left.atS - right.atS);
}

/** As kept in 32 bits: seven digits. */
export function shownValue(value: number): number {
  return Number(value.toPrecision(7));
}

function replyOf(
  series: Series,
  metric: MetricKey,
  found: readonly NumberedSeries[],
  label: (each: NumberedSeries) => string,
  range: Range,
): MetricReply {
  const points = series.read(
    found.map(({ id }) => id),
    range.step,
    range.startS,
    range.endS,
  );
  const reply: Record<string, Record<string, readonly TimedValue[]>> = {};
  const groups = new Map<string, NumberedSeries[]>();
  for (const each of found) {
    const name = `${label(each)}\u0000${each.part}`;
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  for (const [name, members] of groups) {
    const [shownLabel = '', part = ''] = name.split('\u0000');
    const merged = mergePoints(members.map(({ id }) => points.get(id) ?? []));
    const functions = metric.hasParts
      ? partValues(part as HistogramPart, merged)
      : functionValues(merged, range);
    reply[shownLabel] = { ...reply[shownLabel], ...functions };
  }
  return reply;
}

function partValues(part: HistogramPart, points: readonly Point[]): Record<string, readonly TimedValue[]> {
  return {
    [part]: points.map(({ atS, min, max }) => [atS, shownValue(part === 'MIN' ? min : max)] as const),
  };
}

function functionValues(
  points: readonly Point[],
  { functions }: Range,
): Record<string, readonly TimedValue[]> {
  return Object.fromEntries(
    functions.map((name) => [
      name.toUpperCase(),
      points.map((point) => [point.atS, shownValue(point[name])] as const),
    ]),
  );
}
