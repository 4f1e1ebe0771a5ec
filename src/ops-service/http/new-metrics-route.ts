// The route that gives several metrics of several nodes at once, at even distances.
import * as v from 'valibot';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Cluster } from '../clusters/cluster.js';
import { closedObject } from '../errors/closed-object.js';
import { OpsError } from '../errors/ops-error.js';
import { badRequest } from '../errors/validation.js';
import type { MetricKey } from '../metrics/metric-keys.js';
import { mergePoints, metricOf, shownValue } from '../metrics/metric-lookup.js';
import type { StepMinutes } from '../metrics/rollup-format.js';
import type { Point, ReadRows, Series } from '../metrics/series.js';
import type { NumberedSeries } from '../metrics/series-index.js';
import { rangeOf, rangeParameters } from './metric-range.js';
import { needCluster } from './need-cluster.js';
import type { Route } from './route.js';

/** A reply has at most so many values, among them those that are missing. */
const mostValues = 1_000_000;
/** It is made of at most so many rows of 256 series each, and so many values in them: about two seconds of work. */
const mostRows = 50_000;
const mostValuesRead = 2_000_000;
const mostMetrics = 100;
const mostNodes = 1000;
const mostColumnFamilies = 1000;
/** Of metrics, tables and nodes together: each is looked up by itself. */
const mostSeries = 10_000;

/** Names between commas, each taken once. */
function listText(most: number) {
  return v.pipe(
    v.string(),
    v.nonEmpty('must not be empty'),
    v.transform((text) => [...new Set(text.split(','))]),
    v.check((names) => names.length <= most, `must name at most ${most}`),
  );
}

const flag = v.picklist(['0', '1'], 'must be 0 or 1');

const query = closedObject({
  node_group: v.optional(v.string()),
  nodes: v.optional(listText(mostNodes)),
  metrics: listText(mostMetrics),
  columnfamilies: v.optional(listText(mostColumnFamilies)),
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

/** What stands for the nodes taken together. */
const allNodes = '*';

interface Wanted {
  readonly cluster: Cluster;
  readonly nodes: readonly string[];
  readonly series: Series;
  readonly step: StepMinutes;
  readonly startS: number;
  readonly endS: number;
  /** The series of a metric, those of one table where one is given; of distributions the P99. */
  seriesOf(metric: MetricKey, columnFamily: string | undefined): readonly NumberedSeries[];
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
      if (wanted.nodes.length * metrics.length > mostSeries) {
        const message = `asks for more than ${mostSeries} series: take fewer metrics, columnfamilies or nodes`;
        throw badRequest([{ path: 'metrics', message }]);
      }
      const stepCount = Math.floor((wanted.endS - wanted.startS) / (wanted.step * 60)) + 1;
      if (groups.length * metrics.length * stepCount > mostValues) {
        const message = `asks for more than ${mostValues} values: take a longer step or fewer nodes`;
        throw badRequest([{ path: 'metrics', message }]);
      }
      limitRows(metrics, wanted);
      const rows: ReadRows = new Map();
      const columns = metrics.map((metric) => valuesOf(metric, groups, wanted, rows));
      const data = groups.map(([label], at) => [label, columns.map((column) => column[at])]);
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
  const seriesOf = seriesFinder(series, cluster.id);
  return { cluster, series, nodes: asked.nodes ?? known, step, startS, endS, seriesOf };
}

/** Goes through the series of each metric once, however many tables are asked for. */
function seriesFinder(series: Series, clusterId: string): Wanted['seriesOf'] {
  const known = new Map<MetricKey, { all: NumberedSeries[]; byTable: Map<string, NumberedSeries[]> }>();
  return (metric, columnFamily) => {
    let found = known.get(metric);
    if (found === undefined) {
      const all = series.list(clusterId, metric.key).filter(({ part }) => !metric.hasParts || part === 'P99');
      found = { all, byTable: new Map() };
      for (const one of all) {
        const { subject } = one;
        const ofTable = found.byTable.get(subject);
        if (ofTable === undefined) found.byTable.set(subject, [one]);
        else ofTable.push(one);
      }
      known.set(metric, found);
    }
    return columnFamily === undefined ? found.all : (found.byTable.get(columnFamily) ?? []);
  };
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

/** @throws OpsError `BadRequest` */
function limitRows(
  subjects: readonly Subject[],
  { nodes, series, step, startS, endS, seriesOf }: Wanted,
): void {
  const members = new Set(nodes);
  const ids = subjects.flatMap(({ metric, columnFamily }) =>
    seriesOf(metric, columnFamily).flatMap(({ id, node }) => (members.has(node) ? [id] : [])),
  );
  const { rows, values } = series.costOf(ids, step, startS, endS);
  if (rows <= mostRows && values <= mostValuesRead) return;
  const limit = rows > mostRows ? `${mostRows} rows of the file` : `${mostValuesRead} values of all nodes`;
  const message = `takes more than ${limit} to answer: take a longer step or fewer metrics`;
  throw badRequest([{ path: 'metrics', message }]);
}

/** The values of each group of nodes. */
function valuesOf(
  { metric, name, columnFamily }: Subject,
  groups: readonly (readonly [string, readonly string[]])[],
  wanted: Wanted,
  rows: ReadRows,
): readonly object[] {
  const { series, step, startS, endS } = wanted;
  const groupOfNode = new Map(groups.flatMap(([, nodes], at) => nodes.map((node) => [node, at] as const)));
  const found = wanted.seriesOf(metric, columnFamily).filter(({ node }) => groupOfNode.has(node));
  const ids = found.map(({ id }) => id);
  const points = series.read(ids, step, startS, endS, rows);
  const lists: (readonly Point[])[][] = groups.map(() => []);
  for (const { id, node } of found) lists[groupOfNode.get(node) ?? 0]?.push(points.get(id) ?? []);
  return lists.map((list) => ({
    metric: name,
    ...(columnFamily === undefined ? {} : { columnfamily: columnFamily }),
    'data-points': spread(mergePoints(list), wanted).map((value) => [value]),
  }));
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
