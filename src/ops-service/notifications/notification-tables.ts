// The tables of notifications in the file of the operations service.
import type { Migration } from '../store/store.js';

/** Bodies are JSON; their types are declared by the modules that use the tables. */
export const notificationMigrations: readonly Migration[] = [
  {
    name: 'notifications-1',
    clusterTables: {
      notification_switches: 'cluster_id',
      silences: 'cluster_id',
      channels: 'cluster_id',
      followed_alerts: 'cluster_id',
      deliveries: 'cluster_id',
    },
    sql: `
      CREATE TABLE notification_switches (cluster_id TEXT PRIMARY KEY, is_on INTEGER NOT NULL);
      CREATE TABLE silences (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, cluster_id TEXT NOT NULL, body TEXT NOT NULL
      );
      CREATE TABLE channels (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, cluster_id TEXT NOT NULL, body TEXT NOT NULL
      );
      CREATE TABLE followed_alerts (
        cluster_id TEXT NOT NULL, alert_id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (cluster_id, alert_id)
      );
      CREATE TABLE queued_notices (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL
      );
      CREATE TABLE deliveries (
        time INTEGER PRIMARY KEY, cluster_id TEXT NOT NULL, body TEXT NOT NULL
      );
      CREATE INDEX deliveries_of_cluster ON deliveries (cluster_id, time);
    `,
  },
  {
    name: 'notifications-2',
    sql: `
      CREATE TABLE lasting_clock (
        id INTEGER PRIMARY KEY CHECK (id = 1), lasting_ms REAL NOT NULL, wall_ms REAL NOT NULL
      );
    `,
  },
  {
    name: 'notifications-3',
    sql: `
      CREATE TABLE waiting_events (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL
      );
    `,
  },
  {
    // Members had other names. An annotation can also have the first one, but its value is a text, and its object is
    // not in a list.
    name: 'notifications-4',
    sql: `
      UPDATE followed_alerts
      SET body = replace(replace(body, '"told":[', '"channels":['), '",{"told":', '",{"notified":');
      UPDATE silences SET body = replace(body, ',"isEndTold":', ',"isEndReported":');
    `,
  },
  {
    // Up to which time the entries of a removed cluster are being deleted: a new cluster can have its id.
    name: 'notifications-5',
    sql: 'CREATE TABLE removed_deliveries (removed_id TEXT PRIMARY KEY, until_us INTEGER NOT NULL)',
  },
];
