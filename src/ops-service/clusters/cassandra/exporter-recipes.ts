// How metric keys that Cassandra's own tables do not provide are read from exporters: the JMX exporter (with its
// default names, or with its example configuration for Cassandra), the agent of the management API, the node exporter.
import type { Choice, Recipe, RecipesOfKeys } from './exporter-values.js';

const mebibyte = 1_048_576;
const microsecondsToMs = 0.001;
const secondsToMs = 1000;

type Where = NonNullable<Choice['where']>;

/** The type of a Cassandra metric: a gauge has a value, all others have a count. */
type Kind = 'gauge' | 'counter' | 'meter' | 'timer';

/** Reads include lightweight reads; writes do not include lightweight writes. */
const reads: readonly string[] = ['read', 'rangeslice'];
const writes: readonly string[] = ['write', 'caswrite'];

const agentSuffixes: Readonly<Record<Kind, string>> = {
  gauge: '',
  counter: '',
  meter: '_total',
  timer: '_count',
};

/** The names of one metric of Cassandra at the three exporters. */
interface Names {
  readonly jmx: Choice;
  readonly agent: Choice;
  /** With the example configuration, latencies are in seconds. */
  readonly example: Choice;
}

function requests(metric: string, kind: Kind, kinds: readonly string[]): Names {
  return {
    jmx: {
      id: `org_apache_cassandra_metrics_clientrequest_count ${metric}`.toLowerCase(),
      where: { scope: kinds },
    },
    agent: {
      id: `org_apache_cassandra_metrics_client_request_${snake(metric)}${agentSuffixes[kind]}`,
      where: { request_type: kinds },
    },
    example: { id: `cassandra_clientrequest_${exampleName(metric, kind)}`, where: { clientrequest: kinds } },
  };
}

function ofTables(metric: string, kind: Kind): Names {
  const attribute = kind === 'gauge' ? 'value' : 'count';
  return {
    jmx: {
      id: `org_apache_cassandra_metrics_table_${attribute} ${metric}`.toLowerCase(),
      table: ['keyspace', 'scope'],
    },
    agent: {
      id: `org_apache_cassandra_metrics_table_${snake(metric)}${agentSuffixes[kind]}`,
      table: ['keyspace', 'table'],
    },
    example: { id: `cassandra_table_${exampleName(metric, kind)}`, table: ['keyspace', 'table'] },
  };
}

function exampleName(metric: string, kind: Kind): string {
  const name = metric.toLowerCase();
  if (name.endsWith('totallatency')) return `${name.replace(/totallatency$/, 'latency')}_seconds_sum`;
  if (kind === 'timer') return `${name}_seconds_count`;
  return kind === 'gauge' ? name : `${name}_count`;
}

/** Converts a name as the agent does: `LiveSSTableCount` becomes `live_ss_table_count`. */
function snake(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

const exporters = ['jmx', 'agent', 'example'] as const;

function perSecond(...metrics: readonly Names[]): readonly Recipe[] {
  return exporters.map((exporter) => ({ came: metrics.map((names) => names[exporter]), factor: 1 }));
}

function now(names: Names): readonly Recipe[] {
  return exporters.map((exporter) => ({ now: [names[exporter]], formula: (value) => value }));
}

/**
 * A ratio since the start, in percent. Cassandra also reports 0 if there were no requests or there is no cache, so 0
 * counts as unknown and is omitted.
 */
function sinceTheStart(names: Names): readonly Recipe[] {
  return exporters.map((exporter) => ({
    now: [names[exporter]],
    formula: (share = 0) => (share === 0 ? Number.NaN : 100 * share),
  }));
}

/**
 * The mean time: the increase of the total by the increase of the count. Totals are in microseconds, in the example
 * configuration in seconds.
 */
function meanTime(total: Names, count: Names): readonly Recipe[] {
  return exporters.map((exporter) => ({
    came: [total[exporter]],
    per: [count[exporter]],
    factor: exporter === 'example' ? secondsToMs : microsecondsToMs,
  }));
}

function gaugeOf(id: string, where?: Where): Recipe {
  return { now: [where === undefined ? { id } : { id, where }], formula: (value) => value };
}

function memory(
  area: 'heap' | 'nonheap',
  bean: string,
  figure: 'used' | 'committed' | 'max',
): readonly Recipe[] {
  return [
    gaugeOf(`jvm_memory_${figure}_bytes`, { area: [area] }),
    gaugeOf(`jvm_memory_bytes_${figure}`, { area: [area] }),
    gaugeOf(`java_lang_memory_${bean}_${figure}`),
  ];
}

/** Recipes for the number of collections of these collectors, and for their time in milliseconds. */
function collections(...names: readonly string[]): {
  readonly [Name in 'count' | 'time']: readonly Recipe[];
} {
  const gc = { gc: names.map((name) => name.toLowerCase()) };
  const beans = (attribute: string): readonly Recipe[] => [
    ...names.map((name): Recipe => {
      const id = `java_lang_${name.replaceAll(' ', '_')}_collection${attribute}`.toLowerCase();
      return { came: [{ id }], factor: 1 };
    }),
    {
      came: names.map((name) => ({
        id: `java_lang_garbagecollector_collection${attribute} ${name}`.toLowerCase(),
      })),
      factor: 1,
    },
  ];
  return {
    count: [{ came: [{ id: 'jvm_gc_collection_seconds_count', where: gc }], factor: 1 }, ...beans('count')],
    time: [
      { came: [{ id: 'jvm_gc_collection_seconds_sum', where: gc }], factor: secondsToMs },
      ...beans('time'),
    ],
  };
}

function processorShare(...modes: readonly string[]): readonly Recipe[] {
  const id = 'node_cpu_seconds_total';
  return [{ came: [{ id, where: { mode: modes } }], per: [{ id, where: { mode: allModes } }], factor: 100 }];
}

/** `user` already includes the time of guests. */
const allModes: readonly string[] = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];

function machineMemory(names: readonly string[], formula: (...values: readonly number[]) => number): Recipe {
  return {
    now: names.map((name) => ({ id: `node_memory_${name}_bytes`.toLowerCase() })),
    formula: (...values) => formula(...values) / mebibyte,
  };
}

function traffic(direction: 'receive' | 'transmit'): readonly Recipe[] {
  return [
    { came: [{ id: `node_network_${direction}_bytes_total`, device: 'device', except: ['lo'] }], factor: 1 },
  ];
}

function disk(
  names: readonly string[],
  formula: (...values: readonly number[]) => number,
): readonly Recipe[] {
  const now = names.map((name) => ({ id: `node_filesystem_${name}_bytes`, device: 'mountpoint' }));
  return [{ now, formula }];
}

const young = collections('ParNew', 'G1 Young Generation');
const old = collections('G1 Old Generation');
const [rowHits, rowMisses] = [ofTables('RowCacheHit', 'counter'), ofTables('RowCacheMiss', 'counter')];

/** The recipes, by keys of the table of metric keys. */
export const exporterRecipes: RecipesOfKeys = new Map<string, readonly Recipe[]>([
  [
    'read-latency-op',
    meanTime(requests('TotalLatency', 'counter', reads), requests('Latency', 'timer', reads)),
  ],
  [
    'write-latency-op',
    meanTime(requests('TotalLatency', 'counter', writes), requests('Latency', 'timer', writes)),
  ],
  ['read-failures', perSecond(requests('Failures', 'meter', reads))],
  ['write-failures', perSecond(requests('Failures', 'meter', writes))],
  ['read-timeouts', perSecond(requests('Timeouts', 'meter', reads))],
  ['write-timeouts', perSecond(requests('Timeouts', 'meter', writes))],
  ['heap-used', memory('heap', 'heapmemoryusage', 'used')],
  ['heap-committed', memory('heap', 'heapmemoryusage', 'committed')],
  ['heap-max', memory('heap', 'heapmemoryusage', 'max')],
  ['nonheap-used', memory('nonheap', 'nonheapmemoryusage', 'used')],
  ['nonheap-committed', memory('nonheap', 'nonheapmemoryusage', 'committed')],
  ['nonheap-max', memory('nonheap', 'nonheapmemoryusage', 'max')],
  ['par-new-collection-count', young.count],
  ['par-new-collection-time', young.time],
  ['g1-old-collection-count', old.count],
  ['g1-old-collection-time', old.time],
  ['cf-read-latency-op', meanTime(ofTables('ReadTotalLatency', 'counter'), ofTables('ReadLatency', 'timer'))],
  [
    'cf-write-latency-op',
    meanTime(ofTables('WriteTotalLatency', 'counter'), ofTables('WriteLatency', 'timer')),
  ],
  ['cf-live-disk-used', now(ofTables('LiveDiskSpaceUsed', 'counter'))],
  ['cf-pending-tasks', now(ofTables('PendingFlushes', 'counter'))],
  ['cf-live-sstables', now(ofTables('LiveSSTableCount', 'gauge'))],
  ['cf-sstable-size', now(ofTables('MaxSSTableSize', 'gauge'))],
  ['cf-bf-space-used', now(ofTables('BloomFilterDiskSpaceUsed', 'gauge'))],
  ['cf-bf-false-positives', perSecond(ofTables('BloomFilterFalsePositives', 'gauge'))],
  ['cf-bf-false-ratio', now(ofTables('BloomFilterFalseRatio', 'gauge'))],
  ['cf-keycache-hit-rate', sinceTheStart(ofTables('KeyCacheHitRate', 'gauge'))],
  ['cf-rowcache-hits', perSecond(rowHits)],
  ['cf-rowcache-requests', perSecond(rowHits, rowMisses)],
  [
    'cf-rowcache-hit-rate',
    exporters.map((name) => ({ came: [rowHits[name]], per: [rowHits[name], rowMisses[name]], factor: 100 })),
  ],
  ['os-cpu-user', processorShare('user')],
  ['os-cpu-system', processorShare('system', 'irq', 'softirq')],
  ['os-cpu-idle', processorShare('idle')],
  ['os-cpu-nice', processorShare('nice')],
  ['os-cpu-iowait', processorShare('iowait')],
  ['os-cpu-steal', processorShare('steal')],
  ['os-load', [gaugeOf('node_load1'), gaugeOf('java_lang_operatingsystem_systemloadaverage')]],
  [
    'os-memory-used',
    [
      machineMemory(['MemTotal', 'MemFree', 'Cached', 'Buffers', 'SReclaimable'], (total = 0, ...notUsed) =>
        Math.max(
          0,
          notUsed.reduce((left, bytes) => left - bytes, total),
        ),
      ),
    ],
  ],
  ['os-memory-free', [machineMemory(['MemFree'], (free = 0) => free)]],
  ['os-memory-cached', [machineMemory(['Cached', 'SReclaimable'], (cached = 0, slab = 0) => cached + slab)]],
  ['os-memory-buffers', [machineMemory(['Buffers'], (buffers = 0) => buffers)]],
  ['os-net-received', traffic('receive')],
  ['os-net-sent', traffic('transmit')],
  [
    'os-disk-usage',
    disk(['size', 'free', 'avail'], (size = 0, free = 0, available = 0) => {
      return (100 * (size - free)) / (size - free + available);
    }),
  ],
  ['os-disk-free', disk(['avail'], (available = 0) => available)],
  ['os-disk-used', disk(['size', 'free'], (size = 0, free = 0) => size - free)],
]);
