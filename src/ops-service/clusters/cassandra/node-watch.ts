// Watches whether the nodes of one Cassandra cluster are up, with probes and with the nodes' reports about each other.
import type { ProbeResult } from '../../../foundation/cassandra/probe-node.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { AppendEvent, LevelName } from '../../events/event.js';
import { decideNodeState } from '../node-liveness.js';
import { type GossipEntry, GossipWatch, isCredible } from './gossip-watch.js';
import { type KnownNode, mergeSeenNodes, nodesOfSeeds, type SeenNode } from './known-nodes.js';
import type { NodeMemory } from './node-memory.js';

/** What the watch needs from outside. */
export interface NodeWatchParts {
  readonly clusterId: string;
  readonly seeds: readonly string[];
  readonly clock: Clock;
  readonly memory: NodeMemory;
  readonly appendEvent: AppendEvent;
  /** Whether the node at an address answers, within two seconds. Never rejects. */
  probe(address: string): Promise<ProbeResult>;
  /** The nodes that the driver knows; empty while there is no session. */
  hosts(): readonly Omit<SeenNode, 'token' | 'loadBytes'>[];
  /** The gossip table of a node; undefined when it does not answer. Never rejects. */
  readGossip(address: string): Promise<readonly GossipEntry[] | undefined>;
}

/** The interval between two rounds of probes, and the time limit of one probe. */
export const probeIntervalMs = 2_000;
/** How often gossip is read while every node answers; otherwise in every round. */
const gossipIntervalMs = 10_000;
const observersPerDc = 3;

/** The nodes of a cluster and their states. */
export class NodeWatch {
  readonly #parts: NodeWatchParts;
  readonly #gossip = new GossipWatch();
  /** The last entry of each node that an observer reported, by host id. */
  readonly #entries = new Map<string, GossipEntry>();
  readonly #probes = new Map<string, Probes>();
  readonly #knownBefore: ReadonlySet<string>;
  #round: Promise<void> | undefined;
  #gossipReading: Promise<void> | undefined;
  #roundAtMs = Number.NEGATIVE_INFINITY;
  #gossipAtMs = Number.NEGATIVE_INFINITY;
  #hasHeard = false;
  #isClosed = false;
  nodes: readonly KnownNode[];

  constructor(parts: NodeWatchParts) {
    this.#parts = parts;
    // Seeds that were never reached are replaced by those of the present configuration.
    const remembered = parts.memory.load().filter(({ hostId }) => hostId !== null);
    this.nodes = remembered.length > 0 ? remembered : nodesOfSeeds(parts.seeds);
    this.#knownBefore = new Set(remembered.map(({ address }) => address));
  }

  /** Whether the cluster has reported its nodes since the start. */
  get isLoaded(): boolean {
    return this.#hasHeard;
  }

  /** Whether the last probe of a node succeeded. */
  answers(address: string): boolean {
    const probes = this.#probes.get(address);
    return probes !== undefined && probes.failedInARow === 0;
  }

  /** The gossip entry of a node; undefined until there is one. */
  gossipOf(hostId: string | null): GossipEntry | undefined {
    return hostId === null ? undefined : this.#entries.get(hostId);
  }

  /** Starts a round if one is due. The server calls it every second. */
  tick(): void {
    const now = this.#parts.clock.monotonicMs();
    if (this.#round !== undefined || now - this.#roundAtMs < probeIntervalMs) return;
    this.#roundAtMs = now;
    this.#round = this.#runRound().finally(() => {
      this.#round = undefined;
    });
  }

  /** Resolves when no round is under way. */
  async settled(): Promise<void> {
    await this.#round;
    await this.#gossipReading;
  }

  /** Waits for the work under way, whose results are discarded: the data of the cluster may already be deleted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  async #runRound(): Promise<void> {
    this.#mergeHosts();
    await Promise.all(this.nodes.map((node) => this.#probe(node.address)));
    if (this.#isClosed) return;
    const now = this.#parts.clock.monotonicMs();
    const isSuspected = this.nodes.some(({ address, state }) => !this.answers(address) && state !== 'down');
    if (isSuspected || now - this.#gossipAtMs >= gossipIntervalMs) this.#beginGossip();
    else this.#decideStates();
  }

  /**
   * A node that answers probes may be too busy for queries: rounds continue meanwhile, and the earlier reports of the
   * other observers are used.
   */
  #beginGossip(): void {
    if (this.#gossipReading !== undefined) {
      this.#decideStates();
      return;
    }
    this.#gossipReading = this.#readGossip().finally(() => {
      this.#gossipReading = undefined;
      this.#decideStates();
    });
  }

  async #probe(address: string): Promise<void> {
    const result = await this.#parts.probe(address);
    const before = this.#probes.get(address) ?? { count: 0, failedInARow: 0, result: undefined };
    const failedInARow = result === undefined ? 0 : before.failedInARow + 1;
    this.#probes.set(address, { count: before.count + 1, failedInARow, result });
  }

  async #readGossip(): Promise<void> {
    this.#gossipAtMs = this.#parts.clock.monotonicMs();
    const { clock } = this.#parts;
    await Promise.all(
      this.#observers().map(async ({ address, hostId }) => {
        const entries = await this.#parts.readGossip(address);
        if (entries === undefined || hostId === null) return;
        const credible = entries.filter((entry) => isCredible(entry, clock.nowMs()));
        this.#gossip.observe(hostId, credible, clock.monotonicMs());
        this.#hasHeard = true;
        this.#takeEntries();
      }),
    );
  }

  /** A node that no observer has reported recently keeps its state. */
  #takeEntries(): void {
    const now = this.#parts.clock.monotonicMs();
    for (const { hostId } of this.nodes) {
      const entry = hostId === null ? undefined : this.#gossip.entryOf(hostId, now);
      if (entry !== undefined) this.#entries.set(entry.hostId, entry);
    }
  }

  #forgetAllBut(nodes: readonly KnownNode[]): void {
    const hostIds = new Set(nodes.map(({ hostId }) => hostId));
    for (const hostId of this.#entries.keys()) if (!hostIds.has(hostId)) this.#entries.delete(hostId);
    this.#gossip.forgetAllBut(hostIds);
    const addresses = new Set(nodes.map(({ address }) => address));
    for (const address of this.#probes.keys()) if (!addresses.has(address)) this.#probes.delete(address);
  }

  /** Returns at most three nodes of each data center that answer. They stay the same as long as they answer. */
  #observers(): readonly KnownNode[] {
    const perDc = new Map<string | null, number>();
    return [...this.nodes]
      .filter(({ address, hostId }) => hostId !== null && this.answers(address))
      .sort((left, right) => (String(left.hostId) < String(right.hostId) ? -1 : 1))
      .filter(({ dc }) => {
        const count = (perDc.get(dc) ?? 0) + 1;
        perDc.set(dc, count);
        return count <= observersPerDc;
      });
  }

  #mergeHosts(): void {
    const hosts = this.#parts.hosts();
    if (hosts.length === 0) return;
    const seen = hosts.map((host): SeenNode => {
      const entry = this.#entries.get(host.hostId);
      return { ...host, token: entry?.token ?? null, loadBytes: entry?.loadBytes ?? null };
    });
    const { nodes, news } = mergeSeenNodes(this.nodes, seen);
    this.nodes = nodes;
    this.#forgetAllBut(nodes);
    for (const { kind, address, message } of news) {
      this.#parts.appendEvent(this.#parts.clusterId, {
        action: kind,
        level: 'INFO',
        message,
        sourceNode: address,
      });
    }
    if (news.length > 0) this.#parts.memory.save(nodes);
  }

  #decideStates(): void {
    if (this.#isClosed) return;
    const nodes = this.nodes.map((node) => this.#decided(node));
    const hasChanged = nodes.some(({ state }, at) => state !== this.nodes[at]?.state);
    this.nodes = nodes;
    if (hasChanged) this.#parts.memory.save(nodes);
  }

  #decided(node: KnownNode): KnownNode {
    const { clock } = this.#parts;
    const probes = this.#probes.get(node.address);
    if (probes === undefined) return node;
    const { observers, alive, dead } = this.#gossip.seenBy(node.hostId ?? '', clock.monotonicMs());
    const state = decideNodeState(
      node.state,
      { ...probes, otherCount: observers, seenAliveBy: alive, seenDeadBy: dead },
      this.#knownBefore.has(node.address),
    );
    const lastSeenMs = probes.failedInARow === 0 ? clock.nowMs() : node.lastSeenMs;
    if (state === node.state) return { ...node, lastSeenMs };
    if (state === 'down') {
      const seenBy = observers === 0 ? '' : `; ${dead} of ${observers} other nodes see it dead`;
      this.#report('nodeDown', 'CRITICAL', node, `node ${node.address} is down: ${probes.result}${seenBy}`);
    } else if (node.state === 'down') {
      this.#report('nodeUp', 'INFO', node, `node ${node.address} is up`);
    }
    return { ...node, state, lastSeenMs, downSinceMs: state === 'down' ? clock.nowMs() : null };
  }

  #report(action: 'nodeDown' | 'nodeUp', level: LevelName, { address }: KnownNode, message: string): void {
    this.#parts.appendEvent(this.#parts.clusterId, { action, level, message, sourceNode: address });
  }
}

interface Probes {
  readonly count: number;
  readonly failedInARow: number;
  /** Why the last probe failed; undefined if it succeeded. */
  readonly result: ProbeResult;
}
