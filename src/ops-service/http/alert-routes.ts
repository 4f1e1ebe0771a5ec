// The routes of firing alerts.
import * as v from 'valibot';
import type { FiredAlerts } from '../alerts/fired-alerts.js';
import { levels } from '../events/event.js';
import { needCluster, type Route } from './route.js';

/** The parts that the routes use. */
export interface AlertParts {
  readonly alerts: FiredAlerts;
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

/** The routes of alerts. */
export function alertRoutes({ alerts }: AlertParts): readonly Route[] {
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
  ];
}
