// The tables of a Cassandra node from which its metrics are read, each with the columns that are used.

/** A table's rows by the names of its columns. */
export type ViewRow = Readonly<Record<string, unknown>>;

const counts = 'keyspace_name, table_name, count';
const latency = `${counts}, p50th_ms, p99th_ms, max_ms`;

/** View → query. Every query is pinned to the node: these tables are about the node alone. */
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

/** The name of a view. */
export type ViewName = keyof typeof viewQueries;

/** All of them: the keys of the queries, which are all the views there are. */
export const viewNames = Object.keys(viewQueries) as readonly ViewName[];

/** What was read of a node: a view that could not be read is missing, and its metrics with it. */
export type NodeViews = Readonly<Partial<Record<ViewName, readonly ViewRow[]>>>;

/** Those with a row for each table, Cassandra's own among them: most of a node has no others. */
const tableViews: readonly ViewName[] = [
  'coordinatorReads',
  'coordinatorScans',
  'coordinatorWrites',
  'localReads',
  'localScans',
  'localWrites',
  'diskUsage',
];

/** More of them are not named in a query: then all rows are read. */
const maxNamedKeyspaces = 50;

/**
 * The query of a view for the tables of these keyspaces, whose names are letters, digits and `_`; of all when they are
 * not known. Undefined when that needs no query: there are no rows.
 */
export function viewQuery(name: ViewName, keyspaces: readonly string[] | undefined): string | undefined {
  const query = viewQueries[name];
  if (!tableViews.includes(name) || keyspaces === undefined || keyspaces.length > maxNamedKeyspaces)
    return query;
  if (keyspaces.length === 0) return undefined;
  const names = keyspaces.map((keyspace) => `'${keyspace}'`);
  return `${query} WHERE keyspace_name IN (${names.join(', ')}) ALLOW FILTERING`;
}

/** Those that a node needs long to compute, or that change slowly: read once a minute. */
export const slowViews: readonly ViewName[] = ['diskUsage', 'compactions', 'hintSetting'];

const systemKeyspaces: ReadonlySet<string> = new Set([
  'system',
  'system_auth',
  'system_cluster_metadata',
  'system_distributed',
  'system_metrics',
  'system_schema',
  'system_traces',
  'system_views',
  'system_virtual_schema',
]);

/** Whether a keyspace is one of Cassandra's own; users may have others that begin with `system`. */
export function isSystemKeyspace(name: string): boolean {
  return systemKeyspaces.has(name);
}
