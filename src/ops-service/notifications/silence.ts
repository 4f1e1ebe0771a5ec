// The silence: for a period, notices that it matches are held.
import type { OpsSilence } from '../../descriptions/operations-replies.js';
import type { Alert, Event } from '../events/event.js';

/** A silence as it is stored. */
export type Silence = Omit<OpsSilence, 'state'>;

/** Whether a silence is in the future, holds notices, or has ended, at a moment in milliseconds since 1970. */
export function silenceState({ start, end }: Silence, nowMs: number): OpsSilence['state'] {
  if (nowMs >= end * 1000) return 'expired';
  return nowMs >= start * 1000 ? 'active' : 'pending';
}

/** Whether the silence matches an alert. */
export function matchesAlert({ matchers }: Silence, alert: Alert): boolean {
  return (
    isMatched(matchers.rule, alert.alert_rule_id) &&
    isMatched(matchers.node, alert.node) &&
    isMatched(matchers.dc, alert.dc) &&
    isMatched(matchers.table, alert.table)
  );
}

/** Whether the silence matches an event: events have a node, but no rule, data center or table. */
export function matchesEvent({ matchers }: Silence, event: Event): boolean {
  const { rule, dc, table, node } = matchers;
  return rule === undefined && dc === undefined && table === undefined && isMatched(node, event.source_node);
}

function isMatched(wanted: string | undefined, actual: string | null): boolean {
  return wanted === undefined || wanted === actual;
}
