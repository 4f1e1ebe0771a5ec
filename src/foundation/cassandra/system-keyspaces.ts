// The keyspaces of Cassandra itself.

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

/** Whether a keyspace is one of Cassandra's own; users may have others whose names begin with `system`. */
export function isSystemKeyspace(name: string): boolean {
  return systemKeyspaces.has(name);
}
