// Waits until the nodes of a cluster know of each other that they are up, and have the same schema.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';

const patienceMs = 300_000;

/** Resolves when all nodes say of all nodes that they are up; rejects after five minutes. */
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

/** Resolves when all nodes have the same schema; rejects after five minutes. */
export async function untilSchemasAgree(cluster: CassandraNodes): Promise<void> {
  const [node] = cluster.nodes;
  if (node === undefined) return;
  for (const deadline = Date.now() + patienceMs; ; await sleep(500)) {
    const described = await cluster.runNodetool(node, 'describecluster');
    const versions =
      /Schema versions:\n((?:\s+\S+: \[.*\]\n)+)/.exec(described)?.[1]?.trim().split('\n') ?? [];
    if (versions.length === 1 && !described.includes('UNREACHABLE')) return;
    if (Date.now() > deadline) throw new Error(`the nodes have different schemas:\n${described}`);
  }
}
