// The kind of rule that compares the average of a metric with a threshold.
import { findMetricKey } from '../../metrics/metric-keys.js';
import { addToAverage, averageIn } from '../memory.js';
import { checkBoundary, compare, type RollingAverageRule, type RuleKind, windowMs } from '../rule.js';
import { checkSubjects, observeMetric } from './metric-targets.js';

/** Fires when the average of the samples of the last `window` minutes is beyond `threshold`. */
export const rollingAverage: RuleKind<RollingAverageRule> = {
  type: 'rolling-avg',
  help: 'The average of a metric over its window is above or below a threshold.',
  takes: ['metric', 'threshold', 'comparator', 'cf', 'item', 'window', 'resolve_threshold'],
  needs: ['metric', 'threshold'],
  defaults: { comparator: '>' },
  check(rule) {
    const problems = [...checkSubjects(rule), ...checkBoundary(rule)];
    if (findMetricKey(rule.metric)?.hasParts !== true) return problems;
    const message = `${rule.metric} is a distribution: compare it with a rule of type percentile`;
    return [{ path: 'metric', message }, ...problems];
  },
  observe: observeMetric,
  step(rule, memory, observed) {
    if (observed === undefined) return { memory, verdict: undefined };
    const before = memory?.kind === 'average' ? memory : undefined;
    const after = addToAverage(before, observed, windowMs(rule));
    return { memory: after, verdict: compare(averageIn(after), rule) };
  },
};
