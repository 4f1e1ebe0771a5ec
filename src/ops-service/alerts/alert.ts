// Alerts and their rules in the form of replies, events and notices.
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

/**
 * The parts of a rule that notices need. The same rule gives the same object, so that a change is detected by identity.
 */
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

/** The subject in a message of `messageOf` with the same kind and reason. */
export function subjectIn(message: string, kind: AlertChange['kind'], reason: string): string {
  return message.slice(beginningOf(kind).length, -endOf(reason).length);
}

function beginningOf(kind: AlertChange['kind']): string {
  return `alert ${kind}: `;
}

function endOf(reason: string): string {
  return `: ${reason}`;
}
