// Waits until the nodes of a cluster know of each other that they are up.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';

const patienceMs = 180_000;

/** Resolves when all nodes say of all nodes that they are up; rejects after three minutes. */
export async function untilAllAreUp(cluster: CassandraNodes): Promise<void> {
  for (const node of cluster.nodes) {
    const isComplete = async () => {
      const status = await cluster.runNodetool(node, 'status');
      return status.match(/^UN /gm)?.length === cluster.nodes.length;
    };
    for (const deadline = Date.now() + patienceMs; !(await isComplete()); await sleep(500))
      if (Date.now() > deadline) throw new Error(`${node.place.address} does not know that all nodes are up`);
  }
}
