// The channel `pagerduty`: events of the Events API v2; joins waiting notices into one incident, which has one key.

import * as v from 'valibot';
import { beginningOf } from '../../../foundation/text/shorten-text.js';
import { closedObject } from '../../errors/closed-object.js';
import { type LevelName, levels } from '../../events/event.js';
import { type ChannelKind, noEvents, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import { type Notice, noticeJson, oneLine, ownIncidentOf } from '../notice.js';
import { messageTitle, noticeTitle } from '../notice-text.js';
import { urlSchema } from './http-settings.js';
import { maxDetailedNotices } from './incoming-webhook.js';

const schema = closedObject({
  type: v.literal('pagerduty'),
  ...routingEntries,
  ...noEvents,
  routing_key: v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{32}$/, 'must be 32 letters and digits')),
  /** The European service region has another URL. */
  url: v.optional(urlSchema, 'https://events.pagerduty.com/v2/enqueue'),
});

const severities: Readonly<Record<LevelName, 'info' | 'warning' | 'error' | 'critical'>> = {
  DEBUG: 'info',
  INFO: 'info',
  WARN: 'warning',
  ERROR: 'error',
  CRITICAL: 'critical',
  ALERT: 'critical',
};

/** The API accepts events of at most 512 KB. */
const maxBodyBytes = 500_000;

/** Opens and resolves incidents. An event of the API is about one incident, so waiting notices are joined into one. */
export const pagerdutyKind: ChannelKind = {
  type: 'pagerduty',
  schema,
  secrets: ['routing_key'],
  secretUrls: [],
  places: ['url'],
  joining: { waitMs: 5000, maxNotices: 100, intoIncidents: true },
  refreshMs: undefined,
  open: (settings, surroundings) => {
    const { url, routing_key: routingKey } = v.parse(schema, settings);
    return {
      deliver: async (notices, attemptId, signal) => {
        const [first] = notices;
        if (first === undefined) return { kind: 'sent' };
        const headers = { 'content-type': 'application/json', 'idempotency-key': attemptId };
        const body = bodyOf([first, ...notices.slice(1)], routingKey);
        return deliverOverHttp(surroundings, { url, headers, body, secrets: [routingKey] }, signal);
      },
    };
  },
};

/** The notices of one message. */
type Joined = readonly [Notice, ...Notice[]];

function bodyOf(notices: Joined, routingKey: string): string {
  const [first] = notices;
  const common = { routing_key: routingKey, dedup_key: keyOf(first) };
  if (first.status === 'resolved') return JSON.stringify({ ...common, event_action: 'resolve' });
  const triggered = (isDetailed: boolean) =>
    JSON.stringify({
      ...common,
      event_action: 'trigger',
      client: 'Colonnade',
      payload: payloadOf(notices, isDetailed),
    });
  const body = triggered(notices.length <= maxDetailedNotices);
  return Buffer.byteLength(body) <= maxBodyBytes ? body : triggered(false);
}

function payloadOf(notices: Joined, isDetailed: boolean): object {
  const [{ clusterId }] = notices;
  const worst = notices.reduce((left, right) => (levelOf(right) > levelOf(left) ? right : left));
  const times = notices.map(({ event }) => Number(event.time));
  return {
    summary: summaryOf(notices),
    source: common(notices, ({ alert }) => alert?.node) || clusterId,
    severity: severities[worst.alert?.level ?? worst.event.level_str],
    timestamp: new Date(Math.min(...times) / 1000).toISOString(),
    component: common(notices, ({ alert }) => alert?.table ?? alert?.device),
    group: clusterId,
    class: common(notices, ({ rule }) => (rule === null ? 'test' : (rule.metric ?? rule.type))),
    custom_details: detailsOf(notices, isDetailed),
  };
}

function summaryOf(notices: Joined): string {
  const [{ event }] = notices;
  if (notices.length === 1) return oneLine(event.message, 1024);
  const messages = notices.map((notice) => notice.event.message).join('; ');
  return oneLine(`${messageTitle(notices)}: ${messages}`, 1024);
}

function detailsOf(notices: Joined, isDetailed: boolean): object {
  if (!isDetailed) return { notices: notices.map(noticeTitle) };
  const details = notices.map((notice) => ({
    ...noticeJson(notice),
    annotations: notice.rule?.annotations ?? {},
  }));
  return details.length === 1 ? Object(details[0]) : { notices: details };
}

/** The common value of all notices; undefined if they differ. */
function common(notices: Joined, of: (notice: Notice) => string | null | undefined): string | undefined {
  const value = of(notices[0]);
  return notices.every((notice) => of(notice) === value) ? (value ?? undefined) : undefined;
}

function levelOf({ alert, event }: Notice): number {
  return alert === null ? event.level : levels[alert.level];
}

/** The same for all notices of an incident: a copy changes nothing, and the resolving event finds its incident. */
function keyOf(notice: Notice): string {
  return beginningOf(`colonnade/${notice.clusterId}/${notice.incident ?? ownIncidentOf(notice)}`, 255);
}
