// Alerts and their rules in the form in which they are shown, and in which notices carry them.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Alert, RuleSummary } from '../events/event.js';
import type { Rule } from './rule.js';
import { kindOf } from './rules/registry.js';
import type { Standing } from './standings.js';

/** The alert of a rule for a target. */
export function alertOf({ record, state, target, value }: Standing, rule: Rule): Alert {
  const isWithoutData = state.phase === 'firing' && state.isWithoutData;
  return {
    id: record?.id ?? '',
    alert_rule_id: rule.id,
    ...target,
    level: rule.level,
    state: record?.isAcknowledged === true ? 'acknowledged' : isWithoutData ? 'no-data' : 'firing',
    current_value: value,
    first_fired: record?.firstFired ?? 0,
  };
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
