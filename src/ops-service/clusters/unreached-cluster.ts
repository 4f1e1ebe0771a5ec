// A cluster that nobody has talked to: its seeds stand for nodes that were never reached.
import { OpsError } from '../errors/ops-error.js';
import type {
  Cluster,
  ClusterNode,
  HistogramOffer,
  NativeReply,
  NodeActionOutcome,
  Reading,
} from './cluster.js';
import { type ClusterConfig, splitSeeds } from './cluster-config.js';

/** What is known without a driver. */
export class UnreachedCluster implements Cluster {
  readonly id: string;
  readonly nodes: readonly ClusterNode[];
  readonly tables: readonly string[] = [];
  /** What nodes of this kind give once they are reached. */
  readonly histograms: HistogramOffer = { parts: ['P50', 'P99', 'MAX'], takesWindow: false };

  constructor({ id, cassandra }: ClusterConfig) {
    this.id = id;
    this.nodes = splitSeeds(cassandra.seed_hosts).map((address) => ({
      address,
      dc: null,
      rack: null,
      hostname: null,
      state: 'unknown',
      lastSeenMs: null,
      loadBytes: null,
      version: null,
      os: null,
    }));
  }

  async readMetrics(): Promise<readonly Reading[]> {
    return [];
  }

  metricSource(): undefined {
    return undefined;
  }

  async act(): Promise<NodeActionOutcome> {
    return { state: 'error', detail: 'the node was never reached' };
  }

  async runNative(): Promise<NativeReply> {
    throw new OpsError('Unavailable', `no node of the cluster ${this.id} was ever reached`);
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}
