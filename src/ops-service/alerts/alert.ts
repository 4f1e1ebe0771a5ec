// The alert: a rule whose condition holds for one node, table or device.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Event, LevelName } from '../events/event.js';
import type { Rule } from './rule.js';
import { kindOf } from './rules/registry.js';

/** An alert as `GET /{cluster_id}/alerts` shows it and notices carry it. */
export interface Alert {
  readonly id: string;
  readonly alert_rule_id: string;
  /** Address; empty where the alert is about a whole data center or cluster. */
  readonly node: string;
  readonly dc: string | null;
  readonly table: string | null;
  readonly device: string | null;
  readonly level: LevelName;
  readonly state: 'firing' | 'acknowledged' | 'no-data';
  readonly current_value: number;
  /** Seconds since 1970 of the transition to firing. */
  readonly first_fired: number;
}

/** What the rest of the service hears of alerts. Changes of one alert come in the order in which they happened. */
export interface AlertChange {
  readonly clusterId: string;
  readonly kind: 'fired' | 'cleared' | 'acknowledged' | 'unacknowledged';
  readonly alert: Alert;
  readonly rule: RuleSummary;
  /** The event that the log has of it. */
  readonly event: Event;
  /** Why, in words: `value 93.2 above 85 for 5 minutes`, `rule changed`, `node removed`. */
  readonly reason: string;
}

/** What notices need of a rule. */
export interface RuleSummary {
  readonly id: string;
  readonly type: string;
  readonly metric: string | null;
  readonly level: LevelName;
  readonly notifyIntervalMinutes: number;
  readonly annotations: Readonly<Record<string, string>>;
}

const summaries = new WeakMap<Rule, RuleSummary>();

/** What notices need of a rule; the same object for the same rule, so that a change is seen without a comparison. */
export function summaryOf(rule: Rule): RuleSummary {
  return getOrMake(summaries, rule, () => ({
    id: rule.id,
    type: rule.type,
    metric: kindOf(rule).metric?.nameOf(rule) ?? null,
    level: rule.level,
    notifyIntervalMinutes: rule.notify_interval,
    annotations: rule.annotations ?? {},
  }));
}
