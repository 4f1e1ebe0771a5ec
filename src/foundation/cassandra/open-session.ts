// Sessions that watch a cluster, by Apache's driver, which is loaded at the first connection.
import type driver from 'cassandra-driver';
import type { AddressPolicy } from '../http/address-policy.js';
import { allowedAddresses } from '../http/checked-lookup.js';
import { toCassandraFailure, wordsOf } from './driver-failure.js';
import type { executeText } from './driver-text.js';
import {
  CassandraFailure,
  type CassandraRow,
  type CassandraSession,
  type RowsPage,
  type SessionHost,
  type SessionOptions,
} from './session.js';

interface Connection {
  readonly client: driver.Client;
  /** Queries that are under way. */
  readonly running: Set<Promise<unknown>>;
  readonly executeText: typeof executeText;
}

/** Makes a session; nothing is connected yet. */
export function openSession(options: SessionOptions): CassandraSession {
  return new DriverSession(options);
}

const closed = 'the session is closed';

/** A session. Its first connection is made on request; the driver then reconnects by itself. */
class DriverSession implements CassandraSession {
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

  async connect(): Promise<string | undefined> {
    if (this.#isClosed) return closed;
    return this.isConnected ? undefined : this.reconnect();
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
    const [{ newClient }, { executeText }] = await Promise.all([
      import('./driver-client.js'),
      import('./driver-text.js'),
    ]);
    if (this.#isClosed) return closed;
    let client: driver.Client | undefined;
    try {
      const { policy = allowAll } = this.#options;
      client = newClient(this.#options, policy, await contactAddresses(this.#options.contactPoints, policy));
      await client.connect();
    } catch (error) {
      await client?.shutdown().catch(() => undefined); // what failed to open may fail to close
      return wordsOf(error);
    }
    if (this.#isClosed) {
      await client.shutdown().catch(() => undefined); // it may fail to close
      return closed;
    }
    if (this.#connection !== undefined) void this.#part(this.#connection);
    this.#connection = { client, running: new Set(), executeText };
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
    const { client, running, executeText } = this.#connected();
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
async function contactAddresses(
  contactPoints: readonly string[],
  policy: AddressPolicy,
): Promise<readonly string[]> {
  const found = await Promise.allSettled(contactPoints.map((point) => allowedAddresses(policy, point)));
  const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return addresses;
  throw new Error(
    found.flatMap((result) => (result.status === 'rejected' ? [wordsOf(result.reason)] : [])).join('; '),
  );
}

const allowAll: AddressPolicy = () => undefined;

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
