// A cluster as the operations service sees it, independent of its database: its nodes, metrics and actions.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { LatencyCounts } from '../../foundation/telemetry/latency-counts.js';
import type { EventName } from '../events/event.js';

/** The last known state of a node. */
export interface ClusterNode {
  /** Its address, by which metrics, alerts and events name the node; it never changes meaning. */
  readonly address: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly hostname: string | null;
  /** `decideNodeState` decides it, and `StorageWatch` that of the node of `local`; it is `unknown` before that. */
  readonly state: 'up' | 'down' | 'unknown';
  /** When it went down, in milliseconds since 1970; absent while it is not down. */
  readonly downSinceMs?: number;
  /** Milliseconds since 1970 of the last answer; null if it never answered. */
  readonly lastSeenMs: number | null;
  /** Bytes of data; null when unknown. */
  readonly loadBytes: number | null;
  readonly version: string | null;
  readonly os: string | null;
}

/** What a value is about. Unavailable values are omitted, never 0. */
export interface ReadingPlace {
  readonly node: string;
  /** A key of the table of metric keys, never an alias. */
  readonly key: string;
  /** `keyspace.table`, for keys with the scope `table`. */
  readonly table?: string;
  /** Interface or mount, for keys with the scope `device`. */
  readonly device?: string;
}

/** One value of a metric at one moment. */
export interface ValueReading extends ReadingPlace {
  /** The part of a distribution, for percentile keys. */
  readonly part?: HistogramPart;
  /** The value is in the unit of the key. */
  readonly value: number;
}

/** The distribution of the measurements since the last reading, for percentile keys; empty if there were none. */
export interface HistogramReading extends ReadingPlace {
  readonly histogram: LatencyCounts;
}

/** A value or a distribution of a metric. */
export type Reading = ValueReading | HistogramReading;

/** The values that a percentile key has. */
export type HistogramPart = 'MIN' | 'P50' | 'P90' | 'P99' | 'MAX';

/** What a cluster's percentile keys provide. */
export interface HistogramOffer {
  readonly parts: readonly HistogramPart[];
  readonly takesWindow: boolean;
}

/** The actions on a node: what each does, as the choice of a form, and the kind of its event. */
export const nodeActions = {
  compact: { label: 'return free space', event: 'compaction' },
  cleanup: { label: 'delete what is dropped', event: 'cleanup' },
  flush: { label: 'write memory to disk', event: 'flush' },
  repair: { label: 'check and rebuild', event: 'repair' },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly event: EventName }>>;

export type ActionName = keyof typeof nodeActions;

// The keys of an object whose keys are the names.
export const actionNames = Object.keys(nodeActions) as ActionName[];

export interface NodeAction {
  readonly action: ActionName;
  readonly node: string;
  readonly keyspace: string;
  /** Names within the keyspace; empty: all of them. */
  readonly tables: readonly string[];
}

/** The outcome of an action on a node: text for users, at most 64 KB. */
export interface NodeActionOutcome {
  readonly state: 'success' | 'error' | 'cancelled';
  readonly detail: string;
}

/** The reply to a native query. Values are JSON texts, so that numbers keep all their digits. */
export interface NativeReply {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly JsonText[])[];
}

/** A monitored cluster. Asynchronous calls reject only for bugs: a node that does not answer is a normal result. */
export interface Cluster {
  /** `local` or an id of `/cluster-configs`. */
  readonly id: string;
  readonly nodes: readonly ClusterNode[];
  /** False until nodes and tables have been read once: unlisted ones may exist before that. */
  readonly isLoaded?: boolean;
  /** Whether its metrics are true also while a node is down: alerts about that node are not held. Absent: no. */
  readonly measuresDownNodes?: boolean;
  /** Which parts of distributions it provides, and whether a rule can choose the window. */
  readonly histograms: HistogramOffer;
  /** The present readings of all nodes that answer; called once per interval, never twice at the same time. */
  readMetrics(): Promise<readonly Reading[]>;
  /** The keyspaces of users, including those without tables. */
  readonly keyspaces: readonly string[];
  /** `keyspace.table` of all tables. */
  readonly tables: readonly string[];
  /** The source of a key that this cluster provides, for `/metric-keys`; undefined for other keys. */
  metricSource(key: string): string | undefined;
  /** Why a configured key is not available now; undefined for all other keys. */
  whyNoMetric?(key: string): string | undefined;
  /** Runs to its end, or to the next step after `signal` is aborted. At most one action per node at a time. */
  act(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome>;
  /**
   * A query that is not begun when `signal` is aborted, because its client has left, may be refused.
   * @throws OpsError `BadRequest` with the engine's own words for a query it refuses, `Unavailable` for a failure
   */
  runNative(query: string, signal: AbortSignal): Promise<NativeReply>;
  /** Does what is due. The server calls it every second. */
  tick?(): void;
  close(): Promise<void>;
}
