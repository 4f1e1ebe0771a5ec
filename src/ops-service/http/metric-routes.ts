// The routes of metrics over time and of the metric keys.
import * as v from 'valibot';
import { metricKeyReply, type OpsMetricKey } from '../../descriptions/operations-replies.js';
import { LongWork } from '../../foundation/threads/long-work.js';
import type { Cluster } from '../clusters/cluster.js';
import { closedObject } from '../errors/closed-object.js';
import { type MetricKey, metricKeys } from '../metrics/metric-keys.js';
import {
  lookUpCluster,
  lookUpNode,
  metricOf,
  needScope,
  planLookUp,
  type Range,
} from '../metrics/metric-lookup.js';
import type { StepMinutes } from '../metrics/rollup-format.js';
import { answerInSteps, mostWaitingAnswers } from './answer-in-steps.js';
import { newMetricsRoute } from './new-metrics-route.js';
import type { OpsParts } from './ops-parts.js';
import { rangeOf, rangeParameters } from './query-parameters.js';
import { needCluster, type Route } from './route.js';

type MetricParts = Pick<OpsParts, 'series' | 'clusters' | 'clock'>;

const rangeQuery = closedObject({
  ...rangeParameters,
  step: v.optional(v.picklist(['1', '5', '120', '1440'], 'must be 1, 5, 120 or 1440 (minutes)'), '1'),
  function: v.optional(v.picklist(['min', 'max', 'average'], 'must be min, max or average')),
});

const metricReply = v.record(v.string(), v.record(v.string(), v.array(v.array(v.number()))));

const allFunctions = ['average', 'max', 'min'] as const;

type LookUp = typeof lookUpNode;

export function metricRoutes(given: MetricParts): readonly Route[] {
  const parts = { ...given, work: new LongWork(given.clock, mostWaitingAnswers) };
  const ofNode = '/{cluster_id}/metrics/{ip}';
  const ofCluster = '/{cluster_id}/cluster-metrics/{dc}';
  const places = [
    [ofNode, 'ip', lookUpNode, 'on a node'],
    [ofCluster, 'dc', lookUpCluster, 'of a data center, its nodes taken together'],
  ] as const;
  const lookUps = places.flatMap(([path, place, lookUp, where]) => [
    lookUpRoute(`${path}/{metric}`, `A metric ${where}, over time.`, place, lookUp, parts),
    lookUpRoute(
      `${path}/{metric}/{device}`,
      `A metric of a device ${where}, over time.`,
      place,
      lookUp,
      parts,
    ),
    lookUpRoute(
      `${path}/{ks}/{cf}/{metric}`,
      `A metric of a table ${where}, over time.`,
      place,
      lookUp,
      parts,
    ),
  ]);
  return [...lookUps, newMetricsRoute(parts), keysRoute(parts)];
}

function lookUpRoute(
  path: string,
  summary: string,
  place: 'ip' | 'dc',
  lookUp: LookUp,
  { series, clock, work }: MetricParts & { readonly work: LongWork },
): Route<typeof rangeQuery> {
  return {
    method: 'GET',
    path,
    summary,
    access: 'viewer',
    query: rangeQuery,
    reply: metricReply,
    answer: ({ params, query, whenGone }, cluster) => {
      const metric = metricOf(params['metric'] ?? '');
      const subject = subjectOf(metric, params);
      const range: Range = {
        ...rangeOf(query, clock),
        // The schema has checked it.
        step: Number(query.step) as StepMinutes,
        functions: query.function === undefined ? allFunctions : [query.function],
      };
      const found = lookUp(series, needCluster(cluster), params[place] ?? '', metric, subject);
      const { cost, write } = planLookUp(series, found, range);
      return answerInSteps(work, cost, 'start', write(), whenGone);
    },
  };
}

function subjectOf(
  metric: MetricKey,
  { device, ks, cf }: Readonly<Record<string, string>>,
): string | undefined {
  if (ks !== undefined && cf !== undefined) {
    needScope(metric, 'table');
    return `${ks}.${cf}`;
  }
  if (device !== undefined) needScope(metric, 'device');
  return device;
}

function keysRoute({ clusters }: MetricParts): Route {
  return {
    method: 'GET',
    path: '/metric-keys',
    summary: 'The keys of metrics, with their aliases and whether a cluster of this server gives them.',
    access: 'viewer',
    reply: v.array(metricKeyReply),
    answer: () => metricKeys.flatMap((metric) => showKey(metric, clusters.list())),
  };
}

function showKey(metric: MetricKey, clusters: readonly Cluster[]): readonly OpsMetricKey[] {
  const { key, label, group, unit, scope, hasParts, aliases } = metric;
  const sources = clusters.map((cluster) => cluster.metricSource(key)).filter((text) => text !== undefined);
  const source = sources.length > 0 ? [...new Set(sources)].join('; ') : unavailable(key, clusters);
  const available = sources.length > 0;
  const shown = { key, label, group, is_distribution: hasParts, unit, scope, source, available };
  return [shown, ...aliases.map((alias) => ({ ...shown, key: alias, alias_of: key }))];
}

function unavailable(key: string, clusters: readonly Cluster[]): string {
  const reasons = clusters.flatMap((cluster) => {
    const reason = cluster.whyNoMetric?.(key);
    return reason === undefined ? [] : [`${cluster.id}: ${reason}`];
  });
  return ['unavailable', ...reasons].join('; ');
}
