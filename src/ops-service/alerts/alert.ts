// Alerts and their rules in the form in which they are shown, and in which events and notices carry them.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Alert, AlertChange, RuleSummary } from '../events/event.js';
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

/** The message of the event of a change: `alert fired: os-disk-usage of / on 10.0.0.1: value 93.2 above 85`. */
export function messageOf(kind: AlertChange['kind'], subject: string, reason: string): string {
  return `${beginningOf(kind)}${subject}${endOf(reason)}`;
}

/** The subject in a message that `messageOf` made of the same kind and reason. */
export function subjectIn(message: string, kind: AlertChange['kind'], reason: string): string {
  return message.slice(beginningOf(kind).length, -endOf(reason).length);
}

function beginningOf(kind: AlertChange['kind']): string {
  return `alert ${kind}: `;
}

function endOf(reason: string): string {
  return `: ${reason}`;
}
