// What the nodes of a Cassandra cluster report about each other in their gossip tables.
import { isIP } from 'node:net';
import type { SeenNode } from './known-nodes.js';

/** The report of one node about another, from `system_views.gossip_info`. */
export interface GossipEntry extends SeenNode {
  /** Null if its address has no name. */
  readonly hostname: string | null;
  readonly generation: number;
  readonly heartbeat: number;
  /** The first word of the status, `NORMAL`, or null. */
  readonly status: string | null;
}

/** The state of a node as others see it. */
export interface SeenBy {
  /** The number of other nodes with a recent report. */
  readonly observers: number;
  /** The number of those that recently saw its heartbeat increase. */
  readonly alive: number;
  /**
   * The number of those that have not seen it increase for a long time, or saw the node leave. Some may not know yet.
   */
  readonly dead: number;
}

/** If a heartbeat does not increase for this time, its node counts as dead. */
const silenceMs = 30_000;
/**
 * A heartbeat increases every second, and reaches the last node within a few seconds: if it has not increased for
 * longer, it no longer proves that the node is up.
 */
const beatingMs = 6_000;
/**
 * How long the report of an observer is used; while a node is suspected to be down, observers are queried every two
 * seconds.
 */
const freshMs = 6_000;
/** How long the report of an observer is used if the node itself has not reported: some rounds. */
const usableMs = 30_000;
/** A generation is the time of a start in seconds. Clocks differ by less than this. */
const maxAheadSeconds = 86_400;
/** The heartbeat of a node that was shut down normally. */
const stoppedHeartbeat = 2_147_483_647;
const deadStatuses: readonly string[] = ['shutdown', 'left', 'removed'];

/** The query for a node's view of all nodes, with the columns that are used out of about eighty. */
export const gossipQuery =
  'SELECT address, dc, generation, heartbeat, host_id, hostname, load, native_address_and_port, rack, ' +
  'release_version, rpc_address, status, status_with_port FROM system_views.gossip_info';

/** The row of `gossip_info` as an entry; undefined for a row without a host id, which nodes have before they join. */
export function readGossipEntry(row: Readonly<Record<string, unknown>>): GossipEntry | undefined {
  const hostId = row['host_id'];
  if (hostId === null || hostId === undefined) return undefined;
  const status = row['status_with_port'] ?? row['status'] ?? null;
  const [word = null, token = null] = status === null ? [] : String(status).split(',');
  const load = Number(row['load'] ?? Number.NaN);
  const hostname = textOf(row['hostname']);
  return {
    hostId: String(hostId),
    address: addressOf(row['native_address_and_port']) ?? String(row['rpc_address'] ?? row['address']),
    dc: textOf(row['dc']),
    rack: textOf(row['rack']),
    release: textOf(row['release_version']),
    hostname: hostname === null || isIP(hostname) !== 0 ? null : hostname,
    generation: Number(row['generation'] ?? 0),
    heartbeat: Number(row['heartbeat'] ?? 0),
    status: word,
    loadBytes: Number.isFinite(load) ? load : null,
    token: word === 'NORMAL' ? token : null,
  };
}

/** Whether the start time in the entry is plausible; `nowMs` is the time of the wall clock. */
export function isCredible({ generation }: GossipEntry, nowMs: number): boolean {
  return generation <= nowMs / 1000 + maxAheadSeconds;
}

/** Stores the heartbeats that observers report, to find those that do not increase. */
export class GossipWatch {
  readonly #observers = new Map<string, Observer>();

  /** Processes the report of an observer at a moment. */
  observe(observerHostId: string, entries: readonly GossipEntry[], monotonicMs: number): void {
    const before = this.#observers.get(observerHostId)?.peers;
    const peers = new Map<string, Peer>();
    for (const entry of entries) {
      const known = before?.get(entry.hostId);
      const isSilent =
        known !== undefined &&
        known.entry.generation === entry.generation &&
        known.entry.heartbeat === entry.heartbeat;
      peers.set(entry.hostId, { entry, beatAtMs: isSilent ? known.beatAtMs : monotonicMs });
    }
    this.#observers.set(observerHostId, { saidAtMs: monotonicMs, peers });
  }

  /** The state of a node as seen by the other nodes with a recent report. */
  seenBy(hostId: string, monotonicMs: number): SeenBy {
    let [observers, alive, dead] = [0, 0, 0];
    for (const [observerHostId, { saidAtMs, peers }] of this.#observers) {
      if (observerHostId === hostId || monotonicMs - saidAtMs > freshMs) continue;
      observers += 1;
      const peer = peers.get(hostId);
      // An observer that does not know the node does not count.
      if (peer === undefined) continue;
      if (isDead(peer, saidAtMs)) dead += 1;
      else if (saidAtMs - peer.beatAtMs < beatingMs) alive += 1;
    }
    return { observers, alive, dead };
  }

  /**
   * The entry of a node: its own report, else the newest report of another; undefined if no node has reported it
   * recently. A node that was queried itself is described only by its own report.
   */
  entryOf(hostId: string, monotonicMs: number): GossipEntry | undefined {
    let newest: GossipEntry | undefined;
    for (const [observerHostId, { saidAtMs, peers }] of this.#observers) {
      const entry = monotonicMs - saidAtMs > usableMs ? undefined : peers.get(hostId)?.entry;
      if (entry === undefined) continue;
      if (observerHostId === hostId) return entry;
      if (newest === undefined || isNewer(entry, newest)) newest = entry;
    }
    return newest;
  }

  /** Removes observers that have left. */
  forgetAllBut(hostIds: ReadonlySet<string | null>): void {
    for (const hostId of this.#observers.keys()) if (!hostIds.has(hostId)) this.#observers.delete(hostId);
  }
}

interface Observer {
  readonly saidAtMs: number;
  readonly peers: ReadonlyMap<string, Peer>;
}

interface Peer {
  readonly entry: GossipEntry;
  /** When this value of the heartbeat was first seen. */
  readonly beatAtMs: number;
}

function isNewer(left: GossipEntry, right: GossipEntry): boolean {
  if (left.generation !== right.generation) return left.generation > right.generation;
  return left.heartbeat > right.heartbeat;
}

function isDead({ entry, beatAtMs }: Peer, saidAtMs: number): boolean {
  if (entry.heartbeat === stoppedHeartbeat) return true;
  if (entry.status !== null && deadStatuses.includes(entry.status.toLowerCase())) return true;
  return saidAtMs - beatAtMs >= silenceMs;
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** `10.0.0.1:9042` or `[::1]:9042` without the port. */
function addressOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const at = value.lastIndexOf(':');
  return at < 0 ? undefined : value.slice(0, at).replace(/^\[|\]$/g, '');
}
