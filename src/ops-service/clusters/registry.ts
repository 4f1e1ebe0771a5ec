// The monitored clusters, by id.
import type { Logger } from '../../foundation/telemetry/logger.js';
import { unknownName } from '../errors/unknown-name.js';
import type { Cluster } from './cluster.js';

/** The clusters; `local` is the first and always exists. */
export class ClusterRegistry {
  readonly #clusters = new Map<string, Cluster>();
  readonly #logger: Logger;

  constructor(local: Cluster, logger: Logger) {
    this.#logger = logger;
    this.#clusters.set(local.id, local);
  }

  /** All clusters, in the order in which they were added. */
  list(): readonly Cluster[] {
    return [...this.#clusters.values()];
  }

  find(id: string): Cluster | undefined {
    return this.#clusters.get(id);
  }

  /** @throws OpsError `NotFound` */
  get(id: string): Cluster {
    const cluster = this.#clusters.get(id);
    if (cluster === undefined) throw unknownName('cluster', id, [...this.#clusters.keys()]);
    return cluster;
  }

  /** Whether the metrics of a cluster are true also while a node is down. */
  measuresDownNodes(id: string): boolean {
    return this.find(id)?.measuresDownNodes === true;
  }

  /** Whether a cluster says that its node is down. */
  isNodeDown(id: string, address: string): boolean {
    const nodes = this.find(id)?.nodes ?? [];
    return nodes.some((node) => node.address === address && node.state === 'down');
  }

  /** Adds a cluster. If there is one with its id, that one is closed and replaced. */
  put(cluster: Cluster): void {
    const replaced = this.#clusters.get(cluster.id);
    this.#clusters.set(cluster.id, cluster);
    this.#closeLater(replaced);
  }

  /** Closes a cluster and removes it. Does nothing for an unknown id. */
  remove(id: string): void {
    const removed = this.#clusters.get(id);
    if (!this.#clusters.delete(id)) return;
    this.#closeLater(removed);
  }

  /** Ticks every cluster. The server calls it every second. */
  tick(): void {
    for (const cluster of this.#clusters.values()) cluster.tick?.();
  }

  #closeLater(cluster: Cluster | undefined): void {
    cluster
      ?.close()
      .catch((err) => this.#logger.error({ err, cluster: cluster.id }, 'a cluster was not closed'));
  }

  async close(): Promise<void> {
    await Promise.all(this.list().map((cluster) => cluster.close()));
  }
}
