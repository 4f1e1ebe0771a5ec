// The silence: for a time, notices about what it matches are held.
import type { Alert, Event } from '../events/event.js';

/** What a silence is about: all of what is given must be equal; at least one is. */
export interface SilenceMatchers {
  /** Id of an alert rule. */
  readonly rule?: string | undefined;
  readonly node?: string | undefined;
  readonly dc?: string | undefined;
  /** `keyspace.table`. */
  readonly table?: string | undefined;
}

/** A silence as it is kept and shown. */
export interface Silence {
  readonly id: string;
  readonly matchers: SilenceMatchers;
  /** Seconds since 1970. */
  readonly start: number;
  /** Seconds since 1970. */
  readonly end: number;
  readonly author: string;
  readonly comment: string;
}

/** Whether a silence is still to come, holds notices or is over. */
export type SilenceState = 'pending' | 'active' | 'expired';

/** The state at a moment in milliseconds since 1970. */
export function silenceState({ start, end }: Silence, nowMs: number): SilenceState {
  if (nowMs >= end * 1000) return 'expired';
  return nowMs >= start * 1000 ? 'active' : 'pending';
}

/** Whether the silence is about an alert. */
export function matchesAlert({ matchers }: Silence, alert: Alert): boolean {
  return (
    isMatched(matchers.rule, alert.alert_rule_id) &&
    isMatched(matchers.node, alert.node) &&
    isMatched(matchers.dc, alert.dc) &&
    isMatched(matchers.table, alert.table)
  );
}

/** Whether the silence is about an event: events have a node, but no rule, data center or table. */
export function matchesEvent({ matchers }: Silence, event: Event): boolean {
  const { rule, dc, table, node } = matchers;
  return rule === undefined && dc === undefined && table === undefined && isMatched(node, event.source_node);
}

function isMatched(wanted: string | undefined, actual: string | null): boolean {
  return wanted === undefined || wanted === actual;
}
