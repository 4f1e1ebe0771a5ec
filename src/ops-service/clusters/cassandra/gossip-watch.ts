// What the nodes of a Cassandra cluster see of each other, from what they say in their gossip tables.
import { isIP } from 'node:net';

/** What one node says of another, from `system_views.gossip_info`. */
export interface GossipEntry {
  readonly hostId: string;
  readonly address: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly release: string | null;
  /** Null where its address has no name. */
  readonly hostname: string | null;
  readonly generation: number;
  readonly heartbeat: number;
  /** The first word of the status, `NORMAL`, or null. */
  readonly status: string | null;
  /** Bytes of data as the node says them itself; null when it has not. */
  readonly loadBytes: number | null;
  /** The first of the node's tokens: it changes when the node moves. Null when the status does not say it. */
  readonly token: string | null;
}

/** How a node is seen by others. */
export interface SeenBy {
  /** The observers beside the node itself that have just answered. */
  readonly observers: number;
  /** Those that saw its heartbeat move recently. */
  readonly alive: number;
  /** Those to whom it has stood still for long, or said goodbye. Some may not know yet. */
  readonly dead: number;
}

/** A heartbeat that stands still for this long is that of a dead node. */
const silenceMs = 30_000;
/**
 * A heartbeat moves every second, and takes a few seconds to reach the last node: one that stands still for longer is
 * no proof of life any more.
 */
const beatingMs = 6_000;
/** What an observer said counts for this long; while a node is suspected they are asked every two seconds. */
const freshMs = 6_000;
/** How long what an observer said of the nodes stands in for what they say themselves: some rounds. */
const lastReadMs = 30_000;
/** A generation is the second of a start. Clocks differ, but not by more than this. */
const maxAheadSeconds = 86_400;
/** The heartbeat of a node that was stopped in order. */
const stoppedHeartbeat = 2_147_483_647;
const deadStatuses: readonly string[] = ['shutdown', 'left', 'removed'];

/** What a node is asked for its view of all nodes: the columns that are read, of some eighty. */
export const gossipQuery =
  'SELECT address, dc, generation, heartbeat, host_id, hostname, load, native_address_and_port, rack, ' +
  'release_version, rpc_address, status, status_with_port FROM system_views.gossip_info';

/** The row of `gossip_info` as an entry; undefined for a row without a host id, which a node has before it joins. */
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

/** Whether a node may have started when the entry says; `nowMs` is the time of the wall clock. */
export function isCredible({ generation }: GossipEntry, nowMs: number): boolean {
  return generation <= nowMs / 1000 + maxAheadSeconds;
}

/** Remembers the heartbeats that observers report, to find those that stand still. */
export class GossipWatch {
  readonly #observers = new Map<string, Observer>();

  /** What an observer said at a moment. */
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

  /** How a node is seen by those of the others that have just answered. */
  seenBy(hostId: string, monotonicMs: number): SeenBy {
    let [observers, alive, dead] = [0, 0, 0];
    for (const [observerHostId, { saidAtMs, peers }] of this.#observers) {
      if (observerHostId === hostId || monotonicMs - saidAtMs > freshMs) continue;
      observers += 1;
      const peer = peers.get(hostId);
      // An observer that does not know the node says nothing about it.
      if (peer === undefined) continue;
      if (isDead(peer, saidAtMs)) dead += 1;
      else if (saidAtMs - peer.beatAtMs < beatingMs) alive += 1;
    }
    return { observers, alive, dead };
  }

  /**
   * What is known of a node: what it says itself, else the newest that others say of it; undefined when nobody has said
   * anything of late. An observer that lies, or is cut off, speaks for nobody who was asked.
   */
  entryOf(hostId: string, monotonicMs: number): GossipEntry | undefined {
    let newest: GossipEntry | undefined;
    for (const [observerHostId, { saidAtMs, peers }] of this.#observers) {
      const entry = monotonicMs - saidAtMs > lastReadMs ? undefined : peers.get(hostId)?.entry;
      if (entry === undefined) continue;
      if (observerHostId === hostId) return entry;
      if (newest === undefined || isNewer(entry, newest)) newest = entry;
    }
    return newest;
  }

  /** Forgets the observers that have left. */
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
  /** When the heartbeat was first seen at its value. */
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
