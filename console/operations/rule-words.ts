// Alert rules in words.
import { conditionText } from '../../src/descriptions/operations-kinds.js';
import { kinds } from './kinds.js';

/** An alert rule: the members depend on its type. */
export interface OpsRule {
  readonly id: string;
  readonly type: string;
  readonly metric?: string;
  readonly threshold?: number;
  readonly comparator?: string;
  readonly resolve_threshold?: number;
  readonly window?: number;
  readonly cf?: string;
  readonly item?: string;
  readonly dc?: string;
  readonly duration: number;
  readonly notify_interval: number;
  readonly enabled: number;
  readonly level: string;
  readonly no_data: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

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
