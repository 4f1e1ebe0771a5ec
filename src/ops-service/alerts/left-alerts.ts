// Ends alerts that were still firing when the process stopped, although their rule was deleted or disabled.
import type { Alert, AppendEvent, Event, RuleSummary } from '../events/event.js';
import { messageOf, subjectIn } from './alert.js';
import { whyOver } from './rule.js';
import type { RuleRepository } from './rule-repository.js';

/** A firing alert as the notifications have stored it. */
export interface LeftAlert {
  readonly clusterId: string;
  readonly alert: Alert;
  readonly rule: RuleSummary;
  /** The event of its firing, with the reason. */
  readonly event: Event;
  readonly reason: string;
}

/**
 * Reports the end of every alert whose rule is deleted or disabled. Such a change is on disk at once; if the process is
 * killed before it has cleared all alerts of the rule, the others keep firing. `firing` has all followed alerts that
 * fire. Call it after listeners of events have subscribed.
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
