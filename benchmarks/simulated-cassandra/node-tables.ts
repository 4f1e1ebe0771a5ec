// What the tables of a simulated Cassandra 5 node hold: the shapes of real ones, counts that rise, hearts that beat.
import type { CqlType, SimulatedTable } from './cql-frames.js';

/** A node as the others know it. */
export interface SimulatedMember {
  readonly address: string;
  readonly hostId: string;
  readonly dc: string;
}

/** What a node's tables are made of. */
export interface TablesPlan {
  readonly self: SimulatedMember;
  /** All nodes, this one among them. */
  readonly members: readonly SimulatedMember[];
  readonly port: number;
  /** Tables of users; some fifty of Cassandra's own come on top. */
  readonly tableCount: number;
  /** Seconds since the node started: beats and counts. */
  seconds(): number;
}

const ownTables = 52;
const pools = [
  'CompactionExecutor',
  'GossipStage',
  'MemtableFlushWriter',
  'MemtablePostFlush',
  'MigrationStage',
  'MutationStage',
  'ReadStage',
  'RequestResponseStage',
  ...Array.from({ length: 14 }, (_, at) => `Pool${at}`),
];
const release = '5.0.9';
const schemaVersion = 'd03783d7-b468-3c1a-82f1-8e30b2edde8b';

/** Gossip has some forty more columns, nearly all of them empty. */
const emptyGossip = Array.from({ length: 44 }, (_, at): readonly [string, CqlType] => [`x${at}`, 'text']);

/** The tables by their names. */
export function tablesOf(plan: TablesPlan): Readonly<Record<string, () => SimulatedTable>> {
  const latency = () => latencies(plan);
  const others = plan.members.filter(({ address }) => address !== plan.self.address);
  return {
    'system.local': () => ring([plan.self], 'key'),
    'system.peers': () => ring(others, 'peer'),
    'system_schema.keyspaces': () => table('keyspace_name text', [['system'], ['shop'], ['empty']]),
    'system_schema.tables': () => table('keyspace_name text, table_name text', tableNames(plan)),
    'system_views.gossip_info': () => gossip(plan),
    'system_views.coordinator_read_latency': latency,
    'system_views.coordinator_scan_latency': latency,
    'system_views.coordinator_write_latency': latency,
    'system_views.local_read_latency': latency,
    'system_views.local_scan_latency': latency,
    'system_views.local_write_latency': latency,
    'system_views.disk_usage': () => {
      const rows = tableNames(plan).map((name) => [...name, 7]);
      return table('keyspace_name text, table_name text, mebibytes bigint', rows);
    },
    'system_views.thread_pools': () => {
      const rows = pools.map((name, at) => [name, at % 3]);
      return table('name text, pending_tasks int', rows);
    },
    'system_views.caches': () => caches(Math.floor(plan.seconds())),
    'system_views.pending_hints': () => table('files int', []),
    'system_views.settings': () => table('value text', [['true']]),
    'system_views.streaming': () =>
      table('status_success_timestamp timestamp, status_failure_timestamp timestamp', []),
    'system.compaction_history': () => {
      const rows = Array.from({ length: 100 }, (_, at) => [numberedId(at), 'shop', 1000]);
      return table('id uuid, keyspace_name text, bytes_in bigint', rows);
    },
  };
}

/** `columns` as CQL writes them: names and types. */
function table(columns: string, rows: SimulatedTable['rows']): SimulatedTable {
  const pairs = columns.split(', ').map((column) => column.split(' '));
  // The types are written above, every one of them a CqlType.
  return { columns: pairs.map(([name = '', type]) => [name, type as CqlType]), rows };
}

function caches(count: number): SimulatedTable {
  const rows = ['chunks', 'counters', 'keys', 'rows'].map((name) => [name, 1000, count, 2 * count]);
  return table('name text, capacity_bytes bigint, hit_count bigint, request_count bigint', rows);
}

export function numberedId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function tableNames({ tableCount }: TablesPlan): readonly (readonly [string, string])[] {
  return [
    ...Array.from({ length: ownTables }, (_, at) => ['system', `own_table_${at}`] as const),
    ...Array.from({ length: tableCount }, (_, at) => ['shop', `orders_${at}`] as const),
  ];
}

function latencies(plan: TablesPlan): SimulatedTable {
  const count = Math.floor(plan.seconds() * 100);
  const rows = tableNames(plan).map((name) => [...name, count, 0.001, 0.004, 0.02]);
  const values = 'count bigint, p50th_ms double, p99th_ms double, max_ms double';
  return table(`keyspace_name text, table_name text, ${values}`, rows);
}

function ring(members: readonly SimulatedMember[], key: 'key' | 'peer'): SimulatedTable {
  return {
    columns: [
      [key, key === 'peer' ? 'inet' : 'text'],
      ['rpc_address', 'inet'],
      ['data_center', 'text'],
      ['rack', 'text'],
      ['host_id', 'uuid'],
      ['release_version', 'text'],
      ['schema_version', 'uuid'],
      ['partitioner', 'text'],
      ['tokens', 'set<text>'],
    ],
    rows: members.map(({ address, dc, hostId }, at) => [
      key === 'peer' ? address : 'local',
      address,
      dc,
      'rack1',
      hostId,
      release,
      schemaVersion,
      'org.apache.cassandra.dht.Murmur3Partitioner',
      Array.from({ length: 16 }, (_, token) => String(at * 1000 + token)),
    ]),
  };
}

function gossip({ members, port, seconds }: TablesPlan): SimulatedTable {
  const heartbeat = Math.floor(seconds());
  return {
    columns: [
      ['address', 'inet'],
      ['port', 'int'],
      ['dc', 'text'],
      ['rack', 'text'],
      ['host_id', 'text'],
      ['release_version', 'text'],
      ['generation', 'int'],
      ['heartbeat', 'int'],
      ['load', 'text'],
      ['native_address_and_port', 'text'],
      ['status_with_port', 'text'],
      ['hostname', 'text'],
      ['rpc_address', 'text'],
      ['status', 'text'],
      ['schema', 'text'],
      ...emptyGossip,
    ],
    rows: members.map(({ address, dc, hostId }, at) => [
      address,
      7000,
      dc,
      'rack1',
      hostId,
      release,
      1_767_200_000,
      heartbeat,
      '100300.0',
      `${address}:${port}`,
      `NORMAL,${at * 1000}`,
      address,
      address,
      null,
      schemaVersion,
    ]),
  };
}
