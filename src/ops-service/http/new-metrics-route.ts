// The route that returns several metrics of several nodes in one reply, one value for each step.

import * as v from 'valibot';
import { getOrMake } from '../../foundation/get-or-make.js';
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { LongWork } from '../../foundation/threads/long-work.js';
import type { Cluster } from '../clusters/cluster.js';
import { closedObject } from '../errors/closed-object.js';
import { OpsError } from '../errors/ops-error.js';
import { badRequest } from '../errors/validation.js';
import type { MetricKey } from '../metrics/metric-keys.js';
import { metricOf } from '../metrics/metric-lookup.js';
import { PointSums } from '../metrics/point-sums.js';
import type { StepMinutes, Steps } from '../metrics/rollup-format.js';
import type { Series } from '../metrics/series.js';
import type { NumberedSeries } from '../metrics/series-index.js';
import { type AnswerCost, costOf, sumPoints } from '../metrics/sum-points.js';
import { shownValue, writeList, writeMembers } from '../metrics/write-values.js';
import { answerInSteps } from './answer-in-steps.js';
import { rangeOf, rangeParameters } from './query-parameters.js';
import { needCluster, type Route } from './route.js';

const mostMetrics = 100;
const mostNodes = 1000;
const mostColumnFamilies = 1000;
/** The maximum product of metrics, tables and nodes: each combination is looked up separately. */
const mostSeries = 10_000;

/** Names separated by commas; duplicates are removed. */
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

/** The name of all nodes combined. */
const allNodes = '*';

interface Wanted {
  readonly cluster: Cluster;
  readonly nodes: readonly string[];
  /** Groups of nodes whose values are combined, by name. */
  readonly groups: readonly (readonly [string, readonly string[]])[];
  readonly series: Series;
  readonly step: StepMinutes;
  readonly startS: number;
  readonly endS: number;
  /** The series of a metric, only those of one table if it is given; for distributions the P99. */
  seriesOf(metric: MetricKey, columnFamily: string | undefined): readonly NumberedSeries[];
}

/** `GET /{cluster_id}/new-metrics`; `data-points` contains a list with one value for each step from start to end. */
export function newMetricsRoute(parts: {
  readonly series: Series;
  readonly clock: Clock;
  readonly work: LongWork;
}): Route<typeof query> {
  return {
    method: 'GET',
    path: '/{cluster_id}/new-metrics',
    summary: 'Several metrics of several nodes, one value for each step; null where none is known.',
    access: 'viewer',
    query,
    reply,
    answer: ({ query: asked, whenGone }, cluster) => {
      const wanted = wantedOf(asked, needCluster(cluster), parts);
      const subjects = asked.metrics.flatMap((name) => subjectsOf(metricOf(name), name, asked, wanted));
      if (wanted.nodes.length * subjects.length > mostSeries) {
        const message = `selects more than ${mostSeries} series: request fewer metrics, columnfamilies or nodes`;
        throw badRequest([{ path: 'metrics', message }]);
      }
      const { cost, write } = planAnswer(subjects, wanted);
      return answerInSteps(parts.work, cost, 'metrics', write(), whenGone);
    },
  };
}

interface Subject {
  readonly metric: MetricKey;
  /** The name as the request has it. */
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
  const nodes = asked.nodes ?? known;
  const groups = asked.node_aggregation === '1' ? [[allNodes, nodes] as const] : each(nodes);
  return { cluster, series, nodes, groups, step, startS, endS, seriesOf };
}

/** Reads the list of each metric's series only once, for any number of tables. */
function seriesFinder(series: Series, clusterId: string): Wanted['seriesOf'] {
  const known = new Map<MetricKey, { all: NumberedSeries[]; byTable: Map<string, NumberedSeries[]> }>();
  const find = (metric: MetricKey) => {
    const all = series.list(clusterId, metric.key).filter(({ part }) => !metric.hasParts || part === 'P99');
    const byTable = new Map<string, NumberedSeries[]>();
    for (const one of all) getOrMake(byTable, one.subject, (): NumberedSeries[] => []).push(one);
    return { all, byTable };
  };
  return (metric, columnFamily) => {
    const found = getOrMake(known, metric, () => find(metric));
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

/** Plans the reply; values are read when it is written. */
function planAnswer(
  subjects: readonly Subject[],
  wanted: Wanted,
): { readonly cost: AnswerCost; write(): Generator<void, JsonText> } {
  const { series, groups, step, startS, endS } = wanted;
  const kept = series.stepsOf(step, startS, endS);
  const groupOfNode = new Map(groups.flatMap(([, nodes], at) => nodes.map((node) => [node, at] as const)));
  const found: NumberedSeries[] = [];
  const sumsOf = new Map<number, PointSums>();
  const known = new Map<string, readonly PointSums[]>();
  const columns = subjects.map(({ metric, columnFamily = '' }) => {
    // A key and its alias are two columns with the same values.
    const name = `${metric.key}\n${columnFamily}`;
    return getOrMake(known, name, () => groups.map(() => new PointSums(kept)));
  });
  for (const [at, { metric, columnFamily }] of subjects.entries()) {
    for (const one of wanted.seriesOf(metric, columnFamily)) {
      const sums = columns[at]?.[groupOfNode.get(one.node) ?? -1];
      if (sums === undefined || sumsOf.has(one.id)) continue;
      found.push(one);
      sumsOf.set(one.id, sums);
    }
  }
  const shown = stepsFrom(wanted);
  const cost = costOf(series, found, kept, 0);
  return {
    cost: { ...cost, values: groups.length * subjects.length * shown.count },
    *write() {
      yield* sumPoints(series, sumsOf, kept);
      const data: [string, JsonText][] = [];
      for (const [at, [label]] of groups.entries()) {
        const texts: JsonText[] = [];
        for (const [subjectAt, subject] of subjects.entries()) {
          const sums = columns[subjectAt]?.[at];
          if (sums !== undefined) texts.push(yield* writeColumn(subject, sums, shown));
        }
        data.push([label, `[${texts.join(',')}]`]);
      }
      return writeMembers([['data', writeMembers(data)]]);
    },
  };
}

/** All requested steps, also those without stored values. */
function stepsFrom({ step, startS, endS }: Wanted): Steps {
  const stepS = step * 60;
  const firstS = Math.ceil(startS / stepS) * stepS;
  return { step, firstS, count: Math.max(0, Math.floor((endS - firstS) / stepS) + 1) };
}

/** Writes `data-points`, with one value for each step. */
function* writeColumn(
  { name, columnFamily }: Subject,
  sums: PointSums,
  shown: Steps,
): Generator<void, JsonText> {
  const offset = (shown.firstS - sums.steps.firstS) / (shown.step * 60);
  const write = (index: number) => {
    const point = sums.at(index + offset);
    return point === undefined ? '[null]' : `[${shownValue(point.average)}]`;
  };
  return writeMembers([
    ['metric', JSON.stringify(name)],
    ...(columnFamily === undefined ? [] : [['columnfamily', JSON.stringify(columnFamily)] as const]),
    ['data-points', yield* writeList(shown.count, write)],
  ]);
}
