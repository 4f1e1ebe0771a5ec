// The cluster `local`: the engine that this process serves, one node.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { OpsError } from '../errors/ops-error.js';
import type {
  Cluster,
  ClusterNode,
  HistogramOffer,
  NativeReply,
  NodeActionOutcome,
  Reading,
} from './cluster.js';
import type { DataServiceLink } from './data-service-link.js';

/** The only node of `local`. */
export const localAddress = '127.0.0.1';

/** What the cluster knows of the machine and the process. */
export interface LocalFacts {
  readonly hostname: string;
  readonly os: string;
  readonly version: string;
}

/** The engine of this process as a cluster of one node. */
export class LocalCluster implements Cluster {
  readonly id = 'local';
  readonly histograms: HistogramOffer = { parts: ['MIN', 'P50', 'P90', 'P99', 'MAX'], takesWindow: true };
  readonly #dataService: DataServiceLink;
  readonly #facts: LocalFacts;
  readonly #clock: Clock;
  /** `keyspace.table`; whoever hears of a schema change sets it. */
  tables: readonly string[] = [];

  constructor(facts: LocalFacts, clock: Clock, dataService: DataServiceLink) {
    this.#dataService = dataService;
    this.#facts = facts;
    this.#clock = clock;
  }

  get nodes(): readonly ClusterNode[] {
    return [
      {
        address: localAddress,
        dc: 'datacenter1',
        rack: 'rack1',
        state: 'up',
        lastSeenMs: this.#clock.nowMs(), // whoever asks sees that the process lives
        loadBytes: null,
        ...this.#facts,
      },
    ];
  }

  async readMetrics(): Promise<readonly Reading[]> {
    return [];
  }

  metricSource(): string | undefined {
    return undefined;
  }

  async act(): Promise<NodeActionOutcome> {
    throw new OpsError('Unavailable', 'this engine has no actions');
  }

  runNative(query: string): Promise<NativeReply> {
    return this.#dataService.call('runNative', query);
  }

  async close(): Promise<void> {
    // It ends with the process.
  }
}
