// The route that gives several metrics of several nodes at once, at even distances.
import * as v from 'valibot';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import { badRequest } from '../errors/validation.js';
import type { MetricKey } from '../metrics/metric-keys.js';
import { mergePoints, metricOf, shownValue } from '../metrics/metric-lookup.js';
import type { StepMinutes } from '../metrics/rollup-format.js';
import type { Point, Series } from '../metrics/series.js';
import { rangeOf, rangeParameters } from './metric-range.js';
import { needCluster } from './need-cluster.js';
import type { Route } from './route.js';

const listText = v.pipe(
  v.string(),
  v.nonEmpty('must not be empty'),
  v.transform((text) => text.split(',')),
);

const flag = v.picklist(['0', '1'], 'must be 0 or 1');

const query = v.strictObject({
  node_group: v.optional(v.string()),
  nodes: v.optional(listText),
  metrics: listText,
  columnfamilies: v.optional(listText),
  ...rangeParameters,
  step: v.optional(
    v.picklist(['60', '300', '7200', '86400'], 'must be 60, 300, 7200 or 86400 (seconds)'),
    '60',
  ),
  node_aggregation: v.optional(flag, '0'),
  forecast: v.optional(v.picklist(['0'], 'must be 0: there are no forecasts'), '0'),
});
type Query = v.InferOutput<typeof query>;

const reply = v.strictObject({
  data: v.record(
    v.string(),
    v.array(
      v.strictObject({
        metric: v.string(),
        columnfamily: v.optional(v.string()),
        'data-points': v.array(v.array(v.nullable(v.number()))),
      }),
    ),
  ),
});

/** A reply has at most so many values, among them those that are missing. */
const mostValues = 1_000_000;
/** What stands for the nodes taken together. */
const allNodes = '*';

interface Wanted {
  readonly cluster: Cluster;
  readonly nodes: readonly string[];
  readonly series: Series;
  readonly step: StepMinutes;
  readonly startS: number;
  readonly endS: number;
}

/** `GET /{cluster_id}/new-metrics`; `data-points` has a list with one value for each step from start to end. */
export function newMetricsRoute(parts: {
  readonly series: Series;
  readonly clock: Clock;
}): Route<typeof query> {
  return {
    method: 'GET',
    path: '/{cluster_id}/new-metrics',
    summary: 'Several metrics of several nodes, one value for each step; null where none is known.',
    access: 'viewer',
    query,
    reply,
    answer: ({ query: asked }, cluster) => {
      const wanted = wantedOf(asked, needCluster(cluster), parts);
      const metrics = asked.metrics.flatMap((name) => subjectsOf(metricOf(name), name, asked, wanted));
      const groups =
        asked.node_aggregation === '1' ? [[allNodes, wanted.nodes] as const] : each(wanted.nodes);
      const stepCount = Math.floor((wanted.endS - wanted.startS) / (wanted.step * 60)) + 1;
      if (groups.length * metrics.length * stepCount > mostValues) {
        const message = `asks for more than ${mostValues} values: take a longer step or fewer nodes`;
        throw badRequest([{ path: 'metrics', message }]);
      }
      const data = groups.map(([label, nodes]) => [
        label,
        metrics.map((metric) => valuesOf(metric, nodes, wanted)),
      ]);
      return { data: Object.fromEntries(data) };
    },
  };
}

interface Subject {
  readonly metric: MetricKey;
  /** As it was asked for. */
  readonly name: string;
  readonly columnFamily: string | undefined;
}

function wantedOf(
  asked: Query,
  cluster: Cluster,
  { series, clock }: { series: Series; clock: Clock },
): Wanted {
  const { startS, endS } = rangeOf(asked, clock);
  if (asked.node_group !== undefined && asked.node_group !== allNodes) {
    throw badRequest([{ path: 'node_group', message: `must be ${allNodes}: there are no other groups` }]);
  }
  const known = cluster.nodes.map(({ address }) => address);
  const unknown = asked.nodes?.find((node) => !known.includes(node));
  if (unknown !== undefined) {
    throw new OpsError('NotFound', `the cluster ${cluster.id} has no node ${JSON.stringify(unknown)}`);
  }
  // The schema has checked the step.
  const step = (Number(asked.step) / 60) as StepMinutes;
  return { cluster, series, nodes: asked.nodes ?? known, step, startS, endS };
}

function each(nodes: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  return nodes.map((node) => [node, [node]]);
}

/** A metric of tables once for each table. */
function subjectsOf(
  metric: MetricKey,
  name: string,
  { columnfamilies }: Query,
  { cluster }: Wanted,
): readonly Subject[] {
  if (metric.scope !== 'table') return [{ metric, name, columnFamily: undefined }];
  return (columnfamilies ?? cluster.tables).map((columnFamily) => ({ metric, name, columnFamily }));
}

function valuesOf({ metric, name, columnFamily }: Subject, nodes: readonly string[], wanted: Wanted): object {
  const { series, cluster, step, startS, endS } = wanted;
  const found = series
    .list(cluster.id, metric.key)
    .filter(({ node, subject, part }) => {
      const isPart = !metric.hasParts || part === 'P99';
      return isPart && nodes.includes(node) && (columnFamily === undefined || subject === columnFamily);
    })
    .map(({ id }) => id);
  const points = mergePoints([...series.read(found, step, startS, endS).values()]);
  return {
    metric: name,
    ...(columnFamily === undefined ? {} : { columnfamily: columnFamily }),
    'data-points': spread(points, wanted).map((value) => [value]),
  };
}

/** One value for each step from start to end. */
function spread(points: readonly Point[], { step, startS, endS }: Wanted): readonly (number | null)[] {
  const byTime = new Map(points.map(({ atS, average }) => [atS, average]));
  const stepS = step * 60;
  const values: (number | null)[] = [];
  for (let atS = Math.ceil(startS / stepS) * stepS; atS <= endS; atS += stepS) {
    const value = byTime.get(atS);
    values.push(value === undefined ? null : shownValue(value));
  }
  return values;
}
