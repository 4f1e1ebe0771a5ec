// The table of metric keys, the only place that defines them. Documentation, validation and the endpoints use it.

/** The scope of a key: a whole node, a table, or a device (network interface or mount). */
export type MetricScope = 'node' | 'table' | 'device';

/** The titles under which lists show keys, in the order of lists. */
export const metricGroups = [
  'Requests',
  'Tables',
  'Data and memory',
  'Garbage collection',
  'Caches',
  'Compaction and waiting work',
  'Operating system',
  'Others',
] as const;

/** A metric, independent of its source. */
export interface MetricKey {
  readonly key: string;
  /** What it measures, without the unit: `mean time of a read request`. */
  readonly label: string;
  readonly group: (typeof metricGroups)[number];
  /** The symbol of the unit: `ms`, `1/s`; empty if the metric does not exist here. */
  readonly unit: string;
  readonly scope: MetricScope;
  /** Its values are parts of a distribution: MIN, P50, P90, P99, MAX. */
  readonly hasParts: boolean;
  /** The source of the embedded engine's values; undefined if it has none. */
  readonly local: string | undefined;
  /** The source of Apache Cassandra's values; undefined if it has none. */
  readonly cassandra: string | undefined;
  /** Other accepted names. */
  readonly aliases: readonly string[];
}

/** The optional members of a row, which most rows omit. */
interface Row {
  readonly key: string;
  /** Default: what `labels` makes of the key. */
  readonly label?: string;
  readonly unit?: string;
  readonly scope?: MetricScope;
  readonly hasParts?: boolean;
  readonly local?: string;
  readonly cassandra?: string;
  readonly aliases?: readonly string[];
}

/** The source of keys that a Prometheus exporter beside each node provides. */
export const prometheusSource = 'metrics.prometheus of the cluster';

const requestRows: readonly Row[] = [
  {
    key: 'read-ops',
    unit: '1/s',
    local: 'finished find and findOne',
    cassandra: 'coordinator_read_latency and coordinator_scan_latency, counts',
  },
  {
    key: 'write-ops',
    unit: '1/s',
    local: 'finished insert, update and delete commands',
    cassandra: 'coordinator_write_latency, counts (without lightweight transactions)',
  },
  ...readAndWrite((what) => ({
    key: `${what}-latency-op`,
    label: `mean time of a ${what} request`,
    unit: 'ms',
    local: 'mean time of commands',
    cassandra: prometheusSource,
  })),
  ...readAndWrite((what) => ({
    key: `${what}-histogram`,
    label: `times of ${what} requests, as percentiles`,
    unit: 'ms',
    hasParts: true,
    local: 'histogram of command times',
    cassandra: `coordinator_${what}_latency: P50 P99 MAX of the highest table`,
  })),
  ...readAndWrite((what) => ({
    key: `${what}-failures`,
    label: `${what} requests that failed by an error of the server`,
    unit: '1/s',
    local: 'commands that ended by an error of the server',
    cassandra: prometheusSource,
  })),
  ...readAndWrite((what) => ({
    key: `${what}-timeouts`,
    label: `${what} requests that took too long`,
    unit: '1/s',
    local: 'commands cut by their time limit',
    cassandra: prometheusSource,
  })),
];

const processRows: readonly Row[] = [
  {
    key: 'data-load',
    label: 'size of all data on disk',
    unit: 'bytes',
    local: 'sizes of the files in the data directory',
    cassandra: 'gossip_info.load of the node itself',
  },
  ...rows(['heap-used', 'heap-committed', 'heap-max'], {
    unit: 'bytes',
    local: 'heap of the JavaScript engine',
    cassandra: prometheusSource,
  }),
  { key: 'nonheap-used', unit: 'bytes', local: 'resident memory less the heap', cassandra: prometheusSource },
  ...rows(['nonheap-committed', 'nonheap-max'], { unit: 'bytes', cassandra: prometheusSource }),
  {
    key: 'archive-behind',
    label: 'age of the oldest change that the archive lacks',
    unit: 's',
    local: 'the archive of the server, with --archive',
  },
  {
    key: 'archive-waiting',
    label: 'changes that the archive lacks',
    unit: 'bytes',
    local: 'the archive of the server, with --archive',
  },
  {
    key: 'follow-lag',
    label: 'time since the server had everything that the archive has',
    unit: 's',
    local: 'the archive that the server follows, with --follow',
  },
];

const collectionRows: readonly Row[] = [
  ...collections('par-new', {
    local: 'minor collections of the JavaScript engine',
    cassandra: prometheusSource,
  }),
  ...collections('g1-old', {
    local: 'major collections of the JavaScript engine',
    cassandra: prometheusSource,
  }),
  ...collections('cms', {}),
];

const tableRows: readonly Row[] = [
  {
    key: 'cf-read-ops',
    unit: '1/s',
    local: 'reads of the table',
    cassandra: 'local_read_latency and local_scan_latency, counts',
  },
  {
    key: 'cf-write-ops',
    unit: '1/s',
    local: 'writes of the table',
    cassandra: 'local_write_latency, count',
  },
  ...readAndWrite((what) => ({
    key: `cf-local-${what}-latency`,
    label: `times of ${what}s of the table, as percentiles`,
    unit: 'ms',
    hasParts: true,
    local: 'histogram of engine times',
    cassandra: `local_${what}_latency: P50 P99 MAX`,
  })),
  ...readAndWrite((what) => ({
    key: `cf-${what}-latency-op`,
    label: `mean time of a ${what} of the table`,
    unit: 'ms',
    local: 'mean time of commands',
    cassandra: prometheusSource,
  })),
  {
    key: 'cf-total-disk-used',
    unit: 'bytes',
    local: 'pages of the table and its indexes, counted every ten minutes',
    cassandra: 'disk_usage.mebibytes, rounded up',
  },
  {
    key: 'cf-live-disk-used',
    unit: 'bytes',
    local: 'as cf-total-disk-used',
    cassandra: prometheusSource,
  },
  { key: 'cf-pending-tasks', unit: 'tasks', cassandra: prometheusSource },
  { key: 'cf-live-sstables', unit: 'files', cassandra: prometheusSource },
  { key: 'cf-sstable-size', unit: 'bytes', cassandra: prometheusSource },
  { key: 'cf-bf-space-used', unit: 'bytes', cassandra: prometheusSource },
  { key: 'cf-bf-false-positives', unit: '1/s', cassandra: prometheusSource },
  { key: 'cf-bf-false-ratio', unit: 'ratio', cassandra: prometheusSource },
  // For the key cache of a table, Cassandra stores only the hit rate; no exporter provides the counts of requests and
  // hits.
  ...caches('cf-keycache', {}).map((row) =>
    row.key === 'cf-keycache-hit-rate' ? { ...row, cassandra: prometheusSource } : row,
  ),
  ...caches('cf-rowcache', { cassandra: prometheusSource }),
];

const cacheRows: readonly Row[] = [
  ...caches('key-cache', { cassandra: 'caches[keys]' }),
  ...caches('row-cache', { cassandra: 'caches[rows], where the row cache has room' }),
];

const workRows: readonly Row[] = [
  { key: 'total-bytes-compacted', unit: 'bytes/s', cassandra: 'new rows of system.compaction_history' },
  { key: 'total-compactions-completed', unit: '1/s', cassandra: 'new rows of system.compaction_history' },
  { key: 'pending-compaction-tasks', unit: 'tasks', cassandra: pool('CompactionExecutor') },
  { key: 'pending-flushes', unit: 'tasks', cassandra: pool('MemtableFlushWriter') },
  {
    key: 'pending-memtable-post-flush',
    unit: 'tasks',
    cassandra: pool('MemtablePostFlush'),
    aliases: ['pending-memtable-post-flushers'],
  },
  {
    key: 'pending-read-stage',
    unit: 'tasks',
    local: 'reads under way',
    cassandra: pool('ReadStage'),
    aliases: ['pending-read-ops'],
  },
  {
    key: 'pending-mutation-stage',
    unit: 'tasks',
    local: 'writes waiting for the group commit',
    cassandra: pool('MutationStage'),
    aliases: ['pending-write-ops'],
  },
  stage('pending-request-response-stage', 'RequestResponseStage', 'pending-request-responses'),
  stage('pending-gossip-stage', 'GossipStage', 'pending-gossip-tasks'),
  stage('pending-migration-stage', 'MigrationStage', 'pending-migrations'),
  stage('pending-anti-entropy-stage', 'AntiEntropyStage', 'pending-repair-tasks'),
  stage('pending-internal-response-stage', 'InternalResponseStage', 'pending-internal-responses'),
  { key: 'pending-misc-stage', unit: 'tasks', aliases: ['pending-misc-tasks'] },
  { key: 'pending-read-repair-stage', unit: 'tasks', aliases: ['pending-read-repair-tasks'] },
  ...rows(['pending-flush-sorter-tasks', 'pending-repl-on-write-tasks'], { unit: 'tasks' }),
  {
    key: 'pending-hinted-handoff',
    unit: 'files',
    cassandra: 'pending_hints.files, where hinted handoff is on',
  },
  { key: 'pending-streams', unit: 'streams', cassandra: 'rows of streaming under way' },
];

const systemRows: readonly Row[] = [
  ...rows(['os-cpu-user', 'os-cpu-system', 'os-cpu-idle', 'os-cpu-nice'], {
    unit: '%',
    local: '/proc/stat or the times of os.cpus(), all cores',
    cassandra: prometheusSource,
  }),
  ...rows(['os-cpu-iowait', 'os-cpu-steal'], {
    unit: '%',
    local: '/proc/stat, all cores; Linux only',
    cassandra: prometheusSource,
  }),
  {
    key: 'os-load',
    label: 'load average of one minute',
    unit: 'number',
    local: 'load average of one minute',
    cassandra: prometheusSource,
  },
  ...rows(['os-memory-used', 'os-memory-free'], {
    unit: 'MiB',
    local: '/proc/meminfo or os.totalmem() and os.freemem()',
    cassandra: prometheusSource,
  }),
  ...rows(['os-memory-cached', 'os-memory-buffers'], {
    unit: 'MiB',
    local: '/proc/meminfo; Linux only',
    cassandra: prometheusSource,
  }),
  ...rows(['os-net-received', 'os-net-sent'], {
    unit: 'bytes/s',
    scope: 'device',
    local: '/proc/net/dev by interface, without the loopback interface lo; Linux only',
    cassandra: prometheusSource,
  }),
  {
    key: 'os-disk-usage',
    label: 'used part of the disk',
    unit: '%',
    scope: 'device',
    local: 'statfs of the data directory',
    cassandra: prometheusSource,
  },
  ...rows(['os-disk-free', 'os-disk-used'], {
    unit: 'bytes',
    scope: 'device',
    local: 'statfs of the data directory',
    cassandra: prometheusSource,
  }),
];

/** The labels of keys without one of their own: that of the first pattern, and for others the key with blanks. */
const labels: readonly (readonly [RegExp, string])[] = [
  [/^(read|write)-ops$/, '$1 requests'],
  [/^cf-(read|write)-ops$/, '$1s of the table'],
  [/^cf-(total|live)-disk-used$/, '$1 space of the table on disk'],
  [/^cf-bf-(.*)$/, 'Bloom filters of the table: $1'],
  [/^cf-(key|row)cache-(.*)$/, '$1 cache of the table: $2'],
  [/^cf-(.*)$/, '$1 of the table'],
  [/^heap-/, 'heap, '],
  [/^nonheap-/, 'memory outside the heap, '],
  [/^(key|row)-cache-/, '$1 cache: '],
  [/^total-/, ''],
  [/^pending-/, 'waiting work: '],
  [/^os-cpu-/, 'processor time, '],
  [/^os-memory-/, 'memory of the machine, '],
  [/^os-net-/, 'network, '],
  [/^os-disk-(.*)$/, '$1 space of the disk'],
];

const searchRows: readonly Row[] = rows(
  ['solr-avg-time-per-req', 'solr-errors', 'solr-requests', 'solr-timeouts'],
  {},
);

/** Every metric key, in the order of the documentation. */
export const metricKeys: readonly MetricKey[] = [
  ...inGroup('Requests', requestRows),
  ...inGroup('Data and memory', processRows),
  ...inGroup('Garbage collection', collectionRows),
  ...inGroup('Tables', tableRows, 'table'),
  ...inGroup('Caches', cacheRows),
  ...inGroup('Compaction and waiting work', workRows),
  ...inGroup('Operating system', systemRows),
  ...inGroup('Others', searchRows),
];

const byName: ReadonlyMap<string, MetricKey> = new Map(
  metricKeys.flatMap((metric) => [metric.key, ...metric.aliases].map((name) => [name, metric] as const)),
);

/** The metric of a key or of one of its aliases; undefined for a name that is not in the table. */
export function findMetricKey(name: string): MetricKey | undefined {
  return byName.get(name);
}

function inGroup(
  group: MetricKey['group'],
  given: readonly Row[],
  usual: MetricScope = 'node',
): readonly MetricKey[] {
  return given.map(({ key, label = labelOf(key), unit = '', hasParts = false, ...row }) => {
    const { scope = usual, local, cassandra, aliases = [] } = row;
    return { key, label, group, unit, scope, hasParts, local, cassandra, aliases };
  });
}

function labelOf(key: string): string {
  const [pattern = key, label = key] = labels.find(([fits]) => fits.test(key)) ?? [];
  return key.replace(pattern, label).replaceAll('-', ' ');
}

function readAndWrite(row: (what: string) => Row): readonly Row[] {
  return ['read', 'write'].map(row);
}

function rows(keys: readonly string[], row: Omit<Row, 'key'>): readonly Row[] {
  return keys.map((key) => ({ key, ...row }));
}

function collections(collector: string, sources: Pick<Row, 'local' | 'cassandra'>): readonly Row[] {
  return [
    {
      key: `${collector}-collection-count`,
      label: `garbage collections (${collector})`,
      unit: '1/s',
      ...sources,
    },
    {
      key: `${collector}-collection-time`,
      label: `time of garbage collections (${collector})`,
      unit: 'ms/s',
      ...sources,
    },
  ];
}

function caches(cache: string, row: Pick<Row, 'cassandra'>): readonly Row[] {
  return [
    { key: `${cache}-hits`, unit: '1/s', ...row },
    { key: `${cache}-requests`, unit: '1/s', ...row },
    { key: `${cache}-hit-rate`, unit: '%', ...row },
  ];
}

function stage(key: string, name: string, alias: string): Row {
  return { key, unit: 'tasks', cassandra: pool(name), aliases: [alias] };
}

function pool(name: string): string {
  return `thread_pools[${name}].pending_tasks`;
}
