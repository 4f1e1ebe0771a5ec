// The places in which a rule that compares a metric looks: each node, and on it each table or device.
import type { ErrorDetail } from '../../errors/ops-error.js';
import type { Sample, SamplesOfNode } from '../../metrics/latest-samples.js';
import { findMetricKey, type MetricKey } from '../../metrics/metric-keys.js';
import {
  type JudgedCluster,
  nodesOf,
  type Observation,
  type PercentileRule,
  type RollingAverageRule,
  type Target,
} from '../rule.js';

type ComparingRule = RollingAverageRule | PercentileRule;

/** Every place of the rule's metric. A value that is not of this moment is not seen. */
export function* observeMetric(rule: ComparingRule, cluster: JudgedCluster): Generator<Observation, void> {
  const metric = findMetricKey(rule.metric);
  if (metric === undefined) return;
  const samples = cluster.samples.of(metric.key);
  const fresh = (sample: Sample | undefined) => (sample?.atMs === cluster.atMs ? sample : undefined);
  for (const { address, dc, target } of nodesOf(rule, cluster)) {
    const ofNode = samples.get(address);
    if (metric.scope === 'node') {
      yield { key: address, target, observed: fresh(ofNode?.get('')) };
      continue;
    }
    for (const subject of subjectsOf(metric, rule, ofNode, cluster)) {
      const [table, device] = metric.scope === 'table' ? [subject, null] : [null, subject];
      const place = { node: address, dc, table, device };
      yield { key: keyOf(place), target: place, observed: fresh(ofNode?.get(subject)) };
    }
  }
}

/** What tells the targets of one rule apart. Addresses have no blanks. */
export function keyOf({ node, dc, table, device }: Target): string {
  if (node === '') return ` ${dc ?? ''}`;
  return table === null && device === null ? node : `${node} ${table ?? device ?? ''}`;
}

/** Problems of `cf` and `item` with a metric that has no tables or devices. */
export function checkSubjects({ metric, cf, item }: ComparingRule): readonly ErrorDetail[] {
  const scope = findMetricKey(metric)?.scope ?? 'node';
  const problems: ErrorDetail[] = [];
  if (cf !== undefined && scope !== 'table') {
    problems.push({ path: 'cf', message: `${metric} is not a metric of tables` });
  }
  if (item !== undefined && scope !== 'device') {
    problems.push({ path: 'item', message: `${metric} is not a metric of devices` });
  }
  return problems;
}

function subjectsOf(
  { scope }: MetricKey,
  { cf, item }: ComparingRule,
  ofNode: SamplesOfNode | undefined,
  cluster: JudgedCluster,
): readonly string[] {
  const subjects = [...(ofNode ?? [])]
    .filter(([, sample]) => isCurrent(sample, cluster))
    .map(([name]) => name);
  if (scope === 'device') return item === undefined ? subjects : subjects.filter((name) => name === item);
  if (cf === undefined) return subjects.filter((name) => cluster.tables.has(name));
  return cluster.tables.has(cf) ? [cf] : [];
}

function isCurrent({ atMs }: Sample, cluster: JudgedCluster): boolean {
  return cluster.atMs - atMs <= cluster.gapMs;
}
