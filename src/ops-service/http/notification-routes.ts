// The routes of notifications: switch, silences, delivery log.
import * as v from 'valibot';
import { deliveryReply, silenceReply } from '../../descriptions/operations-replies.js';
import { doSteps, LongWork } from '../../foundation/threads/long-work.js';
import { closedObject } from '../errors/closed-object.js';
import type { Notifications } from '../notifications/notifications.js';
import { newSilenceSchema } from '../notifications/silence-repository.js';
import { mostAtOnce, mostWaitingAnswers, resultOf } from './answer-in-steps.js';
import type { OpsParts } from './ops-parts.js';
import { countParameter, timestampParameter } from './query-parameters.js';
import type { Route } from './route.js';

const deliveryQuery = closedObject({
  count: countParameter(100),
  timestamp: timestampParameter,
  channel_id: v.optional(v.string()),
  alert_id: v.optional(v.string()),
});

const switchSchema = v.boolean('must be true or false');

/** The routes of switch, silences and delivery log. */
export function notificationRoutes({ notifications, clock }: OpsParts): readonly Route[] {
  return [
    ...switchRoutes(notifications),
    ...silenceRoutes(notifications),
    deliveryRoute(notifications, new LongWork(clock, mostWaitingAnswers)),
  ];
}

function switchRoutes({ globalSwitch, pipeline }: Notifications): readonly Route[] {
  const path = '/{cluster_id}/events/notifications-enabled';
  const read: Route = {
    method: 'GET',
    path,
    summary: 'Whether notifications of the cluster are delivered.',
    access: 'viewer',
    reply: v.boolean(),
    answer: ({ params }) => globalSwitch.isOn(params['cluster_id'] ?? ''),
  };
  const write: Route<v.GenericSchema, typeof switchSchema> = {
    method: 'PUT',
    path,
    summary: 'Switches delivery of notifications on or off; alerts are judged and listed in any case.',
    access: 'operator',
    body: switchSchema,
    reply: v.null(),
    answer: ({ params, body, caller }) => {
      globalSwitch.set(params['cluster_id'] ?? '', body, caller);
      pipeline.tick();
    },
  };
  return [read, write];
}

function silenceRoutes({ silences, pipeline }: Notifications): readonly Route[] {
  const path = '/{cluster_id}/silences';
  const list: Route = {
    method: 'GET',
    path,
    summary: 'The silences by creation; expired ones for another week.',
    access: 'viewer',
    reply: v.array(silenceReply),
    answer: ({ params }) => silences.list(params['cluster_id'] ?? ''),
  };
  const add: Route<v.GenericSchema, typeof newSilenceSchema> = {
    method: 'POST',
    path,
    summary: 'Holds notices about what the matchers name, from start (default now) to end in unix seconds.',
    access: 'operator',
    body: newSilenceSchema,
    reply: v.string(),
    status: 201,
    answer: ({ params, body, caller }) => silences.add(params['cluster_id'] ?? '', body, caller),
  };
  const get: Route = {
    method: 'GET',
    path: `${path}/{silence_id}`,
    summary: 'One silence.',
    access: 'viewer',
    reply: silenceReply,
    answer: ({ params }) => silences.get(params['cluster_id'] ?? '', params['silence_id'] ?? ''),
  };
  const remove: Route = {
    method: 'DELETE',
    path: `${path}/{silence_id}`,
    summary: 'Ends a silence at once: channels are notified of the alerts that it held and that still fire.',
    access: 'operator',
    reply: v.null(),
    answer: ({ params, caller }) => {
      silences.remove(params['cluster_id'] ?? '', params['silence_id'] ?? '', caller);
      pipeline.tick();
    },
  };
  return [list, add, get, remove];
}

function deliveryRoute({ log }: Notifications, work: LongWork): Route<typeof deliveryQuery> {
  return {
    method: 'GET',
    path: '/{cluster_id}/notifications',
    summary: 'The delivery log, newest first: what was sent, held or dropped, when, to whom, and why.',
    access: 'viewer',
    query: deliveryQuery,
    reply: v.array(deliveryReply),
    answer: ({ params, query: { count, timestamp, channel_id: channelId, alert_id: alertId }, whenGone }) => {
      const range = { count, fromUs: timestamp, channelId, alertId };
      const steps = log.search(params['cluster_id'] ?? '', range);
      const isShort = channelId === undefined && alertId === undefined && count <= mostAtOnce;
      return isShort ? doSteps(steps) : resultOf(work, steps, whenGone);
    },
  };
}
