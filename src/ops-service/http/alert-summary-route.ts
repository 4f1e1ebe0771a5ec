// The route of what fires in all clusters, in numbers: the console shows it on every screen.
import * as v from 'valibot';
import { type AlertSummary, alertSummaryReply } from '../../descriptions/operations-replies.js';
import { doSteps, LongWork } from '../../foundation/threads/long-work.js';
import { type Alert, levelNames, levels } from '../events/event.js';
import { matchesAlert, type Silence } from '../notifications/silence.js';
import { mostWaitingAnswers, resultOf } from './answer-in-steps.js';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

type AlertSummaryParts = Pick<OpsParts, 'clusters' | 'alerts' | 'notifications' | 'clock'>;

const summarySchema = v.strictObject({
  ...alertSummaryReply.entries,
  level: v.nullable(v.picklist(levelNames)),
});

/** The route of the numbers. */
export function alertSummaryRoute(parts: AlertSummaryParts): Route {
  const work = new LongWork(parts.clock, mostWaitingAnswers);
  return {
    method: 'GET',
    path: '/console/alerts',
    summary:
      'For each cluster how many alerts fire, how many of these are neither acknowledged nor silenced, the highest ' +
      'level of these, the number of channels, and whether notifications are on.',
    access: 'viewer',
    reply: v.array(summarySchema),
    answer: ({ whenGone }) =>
      isFew(parts) ? doSteps(summarySteps(parts)) : resultOf(work, summarySteps(parts), whenGone),
  };
}

/** Up to this number, the comparisons of alerts with silences take a few milliseconds. */
const fewComparisons = 10_000;

function isFew({ clusters, alerts, notifications }: AlertSummaryParts): boolean {
  let comparisons = 0;
  for (const { id } of clusters.list()) {
    const firing = alerts.firingCount(id);
    if (firing > 0) comparisons += firing * (1 + notifications.silences.active(id).length);
    if (comparisons > fewComparisons) return false;
  }
  return true;
}

/** Counts one alert in each step. The list has an entry for each cluster that is there at the end of its steps. */
function* summarySteps({
  clusters,
  alerts,
  notifications,
}: AlertSummaryParts): Generator<void, AlertSummary[]> {
  const { silences, channels, globalSwitch } = notifications;
  const summaries: AlertSummary[] = [];
  for (const { id: cluster } of clusters.list()) {
    const active = silences.active(cluster);
    const [counts, highest] = yield* countAlerts(alerts.firing(cluster), active);
    yield;
    // The cluster may have been removed between two steps.
    if (clusters.find(cluster) === undefined) continue;
    summaries.push({
      cluster,
      ...counts,
      level: levelNames[highest] ?? null,
      channels: channels.list(cluster).length,
      notifications_enabled: globalSwitch.isOn(cluster),
    });
  }
  return summaries;
}

function* countAlerts(
  firing: Iterable<Alert | null>,
  active: readonly Silence[],
): Generator<void, readonly [counts: { readonly firing: number; readonly open: number }, highest: number]> {
  const counts = { firing: 0, open: 0 };
  let highest = -1;
  for (const alert of firing) {
    yield;
    if (alert === null) continue;
    counts.firing += 1;
    if (alert.state === 'acknowledged' || active.some((silence) => matchesAlert(silence, alert))) continue;
    counts.open += 1;
    highest = Math.max(highest, levels[alert.level]);
  }
  return [counts, highest];
}
