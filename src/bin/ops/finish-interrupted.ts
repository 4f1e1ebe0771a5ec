// Finishes at the start the work that a killed operations service left unfinished.
import { endLeftAlerts } from '../../ops-service/alerts/left-alerts.js';
import type { RuleRepository } from '../../ops-service/alerts/rule-repository.js';
import type { ClusterRegistry } from '../../ops-service/clusters/registry.js';
import type { AppendEvent } from '../../ops-service/events/event.js';
import type { Notifications } from '../../ops-service/notifications/notifications.js';
import type { Migration, Store } from '../../ops-service/store/store.js';

/**
 * Reports the ends of alerts of rules that were deleted or disabled, and forgets removed clusters. Such a change is on
 * disk before it is answered, and its consequences are recorded afterwards. `clusters` has all configured clusters;
 * notifications must already get events.
 */
export function finishInterrupted(parts: {
  readonly store: Store;
  /** Those of the store: they name its tables with rows of clusters. */
  readonly migrations: readonly Migration[];
  readonly clusters: Pick<ClusterRegistry, 'find'>;
  readonly rules: Pick<RuleRepository, 'find'>;
  readonly notifications: Pick<Notifications, 'pipeline'>;
  readonly appendEvent: AppendEvent;
  /** Deletes the data of a cluster in all parts. */
  forgetCluster(id: string): void;
}): void {
  const { store, migrations, clusters, rules, notifications, appendEvent, forgetCluster } = parts;
  // First, because the alerts of removed clusters get no ends, and their rules are deleted next.
  endLeftAlerts(notifications.pipeline.firing, rules, appendEvent);
  for (const id of storedClusters(store, migrations)) if (clusters.find(id) === undefined) forgetCluster(id);
}

/** The ids of all clusters that have rows in the file. */
function storedClusters(store: Store, migrations: readonly Migration[]): readonly string[] {
  const tables = migrations.flatMap(({ clusterTables = {} }) => Object.entries(clusterTables));
  const sql = tables.map(([table, column]) => `SELECT DISTINCT ${column} FROM ${table}`).join(' UNION ');
  const found = store.read((database) => database.statement(sql, { returnArrays: true }).all());
  return found.map(([id]) => String(id));
}
