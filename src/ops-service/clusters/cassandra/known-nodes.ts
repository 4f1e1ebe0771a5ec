// The stored nodes of a Cassandra cluster, identified by host id, whatever their addresses are.
import type { ClusterNode } from '../cluster.js';

/** The present report of the cluster about a node. */
export interface SeenNode {
  readonly hostId: string;
  readonly address: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly release: string | null;
  /** The first of its tokens: it changes when the node moves in the ring. Null until gossip reports it. */
  readonly token: string | null;
  /** Bytes of data as reported by the node itself; null if not reported. */
  readonly loadBytes: number | null;
}

/** A node as it is stored, also across restarts. */
export interface KnownNode extends Omit<SeenNode, 'hostId'> {
  /** Null for a seed that was never reached: then the address is the text of the seed. */
  readonly hostId: string | null;
  readonly state: ClusterNode['state'];
  readonly downSinceMs: number | null;
  readonly lastSeenMs: number | null;
}

/** A change of the ring. */
export interface RingNews {
  readonly kind: 'nodeJoined' | 'nodeLeft' | 'nodeMoved';
  readonly address: string;
  readonly message: string;
}

/** The seeds as nodes that were never reached. */
export function nodesOfSeeds(seeds: readonly string[]): readonly KnownNode[] {
  return seeds.map((address) => ({ ...neverSeen, hostId: null, address }));
}

/**
 * Merges the present report of the cluster with the stored nodes. The first report of a cluster causes no events,
 * because its nodes are not new.
 */
export function mergeSeenNodes(
  known: readonly KnownNode[],
  seen: readonly SeenNode[],
): { readonly nodes: readonly KnownNode[]; readonly news: readonly RingNews[] } {
  const byId = new Map(known.map((node) => [node.hostId, node]));
  const wasKnown = known.some(({ hostId }) => hostId !== null);
  const news: RingNews[] = [];
  const nodes = seen.map((node) => {
    const before = byId.get(node.hostId) ?? known.find(isPlaceOf(node));
    if (wasKnown) news.push(...newsOf(byId.get(node.hostId), node));
    return { ...(before ?? neverSeen), ...node, token: node.token ?? before?.token ?? null };
  });
  for (const { hostId, address } of known) {
    if (hostId === null || seen.some((node) => node.hostId === hostId)) continue;
    news.push({ kind: 'nodeLeft', address, message: `node ${address} left the cluster` });
  }
  return { nodes, news };
}

const neverSeen: Omit<KnownNode, 'hostId' | 'address'> = {
  dc: null,
  rack: null,
  release: null,
  token: null,
  loadBytes: null,
  state: 'unknown',
  downSinceMs: null,
  lastSeenMs: null,
};

/** A seed is replaced by the node that has its address. */
function isPlaceOf(node: SeenNode): (known: KnownNode) => boolean {
  return ({ hostId, address }) => hostId === null && address === node.address;
}

function newsOf(before: KnownNode | undefined, { address, token }: SeenNode): readonly RingNews[] {
  if (before === undefined) {
    return [{ kind: 'nodeJoined', address, message: `node ${address} joined the cluster` }];
  }
  if (before.address !== address) {
    return [{ kind: 'nodeMoved', address, message: `node ${before.address} has the address ${address} now` }];
  }
  if (before.token !== null && token !== null && before.token !== token) {
    return [{ kind: 'nodeMoved', address, message: `node ${address} moved to the token ${token}` }];
  }
  return [];
}
