// Checks the values read from exporters, with texts that real exporters wrote or that are documented.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseExposition } from '../../../foundation/exposition/parse-exposition.js';
import { exporterRecipes } from './exporter-recipes.js';
import { ExporterReader, namesOf } from './exporter-values.js';

const names = namesOf(exporterRecipes);

/** Reads texts ten seconds apart; returns the last values by key and place, and the keys. */
function readAll(texts: readonly string[], generations: readonly number[] = []) {
  const reader = new ExporterReader(exporterRecipes);
  let [values, keys]: [Record<string, number>, readonly string[]] = [{}, []];
  texts.forEach((text, at) => {
    const samples = parseExposition(text, (name) => names.has(name.toLowerCase()));
    const node = { address: '10.0.0.1', generation: generations[at] ?? 1 };
    const read = reader.read(samples, node, at * 10_000);
    assert.ok(read.readings.every(({ node: address }) => address === node.address));
    values = Object.fromEntries(
      read.readings.map(({ key, table, device, value }) => [
        [key, table ?? device].filter(Boolean).join(' '),
        value,
      ]),
    );
    keys = [...read.keys];
  });
  return { values, keys };
}

/** The output of the JMX exporter 1.0.1 beside Cassandra 5.0.9, without rules. */
const jmx = (
  reads: number,
  readTime: number,
  timeouts: number,
) => `# HELP java_lang_Memory_HeapMemoryUsage_used java.lang:name=null,type=Memory,attribute=used
# TYPE java_lang_Memory_HeapMemoryUsage_used untyped
java_lang_Memory_HeapMemoryUsage_committed 2.68435456E8
java_lang_Memory_HeapMemoryUsage_max 8.05306368E8
java_lang_Memory_HeapMemoryUsage_used 2.0071936E8
java_lang_Memory_NonHeapMemoryUsage_max -1.0
java_lang_Memory_NonHeapMemoryUsage_used 7.4894416E7
java_lang_G1_Old_Generation_CollectionCount{type="GarbageCollector"} 0.0
java_lang_G1_Young_Generation_CollectionCount{type="GarbageCollector"} ${8 + reads / 10}
java_lang_G1_Young_Generation_CollectionTime{type="GarbageCollector"} ${243 + reads}
java_lang_OperatingSystem_SystemLoadAverage 1.22412109375
org_apache_cassandra_metrics_ClientRequest_Count{name="Latency",scope="Read"} ${reads}
org_apache_cassandra_metrics_ClientRequest_Count{name="Latency",scope="Read-ONE"} ${reads}
org_apache_cassandra_metrics_ClientRequest_Count{name="Latency",scope="RangeSlice"} 1.0
org_apache_cassandra_metrics_ClientRequest_Count{name="TotalLatency",scope="Read"} ${readTime}
org_apache_cassandra_metrics_ClientRequest_Count{name="TotalLatency",scope="RangeSlice"} 25824.0
org_apache_cassandra_metrics_ClientRequest_Count{name="Latency",scope="Write"} 1.0
org_apache_cassandra_metrics_ClientRequest_Count{name="TotalLatency",scope="Write"} 27179.0
org_apache_cassandra_metrics_ClientRequest_Count{name="Timeouts",scope="Read"} ${timeouts}
org_apache_cassandra_metrics_ClientRequest_Count{name="Timeouts",scope="RangeSlice"} 0.0
org_apache_cassandra_metrics_ClientRequest_Mean{name="Latency",scope="CASRead"} NaN
org_apache_cassandra_metrics_ColumnFamily_Count{keyspace="shop",name="LiveDiskSpaceUsed",scope="orders"} 6559.0
org_apache_cassandra_metrics_Table_Count{keyspace="shop",name="LiveDiskSpaceUsed",scope="orders"} 6559.0
org_apache_cassandra_metrics_Table_Count{keyspace="system",name="LiveDiskSpaceUsed",scope="local"} 6559.0
org_apache_cassandra_metrics_Table_Count{name="LiveDiskSpaceUsed"} 13118.0
org_apache_cassandra_metrics_Table_Count{keyspace="shop",name="RowCacheHit",scope="orders"} ${reads * 3}
org_apache_cassandra_metrics_Table_Count{keyspace="shop",name="RowCacheMiss",scope="orders"} ${reads}
org_apache_cassandra_metrics_Table_Value{keyspace="shop",name="LiveSSTableCount",scope="orders"} 1.0
org_apache_cassandra_metrics_Table_Value{keyspace="shop",name="BloomFilterFalseRatio",scope="orders"} NaN
`;

describe('what the JMX exporter says', () => {
  it('gives values at once and rates with the second text', () => {
    const first = readAll([jmx(100, 100_000, 0)]);
    assert.deepEqual(first.values, {
      'heap-used': 200_719_360,
      'heap-committed': 268_435_456,
      'heap-max': 805_306_368,
      'nonheap-used': 74_894_416,
      'cf-live-disk-used shop.orders': 6559,
      'cf-live-sstables shop.orders': 1,
      'os-load': 1.22412109375,
    });
    assert.ok(first.keys.includes('read-latency-op') && first.keys.includes('nonheap-max'));
    assert.ok(!first.keys.includes('os-cpu-user') && !first.keys.includes('cf-bf-false-ratio'));
    const { values } = readAll([jmx(100, 100_000, 0), jmx(300, 500_000, 5)]);
    assert.deepEqual(Object.fromEntries(Object.entries(values).filter(([key]) => !(key in first.values))), {
      'read-latency-op': 2, // 400,000 µs for 200 reads; no mean without writes
      'read-timeouts': 0.5,
      'par-new-collection-count': 2,
      'par-new-collection-time': 20,
      'g1-old-collection-count': 0,
      'cf-rowcache-hits shop.orders': 60,
      'cf-rowcache-requests shop.orders': 80,
      'cf-rowcache-hit-rate shop.orders': 75,
    });
  });

  it('is the same in lower case, as one of its options has it', () => {
    const lower = (text: string) => text.replaceAll(/^\w+/gm, (name) => name.toLowerCase());
    const texts = [jmx(100, 100_000, 0), jmx(300, 500_000, 5)];
    assert.deepEqual(readAll(texts.map(lower)), readAll(texts));
  });

  it('counts from zero after the node was started again, and no further back', () => {
    const texts = [jmx(100, 100_000, 7), jmx(20, 30_000, 4)];
    assert.equal(readAll(texts, [1, 2]).values['read-timeouts'], 0.4);
    assert.equal(readAll(texts, [1, 1]).values['read-timeouts'], 0);
  });
});

describe('the hit rate of the key cache of a table', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      'the JMX exporter',
      'org_apache_cassandra_metrics_Table_Value{keyspace="shop",name="KeyCacheHitRate",scope="T"}',
    ],
    ['the agent', 'org_apache_cassandra_metrics_table_key_cache_hit_rate{keyspace="shop",table="T",}'],
    ['the example configuration', 'cassandra_table_keycachehitrate{keyspace="shop",table="T"}'],
  ];
  for (const [name, sample] of cases) {
    it(`is what ${name} says, and 0 is none`, () => {
      const some = ['few', 'none'].map(
        (table, at) => `${sample.replace('"T"', `"${table}"`)} ${at === 0 ? 0.25 : 0}\n`,
      );
      const { values, keys } = readAll([some.join('')]);
      assert.deepEqual(values, { 'cf-keycache-hit-rate shop.few': 25 });
      assert.deepEqual(keys, ['cf-keycache-hit-rate']);
    });
  }
});

describe('what other exporters say', () => {
  it('reads the agent of the management API', () => {
    const agent = (count: number) => `
jvm_memory_bytes_used{area="heap",} 100.0
jvm_memory_bytes_used{area="nonheap",} 50.0
jvm_gc_collection_seconds_count{host="a",gc="G1 Old Generation",} ${count}
jvm_gc_collection_seconds_sum{host="a",gc="G1 Old Generation",} ${count / 10}
jvm_gc_collection_seconds_count{host="a",gc="G1 Young Generation",} 0
org_apache_cassandra_metrics_client_request_latency_count{host="a",request_type="Read",} ${count}
org_apache_cassandra_metrics_client_request_latency_count{host="a",request_type="Write",} ${count}
org_apache_cassandra_metrics_client_request_total_latency{host="a",request_type="Read",} ${count * 1500}
org_apache_cassandra_metrics_client_request_failures_total{host="a",request_type="CASWrite",} ${count}
org_apache_cassandra_metrics_table_live_ss_table_count{host="a",keyspace="shop",table="orders",} 4
org_apache_cassandra_metrics_table_bloom_filter_false_positives{host="a",keyspace="shop",table="orders",} ${count}
org_apache_cassandra_metrics_table_read_latency_count{host="a",keyspace="shop",table="orders",} ${count}
org_apache_cassandra_metrics_table_read_total_latency{host="a",keyspace="shop",table="orders",} ${count * 250}
`;
    assert.deepEqual(readAll([agent(10), agent(30)]).values, {
      'read-latency-op': 1.5,
      'write-failures': 2,
      'heap-used': 100,
      'nonheap-used': 50,
      'par-new-collection-count': 0,
      'g1-old-collection-count': 2,
      'g1-old-collection-time': 200,
      'cf-read-latency-op shop.orders': 0.25,
      'cf-live-sstables shop.orders': 4,
      'cf-bf-false-positives shop.orders': 2,
    });
  });

  it('reads the example configuration of the JMX exporter, which gives seconds', () => {
    const example = (count: number) => `
cassandra_clientrequest_latency_seconds_count{clientrequest="Read",} ${count}
cassandra_clientrequest_latency_seconds_sum{clientrequest="Read",} ${count / 100}
cassandra_clientrequest_timeouts_count{clientrequest="Write",} ${count}
cassandra_table_livesstablecount{table="orders",keyspace="shop",} 3
`;
    assert.deepEqual(readAll([example(10), example(20)]).values, {
      'read-latency-op': 10,
      'write-timeouts': 1,
      'cf-live-sstables shop.orders': 3,
    });
  });

  it('reads the machine from the node exporter', () => {
    const machine = (busy: number, bytes: number) => `
node_cpu_seconds_total{cpu="0",mode="user"} ${busy}
node_cpu_seconds_total{cpu="1",mode="user"} ${busy}
node_cpu_seconds_total{cpu="0",mode="idle"} ${100 - busy}
node_cpu_seconds_total{cpu="1",mode="idle"} ${104 - busy + bytes / 100}
node_load1 0.5
node_memory_MemTotal_bytes 1.048576e+09
node_memory_MemFree_bytes 1.048576e+08
node_memory_Cached_bytes 1.048576e+08
node_memory_SReclaimable_bytes 0
node_memory_Buffers_bytes 1.048576e+06
node_network_receive_bytes_total{device="eth0"} ${bytes}
node_network_receive_bytes_total{device="lo"} ${bytes}
node_filesystem_size_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 1000
node_filesystem_free_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 300
node_filesystem_avail_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 200
`;
    const { values } = readAll([machine(10, 1000), machine(15, 3000)]);
    assert.deepEqual(values, {
      'os-cpu-user': 50,
      'os-cpu-idle': 50,
      'os-load': 0.5,
      'os-memory-used': 799,
      'os-memory-free': 100,
      'os-memory-cached': 100,
      'os-memory-buffers': 1,
      'os-net-received eth0': 200,
      'os-disk-usage /': (100 * 700) / 900,
      'os-disk-free /': 200,
      'os-disk-used /': 700,
    });
  });

  it('finds nothing in an unrelated text', () => {
    assert.deepEqual(readAll(['go_goroutines 8\n', 'go_goroutines 8\n']), { values: {}, keys: [] });
  });
});
