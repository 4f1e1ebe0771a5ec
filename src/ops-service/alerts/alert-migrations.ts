// The tables of rules and fired alerts in the operations file.
import type { Migration } from '../store/store.js';

/** A random UUID of version 4, in SQL. */
const newUuid = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
  || '-' || substr('89AB', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2)
  || '-' || hex(randomblob(6)))`;

/** A default rule of a new installation: the disk of the data directory is nearly full. */
const diskRule = JSON.stringify({
  type: 'rolling-avg',
  metric: 'os-disk-usage',
  threshold: 85,
  comparator: '>',
  duration: 1,
  notify_interval: 0,
  enabled: 1,
  no_data: 'keep',
  level: 'WARN',
});

/** A default rule of a new installation: the storage of the server does not work. */
const storageRule = JSON.stringify({
  type: 'node-down',
  duration: 1,
  notify_interval: 0,
  enabled: 1,
  no_data: 'keep',
  level: 'CRITICAL',
});

/** The migrations of this layer. The default rules are created only once: a deleted one is not created again. */
export const alertMigrations: readonly Migration[] = [
  {
    name: 'alerts-1',
    clusterTables: { rules: 'cluster_id', fired_alerts: 'cluster_id' },
    sql: `
CREATE TABLE rules (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster_id TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
);
CREATE TABLE fired_alerts (
  cluster_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  target_key TEXT NOT NULL,
  id TEXT NOT NULL,
  node TEXT NOT NULL,
  dc TEXT,
  table_name TEXT,
  device TEXT,
  first_fired INTEGER NOT NULL,
  value REAL NOT NULL,
  is_about_no_data INTEGER NOT NULL,
  is_acknowledged INTEGER NOT NULL,
  PRIMARY KEY (cluster_id, rule_id, target_key)
) WITHOUT ROWID;
INSERT INTO rules (cluster_id, id, body) VALUES ('local', ${newUuid}, '${diskRule}');
INSERT INTO rules (cluster_id, id, body) VALUES ('local', ${newUuid}, '${storageRule}');
`,
  },
];
