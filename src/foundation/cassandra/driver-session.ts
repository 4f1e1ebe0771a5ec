// Sessions that watch a cluster, by Apache's driver.
import driver from 'cassandra-driver';
import type { AddressPolicy } from '../http/address-policy.js';
import { allowedAddresses } from '../http/checked-lookup.js';
import { toCassandraFailure, wordsOf } from './driver-failure.js';
import { executeText } from './driver-text.js';
import { readAllTimestamps } from './driver-timestamps.js';
import {
  CassandraFailure,
  type CassandraRow,
  type CassandraSession,
  type RowsPage,
  type SessionHost,
  type SessionOptions,
} from './session.js';

const reconnectMs = 5000;

interface Connection {
  readonly client: driver.Client;
  /** Queries that are under way. */
  readonly running: Set<Promise<unknown>>;
}

/** A session. Its first connection is made on request; the driver then reconnects by itself. */
export class DriverSession implements CassandraSession {
  readonly #options: SessionOptions;
  #connection: Connection | undefined;
  /** Clients that were replaced while queries were under way. */
  readonly #replaced = new Set<driver.Client>();
  #connecting: Promise<string | undefined> | undefined;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  connect(): Promise<string | undefined> {
    return this.isConnected ? Promise.resolve(undefined) : this.reconnect();
  }

  /**
   * Looks up the names of the contact points again. A client of the driver reconnects only to the addresses that it got
   * at first.
   */
  reconnect(): Promise<string | undefined> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** A client that failed to connect once never connects again, so each attempt uses a new one. */
  async #connect(): Promise<string | undefined> {
    let client: driver.Client | undefined;
    try {
      client = newClient(this.#options, await contactAddresses(this.#options));
      await client.connect();
    } catch (error) {
      await client?.shutdown().catch(() => undefined); // what failed to open may fail to close
      return wordsOf(error);
    }
    if (this.#isClosed) {
      await client.shutdown().catch(() => undefined); // it may fail to close
      return 'the session is closed';
    }
    if (this.#connection !== undefined) void this.#part(this.#connection);
    this.#connection = { client, running: new Set() };
    return undefined;
  }

  /** Closes a replaced client when its queries have ended. Each query has a time limit. */
  async #part({ client, running }: Connection): Promise<void> {
    this.#replaced.add(client);
    await Promise.allSettled(running);
    await client.shutdown().catch(() => undefined); // its nodes may not answer any more
    this.#replaced.delete(client);
  }

  get hosts(): readonly SessionHost[] {
    return (this.#connection?.client.hosts.values() ?? []).flatMap((host) => {
      const hostId: unknown = host.hostId; // its declared type is never null
      if (hostId === null || hostId === undefined) return [];
      return [
        {
          ...splitAddress(host.address),
          hostId: String(hostId),
          dc: host.datacenter ?? null,
          rack: host.rack ?? null,
          release: host.cassandraVersion ?? null,
        },
      ];
    });
  }

  async queryNode(address: string, cql: string): Promise<readonly CassandraRow[]> {
    const { client, running } = this.#connected();
    const host = hostAt(client, address, this.#options.port);
    if (host === undefined) throw new CassandraFailure('unreachable', `the cluster has no node ${address}`);
    // Few queries are repeated: a node parses a prepared query only once.
    const options = { host, prepare: true, fetchSize: maxNodeRows };
    const result = await counted(running, client.execute(cql, [], options));
    return result.rows; // the driver's Row is a class with these members
  }

  async query(cql: string, pageRows: number, page: string | null = null): Promise<RowsPage> {
    const { client, running } = this.#connected();
    const options = page === null ? {} : { pageState: page };
    return counted(running, executeText(client, cql, { fetchSize: pageRows, ...options }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    for (const client of this.#replaced) await client.shutdown().catch(() => undefined);
    await this.#connection?.client.shutdown();
  }

  #connected(): Connection {
    if (this.#connection === undefined)
      throw new CassandraFailure('unreachable', 'no node of the cluster answers');
    return this.#connection;
  }
}

/** The driver names hosts by address and port; ports may differ where the cluster says so. */
function hostAt(client: driver.Client, address: string, port: number): driver.Host | undefined {
  return (
    client.hosts.get(`${address}:${port}`) ??
    client.hosts.values().find((known) => splitAddress(known.address).address === address)
  );
}

/** More than any of the node's own tables has. */
const maxNodeRows = 100_000;

/** The addresses of the contact points that may be connected to. */
async function contactAddresses({
  contactPoints,
  policy = allowAll,
}: SessionOptions): Promise<readonly string[]> {
  const found = await Promise.allSettled(contactPoints.map((point) => allowedAddresses(policy, point)));
  const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return addresses;
  throw new Error(
    found.flatMap((result) => (result.status === 'rejected' ? [wordsOf(result.reason)] : [])).join('; '),
  );
}

const allowAll: AddressPolicy = () => undefined;

function newClient(options: SessionOptions, addresses: readonly string[]): driver.Client {
  const { username, password } = options;
  readAllTimestamps();
  const client = new driver.Client({
    contactPoints: addresses.map((address) => (address.includes(':') ? `[${address}]` : address)),
    ...(username === undefined ? {} : { credentials: { username, password: password ?? '' } }),
    encoding: { useBigIntAsLong: true },
    isMetadataSyncEnabled: false,
    prepareOnAllHosts: false, // each node prepares a query at its first execution, also a node that was down before
    rePrepareOnUp: false,
    policies: {
      addressResolution: new CheckedAddresses(options.policy ?? allowAll),
      loadBalancing: new EveryNode(),
      reconnection: new driver.policies.reconnection.ConstantReconnectionPolicy(reconnectMs),
      retry: new driver.policies.retry.FallthroughRetryPolicy(),
    },
    pooling: { coreConnectionsPerHost: { [driver.types.distance.local]: 1 }, warmup: false },
    protocolOptions: { port: options.port },
    socketOptions: { connectTimeout: options.timeoutMs, readTimeout: options.timeoutMs },
  });
  // The driver logs nodes that come and go; our probes decide whether a node is up.
  client.on('log', () => undefined);
  return client;
}

/** Queries go to every node of every data center: the driver sends no query to a node that its policy ignores. */
class EveryNode extends driver.policies.loadBalancing.RoundRobinPolicy {
  override getDistance(): driver.types.distance {
    return driver.types.distance.local;
  }
}

/**
 * Replaces denied addresses by one that is reserved for documentation and never answers. The driver requires a subclass
 * of its translator. Its declarations do not include that class, only subclasses: this extends one of them.
 */
class CheckedAddresses extends driver.policies.addressResolution.EC2MultiRegionTranslator {
  readonly #policy: AddressPolicy;

  constructor(policy: AddressPolicy) {
    super();
    this.#policy = policy;
  }

  override translate(address: string, port: number, callback: (endpoint: string) => void): void {
    const host = address.includes(':') ? `[${address}]` : address;
    callback(this.#policy(address) === undefined ? `${host}:${port}` : '192.0.2.1:1');
  }
}

/** @throws CassandraFailure */
async function counted<Result>(running: Set<Promise<unknown>>, query: Promise<Result>): Promise<Result> {
  running.add(query);
  try {
    return await query;
  } catch (error) {
    throw toCassandraFailure(error);
  } finally {
    running.delete(query);
  }
}

function splitAddress(address: string): { readonly address: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at);
  return { address: host.replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}
