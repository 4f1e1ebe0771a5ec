// The tables of a Cassandra node from which its metrics are read, each with the columns that are used.

/** A table's rows by the names of its columns. */
export type ViewRow = Readonly<Record<string, unknown>>;

const counts = 'keyspace_name, table_name, count';
const latency = `${counts}, p50th_ms, p99th_ms, max_ms`;

/** View → query. Every query runs on the node itself, because these tables are only about that node. */
const viewQueries = {
  coordinatorReads: `SELECT ${latency} FROM system_views.coordinator_read_latency`,
  coordinatorScans: `SELECT ${counts} FROM system_views.coordinator_scan_latency`,
  coordinatorWrites: `SELECT ${latency} FROM system_views.coordinator_write_latency`,
  localReads: `SELECT ${latency} FROM system_views.local_read_latency`,
  localScans: `SELECT ${counts} FROM system_views.local_scan_latency`,
  localWrites: `SELECT ${latency} FROM system_views.local_write_latency`,
  diskUsage: 'SELECT keyspace_name, table_name, mebibytes FROM system_views.disk_usage',
  threadPools: 'SELECT name, pending_tasks FROM system_views.thread_pools',
  caches: 'SELECT name, capacity_bytes, hit_count, request_count FROM system_views.caches',
  hints: 'SELECT files FROM system_views.pending_hints',
  hintSetting: "SELECT value FROM system_views.settings WHERE name = 'hinted_handoff_enabled'",
  streams: 'SELECT status_success_timestamp, status_failure_timestamp FROM system_views.streaming',
  compactions: 'SELECT id, keyspace_name, bytes_in FROM system.compaction_history',
} as const;

export type ViewName = keyof typeof viewQueries;

/** All views: the keys of the queries. */
export const viewNames = Object.keys(viewQueries) as readonly ViewName[];

/** The views of a node; a view that could not be read is missing, with its metrics. */
export type NodeViews = Readonly<Partial<Record<ViewName, readonly ViewRow[]>>>;

/** Views with a row for each table. Most tables of a node are Cassandra's own. */
const tableViews: readonly ViewName[] = [
  'coordinatorReads',
  'coordinatorScans',
  'coordinatorWrites',
  'localReads',
  'localScans',
  'localWrites',
  'diskUsage',
];

/** The number of keyspaces that a query names. If there are more, it names none and reads all rows. */
const maxNamedKeyspaces = 50;

/**
 * The query of a view for the tables of these keyspaces, whose names contain only letters, digits and `_`; for all
 * tables if `keyspaces` is undefined. The result is undefined if there are no rows to read.
 */
export function viewQuery(name: ViewName, keyspaces: readonly string[] | undefined): string | undefined {
  const query = viewQueries[name];
  if (!tableViews.includes(name) || keyspaces === undefined || keyspaces.length > maxNamedKeyspaces)
    return query;
  if (keyspaces.length === 0) return undefined;
  const names = keyspaces.map((keyspace) => `'${keyspace}'`);
  return `${query} WHERE keyspace_name IN (${names.join(', ')}) ALLOW FILTERING`;
}

/** Views that take the node a long time, or that change slowly: read once a minute. */
export const slowViews: readonly ViewName[] = ['diskUsage', 'compactions', 'hintSetting'];
