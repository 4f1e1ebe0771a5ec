// The common parts of the kinds of rules that compare a metric: fields, texts, targets (each node, or each table or
// device of a node).
import type { ErrorDetail } from '../../errors/ops-error.js';
import type { Sample, SamplesOfNode } from '../../metrics/latest-samples.js';
import { findMetricKey, type MetricKey } from '../../metrics/metric-keys.js';
import {
  type ComparedMetric,
  durationText,
  isInDc,
  type JudgedCluster,
  minutesMs,
  nodesOf,
  type Observation,
  type Rule,
  type RuleKind,
  type Target,
} from '../rule.js';
import { sharedFields } from '../shared-fields.js';
import { type Boundary, boundaryText, compare, isLooserBoundary, shownValue } from './boundary.js';
import { whyNodeGone } from './node-targets.js';

/** A rule that compares a metric. */
export interface ComparingRule extends Rule, Boundary {
  /** A key of the table of metric keys or an alias. */
  readonly metric: string;
  /** The only table that is compared, `keyspace.table`; without it, every table is compared separately. */
  readonly cf?: string;
  /** The only device that is compared; without it, every device is compared separately. */
  readonly item?: string;
  /** Minutes that one value sums up. Default: the smaller of `duration` and 1. */
  readonly window?: number;
}

/** The members that are the same for all these kinds. */
export const comparing = {
  fields: sharedFields,
  condition: '{metric} {comparator} {threshold}',
  marksNodeDown: false,
  observe: observeMetric,
  measureOf: ({ type, metric, duration, window }) =>
    JSON.stringify([type, metric, windowOf(duration, window)]),
  isLooser: isLooserBoundary,
  isStillBeyond: (rule, value) => compare(value, rule).isBeyond,
  isInScope,
  whyGone: (rule, target, cluster) =>
    whyNodeGone(rule, target, cluster) ?? whySubjectGone(rule, target, cluster),
  subjectOf: ({ metric }, target) => placeText(metric, target),
  conditionOf(rule, _, value) {
    return `value ${shownValue(value, rule.threshold)} ${boundaryText(rule)}${durationText(rule)}`;
  },
} satisfies Partial<RuleKind<ComparingRule, Sample>>;

/** The members of `metric` that are the same for all these kinds. */
export const comparedMetric = {
  nameOf: ({ metric }) => metric,
  placesOf: ({ cf, item }) => [cf, item].filter((place) => place !== undefined),
  windowMs,
  isBeyond: ({ comparator, threshold }, { min, max }) =>
    comparator === '>' ? min > threshold : max < threshold,
} satisfies Partial<ComparedMetric<ComparingRule>>;

/** The duration that one value sums up, in milliseconds. */
export function windowMs({ duration, window }: ComparingRule): number {
  return minutesMs(windowOf(duration, window));
}

/** `os-disk-usage of /data on 10.0.0.1`. */
export function placeText(metric: string, { node, table, device }: Target): string {
  const where = table ?? device;
  return `${metric}${where === null ? '' : ` of ${where}`} on ${node}`;
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

/** Every place of the rule's metric. A value of an earlier moment gives no observation. */
function* observeMetric(rule: ComparingRule, cluster: JudgedCluster): Generator<Observation<Sample>, void> {
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
      const target = { node: address, dc, table, device };
      yield { key: `${address} ${subject}`, target, observed: fresh(ofNode?.get(subject)) };
    }
  }
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

function isInScope(rule: ComparingRule, target: Target): boolean {
  if (!isInDc(rule, target)) return false;
  const scope = findMetricKey(rule.metric)?.scope;
  if ((scope === 'table') !== (target.table !== null)) return false;
  if ((scope === 'device') !== (target.device !== null)) return false;
  return (
    (rule.cf === undefined || rule.cf === target.table) &&
    (rule.item === undefined || rule.item === target.device)
  );
}

function whySubjectGone(
  { metric }: ComparingRule,
  { node, table, device }: Target,
  cluster: JudgedCluster,
): string | undefined {
  if (table !== null && !cluster.tables.has(table)) return 'table dropped';
  if (device === null) return undefined;
  const devices = cluster.samples.of(findMetricKey(metric)?.key ?? metric).get(node);
  const own = devices?.get(device);
  if (devices === undefined || (own !== undefined && isCurrent(own, cluster))) return undefined;
  // The node now provides the metric for other devices, and has not provided it for this one for a long time.
  return [...devices.values()].some(({ atMs }) => atMs === cluster.atMs) ? 'device removed' : undefined;
}

function isCurrent({ atMs }: Sample, cluster: JudgedCluster): boolean {
  return cluster.atMs - atMs <= cluster.gapMs;
}

function windowOf(duration: number, window: number | undefined): number {
  return window ?? Math.min(duration, 1);
}
