// Alert rules in words.
import type { OpsRule } from './ops-api.js';

/** `write-ops above 500 for 5 min on shop.orders`. */
export function ruleText(rule: OpsRule): string {
  const held = rule.duration === 0 ? '' : ` for ${rule.duration} min`;
  const where = [rule.cf, rule.item, rule.dc].filter((text) => text !== undefined);
  const place = where.length === 0 ? '' : ` on ${where.join(', ')}`;
  return `${conditionText(rule)}${held}${place}`;
}

function conditionText(rule: OpsRule): string {
  const { metric, threshold, comparator, percentile, spread, resolve_threshold: resolve } = rule;
  const side = comparator === '<' ? 'below' : 'above';
  const clears = resolve === undefined ? '' : ` (clears at ${resolve})`;
  switch (rule.type) {
    case 'percentile':
      return `${percentile === 100 ? 'maximum' : `P${percentile}`} of ${metric} ${side} ${threshold}${clears}`;
    case 'cluster-balance':
      return `data unbalanced by more than ${spread} %${clears}`;
    case 'node-down':
      return 'a node is down';
    case 'agent-issue':
      return 'a node gives no metrics';
    default:
      return `${metric} ${side} ${threshold}${clears}`;
  }
}
