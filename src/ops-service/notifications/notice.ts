// The notice: what a channel is sent, and how it is written as JSON.
import { type Alert, type Event, levels, type RuleSummary } from '../events/event.js';

/** `event` is for channels that take every event; the other two are about an alert. */
export type NoticeStatus = 'firing' | 'resolved' | 'event';

/** One notice for one channel. */
export interface Notice {
  /** The same in every attempt: a receiver recognises by it what it has already got. */
  readonly id: string;
  readonly clusterId: string;
  readonly status: NoticeStatus;
  readonly event: Event;
  /** Null with `event`. */
  readonly alert: Alert | null;
  /** Null with `event`. */
  readonly rule: RuleSummary | null;
  /** Why it is sent, in words. */
  readonly reason: string;
  /** The incident of the receiver that it opens, repeats or closes; only for channels that join into incidents. */
  readonly incident?: string;
}

/** The incident that a message opens has the name of the first firing in it. */
export function ownIncidentOf({ alert, id }: Pick<Notice, 'alert' | 'id'>): string {
  return alert === null ? id : `${alert.id}/${alert.first_fired}`;
}

/** The event that a notice carries: of what fires with the level that the rule has now. */
export function eventOfNotice(status: NoticeStatus, event: Event, alert: Alert | null): Event {
  if (status !== 'firing' || alert === null || event.level_str === alert.level) return event;
  return { ...event, level: levels[alert.level], level_str: alert.level };
}

/** A notice as receivers see it: the Event object and what it is about. */
export interface NoticeJson extends Event {
  readonly cluster: string;
  readonly status: NoticeStatus;
  readonly alert: Alert | null;
  readonly notice_id: string;
  readonly reason: string;
}

/** The notice as the JSON webhook sends it. */
export function noticeJson(notice: Notice): NoticeJson {
  const { id, clusterId, status, event, alert, reason } = notice;
  return { ...event, cluster: clusterId, status, alert, notice_id: id, reason };
}

/** The text without control characters, cut to a length. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
