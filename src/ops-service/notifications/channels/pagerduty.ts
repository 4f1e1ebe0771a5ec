// The channel `pagerduty`: an event of the Events API v2 per notice; what fires and what clears share a key.
import * as v from 'valibot';
import { closedObject } from '../../errors/closed-object.js';
import type { LevelName } from '../../events/event.js';
import { type ChannelKind, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import { type Notice, noticeJson, oneLine } from '../notice.js';
import { noEvents } from './no-events.js';
import { urlSchema } from './url-schema.js';

const schema = closedObject({
  type: v.literal('pagerduty'),
  ...routingEntries,
  ...noEvents,
  routing_key: v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{32}$/, 'must be 32 letters and digits')),
  /** Another in the European service region. */
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

/** Opens and resolves incidents. An event of the API is about one alert, so nothing is joined. */
export const pagerdutyKind: ChannelKind = {
  type: 'pagerduty',
  schema,
  secrets: ['routing_key'],
  secretUrls: [],
  places: ['url'],
  joining: undefined,
  refreshMs: undefined,
  open: (settings, surroundings) => {
    const { url, routing_key: routingKey } = v.parse(schema, settings);
    return {
      deliver: async (notices, _attemptId, signal) => {
        const [notice] = notices;
        if (notice === undefined) return { kind: 'sent' };
        const headers = { 'content-type': 'application/json', 'idempotency-key': notice.id };
        const body = JSON.stringify(eventOf(notice, routingKey));
        return deliverOverHttp(surroundings, { url, headers, body, secrets: [routingKey] }, signal);
      },
    };
  },
};

function eventOf(notice: Notice, routingKey: string): object {
  const { alert, event, rule, status, clusterId } = notice;
  const common = { routing_key: routingKey, dedup_key: keyOf(notice) };
  if (status === 'resolved') return { ...common, event_action: 'resolve' };
  return {
    ...common,
    event_action: 'trigger',
    client: 'Colonnade',
    payload: {
      summary: oneLine(event.message, 1024),
      source: alert?.node || clusterId,
      severity: severities[alert?.level ?? event.level_str],
      timestamp: new Date(Number(event.time) / 1000).toISOString(),
      component: alert?.table ?? alert?.device ?? undefined,
      group: clusterId,
      class: rule?.metric ?? rule?.type ?? 'test',
      custom_details: { ...noticeJson(notice), annotations: rule?.annotations ?? {} },
    },
  };
}

/** The same for all notices of one firing: a copy of what is known changes nothing, and the end finds its beginning. */
function keyOf({ clusterId, alert, id }: Notice): string {
  const key = alert === null ? id : `${alert.id}/${alert.first_fired}`;
  return `colonnade/${clusterId}/${key}`.slice(0, 255);
}
