// The migrations of the file of the operations service.

import { sessionMigrations } from '../../ops-service/access/sessions.js';
import { actionMigrations } from '../../ops-service/actions/request-store.js';
import { alertMigrations } from '../../ops-service/alerts/alert-migrations.js';
import { nodeMemoryMigrations } from '../../ops-service/clusters/cassandra/node-memory.js';
import { clusterMigrations } from '../../ops-service/clusters/cluster-repository.js';
import { eventMigrations } from '../../ops-service/events/event-tables.js';
import { metricMigrations } from '../../ops-service/metrics/series-index.js';
import { notificationMigrations } from '../../ops-service/notifications/notification-tables.js';
import type { Migration } from '../../ops-service/store/store.js';
import { storeMigrations } from '../../ops-service/store/store.js';

/** The tables of all layers. */
export const opsMigrations: readonly Migration[] = [
  ...storeMigrations,
  ...eventMigrations,
  ...sessionMigrations,
  ...clusterMigrations,
  ...nodeMemoryMigrations,
  ...metricMigrations,
  ...alertMigrations,
  ...actionMigrations,
  ...notificationMigrations,
];
