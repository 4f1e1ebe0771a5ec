// The silence: for a period, notices that it matches are held.
import type { Alert, Event } from '../events/event.js';

/** The conditions of a silence: all given members must be equal; there is at least one. */
export interface SilenceMatchers {
  /** Id of an alert rule. */
  readonly rule?: string | undefined;
  readonly node?: string | undefined;
  readonly dc?: string | undefined;
  /** `keyspace.table`. */
  readonly table?: string | undefined;
}

/** A silence in the form of storage and replies. */
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

/** Whether a silence is in the future, holds notices, or has ended. */
export type SilenceState = 'pending' | 'active' | 'expired';

/** The state at a moment in milliseconds since 1970. */
export function silenceState({ start, end }: Silence, nowMs: number): SilenceState {
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
