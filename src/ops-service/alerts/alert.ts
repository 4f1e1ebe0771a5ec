// Alerts and their rules in the form of replies, events and notices.
import { conditionText } from '../../descriptions/operations-kinds.js';
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Alert, AlertChange, RuleSummary } from '../events/event.js';
import { describedRuleKinds } from './describe-rules.js';
import { durationText, type Rule } from './rule.js';
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
    name: nameOf(rule),
    type: rule.type,
    metric: kindOf(rule).metric?.nameOf(rule) ?? null,
    level: rule.level,
    notifyIntervalMinutes: rule.notify_interval,
    annotations: rule.annotations ?? {},
  }));
}

/** The rule in words: `os-disk-usage above 85 for 5 minutes on /data, dc1`. */
function nameOf(rule: Rule): string {
  const kind = kindOf(rule);
  const places = [...(kind.metric?.placesOf(rule) ?? []), ...(rule.dc === undefined ? [] : [rule.dc])];
  const where = places.length === 0 ? '' : ` on ${places.join(', ')}`;
  const described = describedRuleKinds.find(({ name }) => name === rule.type);
  const condition = described === undefined ? rule.type : conditionText(described, rule);
  return `${condition}${durationText(rule)}${where}`;
}

/** The message of the event of a change: `alert fired: os-disk-usage of / on 10.0.0.1: value 93.2 above 85`. */
export function messageOf(kind: AlertChange['kind'], subject: string, reason: string): string {
  return `${beginningOf(kind)}${subject}${endOf(reason)}`;
}

/** The subject in a message of `messageOf` with the same kind and reason. */
export function subjectIn(message: string, kind: AlertChange['kind'], reason: string): string {
  return message.slice(beginningOf(kind).length, -endOf(reason).length);
}

/** The message of an event of a change without its beginning, as notices show it beside their status. */
export function withoutBeginning(message: string, kind: AlertChange['kind']): string {
  const beginning = beginningOf(kind);
  return message.startsWith(beginning) ? message.slice(beginning.length) : message;
}

function beginningOf(kind: AlertChange['kind']): string {
  return `alert ${kind}: `;
}

function endOf(reason: string): string {
  return `: ${reason}`;
}
