// What the operations service knows of a cluster, whatever it runs on: its nodes, its metrics, its actions.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { LatencyCounts } from '../../foundation/telemetry/latency-counts.js';

/** A node as a cluster last saw it. */
export interface ClusterNode {
  /** Its address; never changes meaning: metrics, alerts and events name the node by it. */
  readonly address: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly hostname: string | null;
  /** As `decideNodeState` says; `unknown` until that is known. */
  readonly state: 'up' | 'down' | 'unknown';
  /** Milliseconds since 1970 since which it is down; absent while it is not. */
  readonly downSinceMs?: number;
  /** Milliseconds since 1970 of the last answer; null when it never answered. */
  readonly lastSeenMs: number | null;
  /** Bytes of data; null when unknown. */
  readonly loadBytes: number | null;
  readonly version: string | null;
  readonly os: string | null;
}

/** What a value is about. What is not available is left out, never 0. */
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
  /** Which part of a distribution, for percentile keys. */
  readonly part?: HistogramPart;
  /** In the unit of the key. */
  readonly value: number;
}

/** The distribution of what was measured since the last reading, for percentile keys; empty when nothing was. */
export interface HistogramReading extends ReadingPlace {
  readonly histogram: LatencyCounts;
}

/** What a cluster reads of a metric. */
export type Reading = ValueReading | HistogramReading;

/** The values that a percentile key has. */
export type HistogramPart = 'MIN' | 'P50' | 'P90' | 'P99' | 'MAX';

/** What a cluster's percentile keys offer. */
export interface HistogramOffer {
  readonly parts: readonly HistogramPart[];
  readonly takesWindow: boolean;
}

/** What can be asked of a node; the codes of its events have the same names. */
export type ActionName = 'compact' | 'cleanup' | 'flush' | 'repair';

/** An action on one node. */
export interface NodeAction {
  readonly action: ActionName;
  readonly node: string;
  readonly keyspace: string;
  /** Names within the keyspace; empty: all of them. */
  readonly tables: readonly string[];
}

/** How an action on a node ended: words for people, at most 64 KB. */
export interface NodeActionOutcome {
  readonly state: 'success' | 'error' | 'cancelled';
  readonly detail: string;
}

/** The reply to a native query. Values are JSON texts, so that numbers keep all their digits. */
export interface NativeReply {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly JsonText[])[];
}

/** A cluster that is watched. Calls that wait reject only for bugs: a node that does not answer is a fact. */
export interface Cluster {
  /** `local` or an id of `/cluster-configs`. */
  readonly id: string;
  readonly nodes: readonly ClusterNode[];
  /** False until nodes and tables have been read once: what is not listed before may still exist. */
  readonly isLoaded?: boolean;
  /** Which parts of distributions it gives, and whether a rule can choose the window. */
  readonly histograms: HistogramOffer;
  /** The readings of this moment from all nodes that answer; called once an interval, never twice at a time. */
  readMetrics(): Promise<readonly Reading[]>;
  /** The keyspaces of users, also those without tables. */
  readonly keyspaces: readonly string[];
  /** `keyspace.table` of all tables. */
  readonly tables: readonly string[];
  /** Keys that this cluster gives, for `/metric-keys`; the text says where from. */
  metricSource(key: string): string | undefined;
  /** Why a key that it is configured to give is not available now; undefined for every other key. */
  whyNoMetric?(key: string): string | undefined;
  /** Runs to its end or to the next step after `signal` is aborted. One at a time per node. */
  act(action: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome>;
  /** @throws OpsError `BadRequest` with the engine's own words for a query it refuses, `Unavailable` for a failure */
  runNative(query: string): Promise<NativeReply>;
  /** Does what is due. Called every second. */
  tick?(): void;
  close(): Promise<void>;
}
