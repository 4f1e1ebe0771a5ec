// Ends the alerts that a stopped process left firing although their rule was deleted or disabled.
import type { Alert, AppendEvent, Event, RuleSummary } from '../events/event.js';
import { messageOf, subjectIn } from './alert.js';
import { whyOver } from './rule.js';
import type { RuleRepository } from './rule-repository.js';

/** An alert that fires, as the notifications have stored it. */
export interface LeftAlert {
  readonly clusterId: string;
  readonly alert: Alert;
  readonly rule: RuleSummary;
  /** Of its firing, and why it fired. */
  readonly event: Event;
  readonly reason: string;
}

/**
 * Reports the end of every alert whose rule is deleted or disabled. Such a change is on disk at once, and a process
 * that is killed before it has cleared all alerts of the rule leaves the others firing. `firing` are all followed
 * alerts that fire. Listeners of events must be subscribed before.
 */
export function endLeftAlerts(
  firing: Iterable<LeftAlert>,
  rules: Pick<RuleRepository, 'find'>,
  appendEvent: AppendEvent,
): void {
  for (const { clusterId, alert, rule, event, reason: firedBecause } of firing) {
    const reason = whyOver(rules.find(clusterId, rule.id));
    if (reason === undefined) continue;
    appendEvent(clusterId, {
      action: 'alertCleared',
      level: 'INFO',
      message: messageOf('cleared', subjectIn(event.message, 'fired', firedBecause), reason),
      ...(alert.node === '' ? {} : { sourceNode: alert.node }),
      change: { kind: 'cleared', alert, rule, reason },
    });
  }
}
