// The routes of firing alerts.
import * as v from 'valibot';
import type { FiredAlerts } from '../alerts/fired-alerts.js';
import { closedObject } from '../errors/closed-object.js';
import { limitedText } from '../errors/limited-text.js';
import { levels } from '../events/event.js';
import type { Notifications } from '../notifications/notifications.js';
import { deliverySchema } from './notification-routes.js';
import { needCluster, type Route } from './route.js';

/** The parts that the routes use. */
export interface AlertParts {
  readonly alerts: FiredAlerts;
  readonly notifications: Notifications;
}

const firedSchema = v.strictObject({
  alert_rule_id: v.string(),
  current_value: v.number(),
  first_fired: v.pipe(v.number(), v.integer()),
  node: v.string(),
});

/** An alert in the form of replies and notices. */
const alertSchema = v.strictObject({
  id: v.string(),
  ...firedSchema.entries,
  dc: v.nullable(v.string()),
  table: v.nullable(v.string()),
  device: v.nullable(v.string()),
  level: v.picklist(Object.keys(levels)),
  state: v.picklist(['firing', 'acknowledged', 'no-data']),
});

export function alertRoutes({ alerts, notifications }: AlertParts): readonly Route[] {
  const fired: Route = {
    method: 'GET',
    path: '/{cluster_id}/alerts/fired',
    summary: 'The alerts that are firing, with the four fields of the specification.',
    access: 'viewer',
    reply: v.array(firedSchema),
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
    explanationRoute(notifications),
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

function silenceRoute(alerts: FiredAlerts, notifications: Notifications): Route {
  const route: Route<v.GenericSchema, typeof silenceBody> = {
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
  return route;
}

const explanationSchema = v.strictObject({
  channel_id: v.string(),
  channel: v.string(),
  state: v.picklist(['notified', 'waiting', 'held', 'failed', 'excluded', 'missing']),
  stage: v.nullable(v.string()),
  reason: v.string(),
  last: v.nullable(deliverySchema),
});

function explanationRoute(notifications: Notifications): Route {
  return {
    method: 'GET',
    path: '/{cluster_id}/alerts/{id}/notices',
    summary:
      'For each channel, whether it was notified of an alert, or which stage stopped the notice and why.',
    access: 'viewer',
    reply: v.array(explanationSchema),
    answer: ({ params }, cluster) => notifications.explain(needCluster(cluster).id, params['id'] ?? ''),
  };
}
