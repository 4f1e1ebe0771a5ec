// Looks up the values of metrics over time and writes them in the form of the replies.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import { findMetricKey, type MetricKey, type MetricScope } from './metric-keys.js';
import { PointSums } from './point-sums.js';
import type { StepMinutes, Steps } from './rollup-format.js';
import type { Series } from './series.js';
import type { NumberedSeries } from './series-index.js';
import { type AnswerCost, costOf, sumPoints } from './sum-points.js';
import { shownValue, writeList, writeMembers } from './write-values.js';

/** The functions that combine the values of a step. */
export type RollupFunction = 'min' | 'max' | 'average';

/** The requested values. Times in seconds since 1970, both ends included. */
export interface Range {
  readonly step: StepMinutes;
  readonly startS: number;
  readonly endS: number;
  readonly functions: readonly RollupFunction[];
}

/** The series of an answer, each with the two names under which its values are written. */
export interface LookUp {
  readonly metric: MetricKey;
  readonly found: readonly NumberedSeries[];
  /** The node, device or table, or the data center whose nodes are combined. */
  label(one: NumberedSeries): string;
}

/** The metric of a key or alias in a path. @throws OpsError `NotFound` */
export function metricOf(name: string): MetricKey {
  const metric = findMetricKey(name);
  if (metric !== undefined) return metric;
  throw new OpsError('NotFound', `there is no metric ${JSON.stringify(name)}; GET /metric-keys lists them`);
}

/** Checks that the metric has values for tables or devices. @throws OpsError `NotFound` */
export function needScope(metric: MetricKey, scope: MetricScope): void {
  if (metric.scope === scope) return;
  throw new OpsError('NotFound', `${metric.key} is a metric of each ${metric.scope}, not of a ${scope}`);
}

/** The series of one node: of the named device or table, else of all. */
export function lookUpNode(
  series: Series,
  cluster: Cluster,
  node: string,
  metric: MetricKey,
  subject: string | undefined,
): LookUp {
  const found = series
    .list(cluster.id, metric.key)
    .filter((each) => each.node === node && (subject === undefined || each.subject === subject));
  if (found.length === 0 && !cluster.nodes.some(({ address }) => address === node)) {
    throw new OpsError('NotFound', `the cluster ${cluster.id} has no node ${JSON.stringify(node)}`);
  }
  needTable(cluster, metric, subject, found);
  const label = (each: NumberedSeries) =>
    each.subject === '' || (metric.hasParts && subject !== undefined) ? node : each.subject;
  return { metric, found, label };
}

/** The series of the nodes of a data center, which are combined; with `all`, of all nodes. */
export function lookUpCluster(
  series: Series,
  cluster: Cluster,
  dc: string,
  metric: MetricKey,
  subject: string | undefined,
): LookUp {
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
  return { metric, found, label };
}

/** A dropped table may still have values. @throws OpsError `NotFound` */
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

/** A planned look-up with its cost. */
export interface PlannedLookUp {
  readonly cost: AnswerCost;
  /**
   * Writes the points `[[seconds,value],…]` by label, then by `AVERAGE`, `MAX`, `MIN`, or for distributions by `P50`,
   * `MAX` and so on.
   */
  write(): Generator<void, JsonText>;
}

/** Plans the answer; values are read when it is written. */
export function planLookUp(series: Series, { metric, found, label }: LookUp, range: Range): PlannedLookUp {
  const steps = series.stepsOf(range.step, range.startS, range.endS);
  const sums = new Map<string, Map<string, PointSums>>();
  const sumsOf = new Map(found.map((one) => [one.id, sumsFor(sums, label(one), one.part, steps)]));
  const lists = [...sums.values()].flatMap((parts) => [...parts]);
  const functions = metric.hasParts ? 1 : range.functions.length;
  return {
    cost: costOf(series, found, steps, lists.length * functions),
    *write() {
      yield* sumPoints(series, sumsOf, steps);
      const labels: [string, JsonText][] = [];
      for (const [name, parts] of sums) {
        const members: [string, JsonText][] = [];
        for (const [part, values] of parts)
          members.push(...(yield* writeFunctions(metric, part, values, range)));
        labels.push([name, writeMembers(members)]);
      }
      return writeMembers(labels);
    },
  };
}

function sumsFor(
  sums: Map<string, Map<string, PointSums>>,
  label: string,
  part: string,
  steps: Steps,
): PointSums {
  const parts = getOrMake(sums, label, () => new Map<string, PointSums>());
  return getOrMake(parts, part, () => new PointSums(steps));
}

/** The lists of one part of a distribution, or of the requested functions. */
function* writeFunctions(
  metric: MetricKey,
  part: string,
  sums: PointSums,
  { functions }: Range,
): Generator<void, readonly [string, JsonText][]> {
  // For percentiles only the maximum is stored.
  const names = metric.hasParts ? [part] : functions.map((name) => name.toUpperCase());
  const picks = metric.hasParts ? [part === 'MIN' ? ('min' as const) : ('max' as const)] : functions;
  const members: [string, JsonText][] = [];
  for (const [at, pick] of picks.entries()) {
    const write = (index: number) => {
      const point = sums.at(index);
      return point === undefined ? undefined : `[${point.atS},${shownValue(point[pick])}]`;
    };
    members.push([names[at] ?? '', yield* writeList(sums.steps.count, write)]);
  }
  return members;
}
