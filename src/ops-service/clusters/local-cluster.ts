// The cluster `local`: the engine of this process, with one node.

import type { Clock } from '../../foundation/telemetry/clock.js';
import type { ArchiveWatch } from './archive-watch.js';
import type {
  Cluster,
  ClusterNode,
  HistogramOffer,
  NativeReply,
  NodeAction,
  NodeActionOutcome,
  Reading,
} from './cluster.js';
import { type DataServiceLink, unpackNativeReply } from './data-service-link.js';
import type { FollowWatch } from './follow-watch.js';
import type { LocalMetrics } from './local-metrics.js';
import type { SchemaNames } from './schema-news.js';
import type { StorageWatch } from './storage-watch.js';

/** The only node of `local`. */
export const localAddress = '127.0.0.1';

/** The machine and the process as the cluster sees them. */
export interface LocalFacts {
  readonly hostname: string;
  readonly os: string;
  readonly version: string;
  /** The source of a key on the embedded engine; undefined if it has none. */
  readonly metricSource: (key: string) => string | undefined;
}

/** The engine of this process as a cluster of one node, which is down while its storage does not work. */
export class LocalCluster implements Cluster {
  readonly id = 'local';
  /** It decides whether the node is down. */
  readonly storage: StorageWatch;
  readonly archive: ArchiveWatch;
  readonly follow: FollowWatch;
  readonly measuresDownNodes = true;
  readonly histograms: HistogramOffer = { parts: ['MIN', 'P50', 'P90', 'P99', 'MAX'], takesWindow: true };
  readonly #dataService: DataServiceLink;
  readonly metricSource: LocalFacts['metricSource'];
  readonly #facts: Omit<LocalFacts, 'metricSource'>;
  readonly #clock: Clock;
  readonly #metrics: LocalMetrics;
  #loadBytes: number | null = null;
  /** Set at the start and at every change of the schema. */
  names: SchemaNames = { keyspaces: [], tables: [] };

  constructor(
    { metricSource, ...facts }: LocalFacts,
    clock: Clock,
    metrics: LocalMetrics,
    dataService: DataServiceLink,
    storage: StorageWatch,
    { archive, follow }: { readonly archive: ArchiveWatch; readonly follow: FollowWatch },
  ) {
    this.storage = storage;
    this.archive = archive;
    this.follow = follow;
    this.metricSource = metricSource;
    this.#dataService = dataService;
    this.#facts = facts;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  get keyspaces(): readonly string[] {
    return this.names.keyspaces;
  }

  get tables(): readonly string[] {
    return this.names.tables;
  }

  get nodes(): readonly ClusterNode[] {
    const { downSinceMs } = this.storage;
    return [
      {
        address: localAddress,
        dc: 'datacenter1',
        rack: 'rack1',
        ...(downSinceMs === undefined
          ? { state: 'up', lastSeenMs: this.#clock.nowMs() }
          : { state: 'down', lastSeenMs: downSinceMs, downSinceMs }),
        loadBytes: this.#loadBytes,
        ...this.#facts,
      },
    ];
  }

  async readMetrics(): Promise<readonly Reading[]> {
    const { readings, dataBytes } = await this.#metrics.read(this.tables);
    this.#loadBytes = dataBytes ?? null;
    const own = [...this.archive.readings, ...this.follow.readings];
    return [...readings, ...own].map((reading) => ({ node: localAddress, ...reading }));
  }

  act({ action, keyspace, tables }: NodeAction, signal: AbortSignal): Promise<NodeActionOutcome> {
    return this.#dataService.call('act', { action, keyspace, tables }, signal);
  }

  async runNative(query: string, signal: AbortSignal): Promise<NativeReply> {
    return unpackNativeReply(await this.#dataService.call('runNative', query, signal));
  }

  tick(): void {
    this.storage.tick();
  }

  /** The data service ends with the process. */
  close(): Promise<void> {
    return this.#metrics.close();
  }
}
