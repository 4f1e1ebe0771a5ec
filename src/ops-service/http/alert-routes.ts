// The routes of firing alerts.
import * as v from 'valibot';
import { alertReply, explanationReply, firedReply } from '../../descriptions/operations-replies.js';
import { LongWork } from '../../foundation/threads/long-work.js';
import type { FiredAlerts } from '../alerts/fired-alerts.js';
import { closedObject } from '../errors/closed-object.js';
import { limitedText } from '../errors/limited-text.js';
import { levels } from '../events/event.js';
import type { Notifications } from '../notifications/notifications.js';
import { mostWaitingAnswers, resultOf } from './answer-in-steps.js';
import type { OpsParts } from './ops-parts.js';
import { needCluster, type Route } from './route.js';

const alertSchema = v.strictObject({ ...alertReply.entries, level: v.picklist(Object.keys(levels)) });

export function alertRoutes({ alerts, notifications, clock }: OpsParts): readonly Route[] {
  const fired: Route = {
    method: 'GET',
    path: '/{cluster_id}/alerts/fired',
    summary: 'The alerts that are firing, with the four fields of the specification.',
    access: 'viewer',
    reply: v.array(firedReply),
    answer: (_, cluster) =>
      alerts.list(needCluster(cluster).id).map(({ alert_rule_id, current_value, first_fired, node }) => ({
        alert_rule_id,
        current_value,
        first_fired,
        node,
      })),
  };
  const list: Route = {
    method: 'GET',
    path: '/{cluster_id}/alerts',
    summary: 'The alerts that are firing, oldest first.',
    access: 'viewer',
    reply: v.array(alertSchema),
    answer: (_, cluster) => alerts.list(needCluster(cluster).id),
  };
  const acknowledge = (method: 'POST' | 'DELETE', summary: string): Route => ({
    method,
    path: '/{cluster_id}/alerts/{id}/ack',
    summary,
    access: 'operator',
    reply: v.null(),
    answer: ({ params, caller }, cluster) => {
      alerts.acknowledge(needCluster(cluster).id, params['id'] ?? '', method === 'POST', caller);
    },
  });
  return [
    fired,
    list,
    acknowledge('POST', 'Acknowledges an alert: channels are not notified of it again until it clears.'),
    acknowledge('DELETE', 'Withdraws the acknowledgement of an alert.'),
    silenceRoute(alerts, notifications),
    explanationRoute(notifications, new LongWork(clock, mostWaitingAnswers)),
  ];
}

const silenceBody = closedObject({
  minutes: v.pipe(
    v.number(),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(525_600, 'must be at most 525600'),
  ),
  comment: v.optional(limitedText(2000), ''),
});

function silenceRoute(
  alerts: FiredAlerts,
  notifications: Notifications,
): Route<v.GenericSchema, typeof silenceBody> {
  return {
    method: 'POST',
    path: '/{cluster_id}/alerts/{id}/silence',
    summary:
      'Silences the rule of an alert on its node and table for some minutes, and acknowledges the alert.',
    access: 'operator',
    body: silenceBody,
    reply: v.string(),
    status: 201,
    answer: ({ params, body, caller }, given) => {
      const { id: clusterId } = needCluster(given);
      const alertId = params['id'] ?? '';
      alerts.acknowledge(clusterId, alertId, true, caller);
      const alert = alerts.find(clusterId, alertId);
      if (alert === undefined) throw new Error('an acknowledged alert is not firing');
      return notifications.silenceAlert(clusterId, alert, body, caller);
    },
  };
}

function explanationRoute(notifications: Notifications, work: LongWork): Route {
  return {
    method: 'GET',
    path: '/{cluster_id}/alerts/{id}/notices',
    summary:
      'For each channel, whether it was notified of an alert, or which stage stopped the notice and why.',
    access: 'viewer',
    reply: v.array(explanationReply),
    answer: ({ params, whenGone }, cluster) =>
      resultOf(work, notifications.explain(needCluster(cluster).id, params['id'] ?? ''), whenGone),
  };
}
