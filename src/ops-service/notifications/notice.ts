// The notice: what is sent to a channel, and its JSON form.
import { shortened } from '../../foundation/text/shorten-text.js';
import { type Alert, type Event, levels, type RuleSummary } from '../events/event.js';

/** `event` is for channels that accept all events; the other two are about an alert. */
export type NoticeStatus = 'firing' | 'resolved' | 'event';

/** One notice for one channel. */
export interface Notice {
  /** The id is the same in every attempt, so that a receiver can recognize duplicates. */
  readonly id: string;
  readonly clusterId: string;
  readonly status: NoticeStatus;
  readonly event: Event;
  /** It is null if there is an `event`. */
  readonly alert: Alert | null;
  /** It is null if there is an `event`. */
  readonly rule: RuleSummary | null;
  /** Why it is sent. */
  readonly reason: string;
  /** The receiver's incident that it opens, repeats or closes; only for channels that join into incidents. */
  readonly incident?: string;
  /** The page of the console; only at the time of an attempt, and only with `--console-url`. */
  readonly url?: string;
}

/** The annotations of the rule of a notice; none with `event`. */
export function annotationsOf({ rule }: Pick<Notice, 'rule'>): Readonly<Record<string, string>> {
  return rule?.annotations ?? {};
}

/** The name of the rule of a notice; null with `event`. */
export function ruleNameOf({ rule }: Pick<Notice, 'rule'>): string | null {
  return rule === null ? null : (rule.name ?? rule.metric ?? rule.type);
}

/** The name of a new incident is that of the first firing notice in it. */
export function ownIncidentOf({ alert, id }: Pick<Notice, 'alert' | 'id'>): string {
  return alert === null ? id : `${alert.id}/${alert.first_fired}`;
}

/** The event of a notice; for a firing alert with the present level of the rule. */
export function eventOfNotice(status: NoticeStatus, event: Event, alert: Alert | null): Event {
  if (status !== 'firing' || alert === null || event.level_str === alert.level) return event;
  return { ...event, level: levels[alert.level], level_str: alert.level };
}

/** A notice in the form for receivers: the Event object and its context. */
export interface NoticeJson extends Event {
  readonly cluster: string;
  readonly status: NoticeStatus;
  readonly alert: Alert | null;
  readonly notice_id: string;
  readonly reason: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly url?: string;
}

/** The notice in the form of the JSON webhook. */
export function noticeJson(notice: Notice): NoticeJson {
  const { id, clusterId, status, event, alert, reason, url } = notice;
  const link = url === undefined ? {} : { url };
  const annotations = annotationsOf(notice);
  return { ...event, cluster: clusterId, status, alert, notice_id: id, reason, annotations, ...link };
}

/** The text without control characters, truncated to a length. */
export function oneLine(text: string, maxLength: number): string {
  return shortened(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim(), maxLength);
}
