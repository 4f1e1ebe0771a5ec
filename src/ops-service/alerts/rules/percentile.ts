// The kind of rule that compares a percentile of a distribution with a threshold.
import * as v from 'valibot';
import { percentileMs } from '../../../foundation/telemetry/latency-counts.js';
import type { HistogramPart } from '../../clusters/cluster.js';
import { labelled } from '../../errors/describe-field.js';
import type { ErrorDetail } from '../../errors/ops-error.js';
import type { Sample } from '../../metrics/latest-samples.js';
import { findMetricKey } from '../../metrics/metric-keys.js';
import { addToHistogram, type HistogramMemory, histogramIn } from '../memory.js';
import type { RuleContext, RuleKind } from '../rule.js';
import { sharedFields } from '../shared-fields.js';
import { checkBoundary, compare } from './boundary.js';
import {
  type ComparingRule,
  checkSubjects,
  comparedMetric,
  comparing,
  placeText,
  windowMs,
} from './comparing-rule.js';

interface PercentileRule extends ComparingRule {
  readonly percentile: number;
}

/** The part of a distribution for each percentile. */
const partOfPercentile: Readonly<Record<number, HistogramPart>> = {
  50: 'P50',
  90: 'P90',
  99: 'P99',
  100: 'MAX',
};

/** Fires when a percentile of all measurements in the last `window` minutes is beyond `threshold`. */
export const percentile: RuleKind<PercentileRule, Sample, HistogramMemory> = {
  ...comparing,
  type: 'percentile',
  label: 'a percentile of latencies',
  help: 'the `percentile` of a distribution over `window` is beyond `threshold`',
  condition: '{percentile} of {metric} {comparator} {threshold}',
  fields: {
    ...sharedFields,
    percentile: labelled(v.picklist([50, 90, 99, 100], 'must be one of 50, 90, 99, 100'), 'Percentile', {
      help: 'which percentile is compared',
      choices: [
        [50, '50', 'P50'],
        [90, '90', 'P90'],
        [99, '99', 'P99'],
        [100, 'maximum'],
      ],
      group: 'subject',
    }),
  },
  needs: ['metric', 'threshold'],
  defaults: { comparator: '>', percentile: 99 },
  metric: { ...comparedMetric, isDistribution: true, partOf },
  stored: (rule) => ({ key: rule.metric, part: partOf(rule), windowMs: windowMs(rule) }),
  check(rule, context) {
    const problems = [...checkSubjects(rule), ...checkBoundary(rule), ...checkHistogram(rule, context)];
    if (findMetricKey(rule.metric)?.hasParts !== false) return problems;
    const message = `${rule.metric} is not a distribution: compare it with a rule of type rolling-avg`;
    return [{ path: 'metric', message }, ...problems];
  },
  step(rule, memory, observed) {
    if (observed === undefined) return { memory, verdict: undefined };
    const { atMs, histogram, parts } = observed;
    if (histogram === undefined) {
      const value = parts?.[partOf(rule)];
      return { memory: undefined, verdict: value === undefined ? undefined : compare(value, rule) };
    }
    const after = addToHistogram(memory, { atMs, histogram }, windowMs(rule));
    const value = percentileMs(histogramIn(after), rule.percentile);
    // Nothing was measured, so nothing was slow: this is a verdict, not a missing value.
    const verdict =
      value === undefined ? { value: 0, isBeyond: false, isResolved: true } : compare(value, rule);
    return { memory: after, verdict };
  },
  measureOf: (rule) => `${comparing.measureOf(rule)} ${rule.percentile}`,
  subjectOf: (rule, target) => `${measuredText(rule)} of ${placeText(rule.metric, target)}`,
};

function measuredText({ percentile }: PercentileRule): string {
  return percentile === 100 ? 'maximum' : `P${percentile}`;
}

function partOf({ percentile }: PercentileRule): HistogramPart {
  return partOfPercentile[percentile] ?? 'MAX';
}

function checkHistogram(
  { percentile, window }: PercentileRule,
  { histograms }: RuleContext,
): readonly ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const offered = Object.entries(partOfPercentile).filter(([, part]) => histograms.parts.includes(part));
  if (!offered.some(([percent]) => Number(percent) === percentile)) {
    const list = offered.map(([percent]) => percent).join(', ');
    problems.push({ path: 'percentile', message: `${percentile} is not available here: use one of ${list}` });
  }
  if (window !== undefined && !histograms.takesWindow) {
    const message = 'the nodes of this cluster report percentiles over a fixed window: omit this field';
    problems.push({ path: 'window', message });
  }
  return problems;
}
