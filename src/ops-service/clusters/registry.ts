// The clusters that are watched, by id.
import { OpsError } from '../errors/ops-error.js';
import type { Cluster } from './cluster.js';

/** The clusters; `local` comes first and is always there. */
export class ClusterRegistry {
  readonly #clusters = new Map<string, Cluster>();

  constructor(local: Cluster) {
    this.#clusters.set(local.id, local);
  }

  /** In the order in which they were added. */
  list(): readonly Cluster[] {
    return [...this.#clusters.values()];
  }

  find(id: string): Cluster | undefined {
    return this.#clusters.get(id);
  }

  /** @throws OpsError `NotFound` */
  get(id: string): Cluster {
    const cluster = this.#clusters.get(id);
    if (cluster === undefined) throw new OpsError('NotFound', `there is no cluster ${JSON.stringify(id)}`);
    return cluster;
  }

  /** Adds a cluster or puts it in the place of the one with its id. */
  put(cluster: Cluster): void {
    this.#clusters.set(cluster.id, cluster);
  }

  /** Nothing happens for an unknown id. */
  remove(id: string): void {
    this.#clusters.delete(id);
  }

  async close(): Promise<void> {
    await Promise.all(this.list().map((cluster) => cluster.close()));
  }
}
