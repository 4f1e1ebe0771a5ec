// Finishes at the start what a killed process of the operations service left undone.
import { endLeftAlerts } from '../ops-service/alerts/left-alerts.js';
import type { RuleRepository } from '../ops-service/alerts/rule-repository.js';
import type { ClusterRegistry } from '../ops-service/clusters/registry.js';
import type { AppendEvent } from '../ops-service/events/event.js';
import type { Notifications } from '../ops-service/notifications/notifications.js';
import type { Store } from '../ops-service/store/store.js';

/** Where rows of clusters are. Events are not among them: they stay until they are too old. */
const rowsOfClusters: readonly string[] = [
  'cluster_id FROM rules',
  'cluster_id FROM fired_alerts',
  'cluster_id FROM series',
  'cluster_id FROM channels',
  'cluster_id FROM silences',
  'cluster_id FROM notification_switches',
  'cluster_id FROM followed_alerts',
  'cluster_id FROM deliveries',
  'cluster_id FROM action_requests',
  'cluster FROM cassandra_nodes',
];

/**
 * Reports the ends of alerts of rules that were deleted or disabled, and forgets clusters that were removed. Such a
 * change is on disk before it is answered, and what follows from it is recorded after that. `clusters` has all clusters
 * that are configured; the notifications get events already.
 */
export function finishInterrupted(parts: {
  readonly store: Store;
  readonly clusters: Pick<ClusterRegistry, 'find'>;
  readonly rules: Pick<RuleRepository, 'find'>;
  readonly notifications: Pick<Notifications, 'pipeline'>;
  readonly appendEvent: AppendEvent;
  /** Deletes what all parts keep of a cluster. */
  forgetCluster(id: string): void;
}): void {
  const { store, clusters, rules, notifications, appendEvent, forgetCluster } = parts;
  // Before the rules of clusters are forgotten, whose alerts have no ends.
  endLeftAlerts(notifications.pipeline.firing, rules, appendEvent);
  for (const id of storedClusters(store)) if (clusters.find(id) === undefined) forgetCluster(id);
}

/** The ids of all clusters that have rows in the file. */
function storedClusters(store: Store): readonly string[] {
  const sql = rowsOfClusters.map((rows) => `SELECT DISTINCT ${rows}`).join(' UNION ');
  const found = store.read((database) => database.statement(sql, { returnArrays: true }).all());
  return found.map(([id]) => String(id));
}
