// The configuration of one node: small, durable enough for tests.

/** What a node asks of its clients. */
export interface NodeSecurity {
  /** Users log in and need permissions; the first is `cassandra` with the password `cassandra`. */
  readonly hasUsers?: boolean;
  /** Connections of clients must be encrypted. */
  readonly tls?: NodeTls;
}

/** Files, as PEM without passwords; they are read when a node starts. */
export interface NodeTls {
  /** The private key of the nodes and their certificate. */
  readonly identity: string;
  /** The certificates of those who sign the certificates of clients, which clients must have. */
  readonly clientAuthorities: string;
}

/** Where one node keeps its files and is reached. */
export interface NodePlace {
  /** A folder of its own. */
  readonly directory: string;
  /** A loopback address of its own, `127.0.0.2`. */
  readonly address: string;
  /** The address of the first node. */
  readonly seed: string;
  /** The CQL port, the same for all nodes. */
  readonly nativePort: number;
  /** The port between nodes, the same for all. */
  readonly storagePort: number;
  /** JMX listens on 127.0.0.1 only: a port for each node. */
  readonly jmxPort: number;
  readonly nodeCount: number;
  readonly security: NodeSecurity;
  /** Whether a change of the schema is not written to disk at once: it is faster, and lost where the node is killed. */
  readonly forgetsSchema: boolean;
  /**
   * Whether Java compiles the node in one simple step: its first minutes take half the processor time, and statements
   * take longer after that.
   */
  readonly compilesSimply: boolean;
  /** Whether a write is acknowledged when it is on disk: a node that is killed loses none. Writes take longer. */
  readonly syncsWrites: boolean;
}

/** The text of `cassandra.yaml` for Cassandra 5.0. */
export function cassandraYaml(place: NodePlace): string {
  const { hasUsers = false, tls } = place.security;
  return `cluster_name: 'colonnade-tests'
num_tokens: ${place.nodeCount === 1 ? 1 : 4}
auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
dynamic_snitch: false
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "${place.seed}"
listen_address: ${place.address}
storage_port: ${place.storagePort}
rpc_address: ${place.address}
start_native_transport: true
native_transport_port: ${place.nativePort}
${hasUsers ? withUsers : withoutUsers}${tls === undefined ? '' : encryption(tls)}data_file_directories:
  - ${place.directory}/data
commitlog_directory: ${place.directory}/commitlog
saved_caches_directory: ${place.directory}/saved_caches
hints_directory: ${place.directory}/hints
cdc_raw_directory: ${place.directory}/cdc_raw
${place.syncsWrites ? syncOfWrites : syncOfTimes}commitlog_segment_size: 32MiB
commitlog_total_space: 512MiB
commitlog_disk_access_mode: legacy
disk_failure_policy: die
commit_failure_policy: die
auto_snapshot: false
hinted_handoff_enabled: false
storage_compatibility_mode: NONE
uuid_sstable_identifiers_enabled: true
sstable:
  selected_format: bti
memtable:
  configurations:
    skiplist:
      class_name: SkipListMemtable
    trie:
      class_name: TrieMemtable
    default:
      inherits: trie
concurrent_compactors: 1
compaction_throughput: 0MiB/s
sai_options:
  segment_write_buffer_size: 64MiB
default_secondary_index: sai
default_secondary_index_enabled: true
materialized_views_enabled: true
sasi_indexes_enabled: true
read_request_timeout: 20s
range_request_timeout: 20s
write_request_timeout: 20s
truncate_request_timeout: 60s
request_timeout: 20s
`;
}

const syncOfTimes = `commitlog_sync: periodic
commitlog_sync_period: 1000ms
`;

const syncOfWrites = `commitlog_sync: group
commitlog_sync_group_window: 15ms
`;

const withoutUsers = `authenticator:
  class_name: AllowAllAuthenticator
authorizer:
  class_name: AllowAllAuthorizer
`;

/** Changes of users and permissions take effect at once. */
const withUsers = `authenticator:
  class_name: PasswordAuthenticator
authorizer:
  class_name: CassandraAuthorizer
role_manager:
  class_name: CassandraRoleManager
roles_validity: 0ms
permissions_validity: 0ms
credentials_validity: 0ms
`;

function encryption({ identity, clientAuthorities }: NodeTls): string {
  return `client_encryption_options:
  enabled: true
  optional: false
  require_client_auth: true
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
  keystore: ${identity}
  truststore: ${clientAuthorities}
`;
}
