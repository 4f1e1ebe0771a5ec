// The kind of rule that compares the average of a metric with a threshold.

import type { Sample } from '../../metrics/latest-samples.js';
import { findMetricKey } from '../../metrics/metric-keys.js';
import { type AverageMemory, addToAverage, averageIn } from '../memory.js';
import type { RuleKind } from '../rule.js';
import { checkBoundary, compare } from './boundary.js';
import { type ComparingRule, checkSubjects, comparedMetric, comparing, windowMs } from './comparing-rule.js';

/** Fires when the average of the samples of the last `window` minutes is beyond `threshold`. */
export const rollingAverage: RuleKind<ComparingRule, Sample, AverageMemory> = {
  ...comparing,
  type: 'rolling-avg',
  label: 'the average of a metric',
  help: 'the average of `metric` over `window` is beyond `threshold`',
  needs: ['metric', 'threshold'],
  defaults: { comparator: '>' },
  metric: { ...comparedMetric, isDistribution: false, partOf: () => '' },
  stored: (rule) => ({ key: rule.metric, part: '', windowMs: windowMs(rule) }),
  check(rule) {
    const problems = [...checkSubjects(rule), ...checkBoundary(rule)];
    if (findMetricKey(rule.metric)?.hasParts !== true) return problems;
    const message = `${rule.metric} is a distribution: compare it with a rule of type percentile`;
    return [{ path: 'metric', message }, ...problems];
  },
  step(rule, memory, observed) {
    if (observed === undefined) return { memory, verdict: undefined };
    const after = addToAverage(memory, observed, windowMs(rule));
    return { memory: after, verdict: compare(averageIn(after), rule) };
  },
};
