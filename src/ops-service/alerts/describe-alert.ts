// What is said of an alert, in words: for events, notices and people.
import type { RuleSummary } from './alert.js';
import type { Rule, Target } from './rule.js';

/** What the rule looks at in this place: `os-disk-usage of /data on 10.0.0.1`. */
export function subjectOf(rule: Rule, target: Target): string {
  const { node, dc, table, device } = target;
  const where = table ?? device;
  const place = where === null ? '' : ` of ${where}`;
  switch (rule.type) {
    case 'rolling-avg':
      return `${rule.metric}${place} on ${node}`;
    case 'percentile':
      return `${rule.percentile === 100 ? 'maximum' : `P${rule.percentile}`} of ${rule.metric}${place} on ${node}`;
    case 'cluster-balance':
      return `the balance of data in ${dc === null || dc === '' ? 'the cluster' : dc}`;
    case 'node-down':
      return node === '' ? 'the cluster' : `node ${node}`;
    case 'agent-issue':
      return `the metrics of node ${node}`;
  }
}

/** The condition that holds: `value 93.2 above 85 for 5 minutes`. */
export function conditionOf(rule: Rule, target: Target, value: number): string {
  const lasting = rule.duration === 0 ? '' : ` for ${minutesText(rule.duration)}`;
  switch (rule.type) {
    case 'rolling-avg':
    case 'percentile': {
      const side = rule.comparator === '>' ? 'above' : 'below';
      return `value ${shown(value, rule.threshold)} ${side} ${rule.threshold}${lasting}`;
    }
    case 'cluster-balance':
      return `spread of ${shown(value, rule.spread)} % above ${rule.spread} %${lasting}`;
    case 'node-down':
      return target.node === '' ? 'no node can be reached' : `down${lasting}`;
    case 'agent-issue':
      return `no metrics${lasting}`;
  }
}

const summaries = new WeakMap<Rule, RuleSummary>();

/** What notices need of a rule; the same object for the same rule, so that a change is seen without a comparison. */
export function summaryOf(rule: Rule): RuleSummary {
  const known = summaries.get(rule);
  if (known !== undefined) return known;
  const summary: RuleSummary = {
    id: rule.id,
    type: rule.type,
    metric: 'metric' in rule ? rule.metric : null,
    level: rule.level,
    notifyIntervalMinutes: rule.notify_interval,
    annotations: rule.annotations ?? {},
  };
  summaries.set(rule, summary);
  return summary;
}

/** `1 minute`, `0.5 minutes`. */
export function minutesText(minutes: number): string {
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

/** With seven digits, as series have them; with all where these are not on the side of the threshold it is on. */
function shown(value: number, threshold: number): string {
  const rounded = Number(value.toPrecision(7));
  return String(Math.sign(rounded - threshold) === Math.sign(value - threshold) ? rounded : value);
}
