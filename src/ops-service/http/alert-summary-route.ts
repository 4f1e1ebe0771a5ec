// The route of what fires in all clusters, in numbers: the console shows it on every screen.
import * as v from 'valibot';
import type { FiredAlerts } from '../alerts/fired-alerts.js';
import type { ClusterRegistry } from '../clusters/registry.js';
import { type Alert, levels } from '../events/event.js';
import type { Notifications } from '../notifications/notifications.js';
import { matchesAlert } from '../notifications/silence.js';
import type { Route } from './route.js';

/** The parts that the route uses. */
export interface AlertSummaryParts {
  readonly clusters: ClusterRegistry;
  readonly alerts: FiredAlerts;
  readonly notifications: Notifications;
}

const levelNames = Object.keys(levels);

const summarySchema = v.strictObject({
  cluster: v.string(),
  firing: v.number(),
  open: v.number(),
  level: v.nullable(v.picklist(levelNames)),
  channels: v.number(),
  notifications_enabled: v.boolean(),
});

/** The route of the numbers. */
export function alertSummaryRoute({ clusters, alerts, notifications }: AlertSummaryParts): Route {
  const { silences, channels, globalSwitch } = notifications;
  return {
    method: 'GET',
    path: '/console/alerts',
    summary:
      'For each cluster how many alerts fire, how many of these are neither acknowledged nor silenced, the highest ' +
      'level of these, the number of channels, and whether notifications are on.',
    access: 'viewer',
    reply: v.array(summarySchema),
    answer: () =>
      clusters.list().map(({ id: cluster }) => {
        const firing = alerts.list(cluster);
        const active = silences.active(cluster);
        const open = firing.filter(
          (alert) =>
            alert.state !== 'acknowledged' && !active.some((silence) => matchesAlert(silence, alert)),
        );
        return {
          cluster,
          firing: firing.length,
          open: open.length,
          level: highestLevel(open),
          channels: channels.list(cluster).length,
          notifications_enabled: globalSwitch.isOn(cluster),
        };
      }),
  };
}

function highestLevel(alerts: readonly Alert[]): string | null {
  const highest = Math.max(-1, ...alerts.map(({ level }) => levels[level]));
  return levelNames[highest] ?? null;
}
