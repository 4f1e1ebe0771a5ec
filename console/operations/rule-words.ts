// Alert rules in words.
import { conditionText } from '../../src/descriptions/operations-kinds.js';
import { kinds } from './kinds.js';
import type { OpsRule } from './ops-api.js';

/** `write-ops above 500 for 5 min on shop.orders`. */
export function ruleText(rule: OpsRule): string {
  const kind = kinds().rules.find(({ name }) => name === rule.type);
  const { resolve_threshold: resolve, duration } = rule;
  const clears = resolve === undefined ? '' : ` (clears at ${resolve})`;
  const held = duration === 0 ? '' : ` for ${duration} min`;
  const where = [rule.cf, rule.item, rule.dc].filter((text) => text !== undefined);
  const place = where.length === 0 ? '' : ` on ${where.join(', ')}`;
  return `${kind === undefined ? rule.type : conditionText(kind, rule)}${clears}${held}${place}`;
}
