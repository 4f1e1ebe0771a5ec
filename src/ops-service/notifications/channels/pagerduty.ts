// The channel `pagerduty`: events of the Events API v2; joins waiting notices into one incident, which has one key.

import * as v from 'valibot';
import { beginningOf } from '../../../foundation/text/shorten-text.js';
import { closedObject } from '../../errors/closed-object.js';
import { labelled } from '../../errors/describe-field.js';
import { type LevelName, levels } from '../../events/event.js';
import { type ChannelKind, noEvents, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import { annotationsOf, type Notice, noticeJson, oneLine, ownIncidentOf, ruleNameOf } from '../notice.js';
import { messageTitle, noticeMessage, noticeTitle } from '../notice-text.js';
import { urlSchema } from './http-settings.js';
import { maxDetailedNotices } from './incoming-webhook.js';

const schema = closedObject({
  type: v.literal('pagerduty'),
  ...routingEntries,
  ...noEvents,
  routing_key: labelled(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{32}$/, 'must be 32 letters and digits')),
    'Routing key',
    {
      isSecret: true,
    },
  ),
  url: v.optional(
    labelled(urlSchema, 'Address', {
      help: 'different in the European region',
      isForPrograms: true,
    }),
    'https://events.pagerduty.com/v2/enqueue',
  ),
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
  secretUrls: [],
  places: ['url'],
  joining: { waitMs: 5000, maxNotices: 100, intoIncidents: true },
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
  const [link] = notices.flatMap(({ url }) => url ?? []);
  const page = link === undefined ? {} : { client_url: link, links: [{ href: link, text: 'Console' }] };
  const triggered = (details: object) => {
    const payload = payloadOf(notices, details);
    return JSON.stringify({ ...common, event_action: 'trigger', client: 'Colonnade', ...page, payload });
  };
  const forms = notices.length <= maxDetailedNotices ? [noticeDetails, ruleDetails] : [ruleDetails];
  for (const detailsOf of forms) {
    const body = triggered(detailsOf(notices));
    if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  }
  return triggered({ notices: notices.map(noticeTitle), annotations: 'too long for one message' });
}

function payloadOf(notices: Joined, details: object): object {
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
    custom_details: details,
  };
}

function summaryOf(notices: Joined): string {
  const [first] = notices;
  if (notices.length === 1) return oneLine(noticeMessage(first), 1024);
  const messages = notices.map(noticeMessage).join('; ');
  return oneLine(`${messageTitle(notices)}: ${messages}`, 1024);
}

/** Each notice with everything that is known of it. */
function noticeDetails(notices: Joined): object {
  const [first, ...others] = notices.map((notice) => ({ ...noticeJson(notice), rule: ruleNameOf(notice) }));
  return others.length === 0 ? Object(first) : { notices: [first, ...others] };
}

/** The title of each notice, and each rule with its annotations once. */
function ruleDetails(notices: Joined): object {
  const rules = new Map(notices.flatMap(({ rule }) => (rule === null ? [] : [[rule.id, rule] as const])));
  return {
    notices: notices.map(noticeTitle),
    rules: [...rules.values()].map((rule) => ({
      id: rule.id,
      name: ruleNameOf({ rule }),
      annotations: annotationsOf({ rule }),
    })),
  };
}

/** The common value of all notices; undefined if they differ. */
function common(notices: Joined, of: (notice: Notice) => string | null | undefined): string | undefined {
  const value = of(notices[0]);
  return notices.every((notice) => of(notice) === value) ? (value ?? undefined) : undefined;
}

function levelOf({ alert, event }: Notice): number {
  return alert === null ? event.level : levels[alert.level];
}

/** All notices of an incident have the same key: a copy changes nothing, and the resolving event finds its incident. */
function keyOf(notice: Notice): string {
  return beginningOf(`colonnade/${notice.clusterId}/${notice.incident ?? ownIncidentOf(notice)}`, 255);
}
