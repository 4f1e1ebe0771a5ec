// Sessions by Apache's driver: the only file that imports cassandra-driver.
import driver from 'cassandra-driver';
import type { AddressPolicy } from '../http/address-policy.js';
import { allowedAddresses } from '../http/checked-lookup.js';
import {
  CassandraFailure,
  type CassandraRow,
  type CassandraRows,
  type CassandraSession,
  type SessionHost,
  type SessionOptions,
} from './session.js';

const reconnectMs = 5000;

interface Connection {
  readonly client: driver.Client;
  /** Queries that are under way. */
  readonly running: Set<Promise<unknown>>;
}

/** A session that connects on request, and from then on by itself. */
export class DriverSession implements CassandraSession {
  readonly #options: SessionOptions;
  #connection: Connection | undefined;
  /** Those that another one has replaced while queries were under way. */
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

  /** A client goes back to the addresses that it was given, never to the names: those are looked up here. */
  reconnect(): Promise<string | undefined> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** A client that failed to connect once never connects again: each attempt takes a new one. */
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
      await client.shutdown().catch(() => undefined); // as when it is parted from
      return 'the session is closed';
    }
    if (this.#connection !== undefined) void this.#part(this.#connection);
    this.#connection = { client, running: new Set() };
    return undefined;
  }

  /** Waits for what is under way: each query has its time limit. */
  async #part({ client, running }: Connection): Promise<void> {
    this.#replaced.add(client);
    await Promise.allSettled(running);
    await client.shutdown().catch(() => undefined); // its nodes may not answer any more
    this.#replaced.delete(client);
  }

  get hosts(): readonly SessionHost[] {
    return (this.#connection?.client.hosts.values() ?? []).flatMap((host) => {
      const hostId: unknown = host.hostId; // its declaration says that it is always there
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
    const connection = this.#connected();
    const host = hostAt(connection.client, address, this.#options.port);
    if (host === undefined)
      throw new CassandraFailure(`the cluster has no node ${address}`, false, undefined);
    // The same few queries come again and again: a node that has them prepared is spared reading their text.
    const options = { host, prepare: true, fetchSize: maxNodeRows };
    const result = await run(connection, cql, options);
    return result.rows as unknown as readonly CassandraRow[]; // the driver's Row is a class with these members
  }

  async query(cql: string, maxRows: number): Promise<CassandraRows> {
    const result = await run(this.#connected(), cql, { fetchSize: maxRows, autoPage: false });
    if (result.pageState !== null && result.pageState !== undefined) {
      throw new CassandraFailure(`there are more than ${maxRows} rows; request fewer with LIMIT`, true);
    }
    const columns = (result.columns ?? []).map(({ name, type }) => ({ name, type: typeText(type) }));
    return { columns, rows: (result.rows ?? []).map((row) => row.values()) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    for (const client of this.#replaced) await client.shutdown().catch(() => undefined);
    await this.#connection?.client.shutdown();
  }

  #connected(): Connection {
    if (this.#connection === undefined) throw new CassandraFailure('no node of the cluster answers', false);
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
  const client = new driver.Client({
    contactPoints: addresses.map((address) => (address.includes(':') ? `[${address}]` : address)),
    ...(username === undefined ? {} : { credentials: { username, password: password ?? '' } }),
    encoding: { useBigIntAsLong: true, useBigIntAsVarint: true },
    isMetadataSyncEnabled: false,
    prepareOnAllHosts: false, // each prepares what it is asked when it is asked, also one that was away
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
  // The driver reports what it does about hosts that come and go; whether a node lives is decided by our probes.
  client.on('log', () => undefined);
  return client;
}

/** Every node of every data center is asked: a driver pins no query to a node that its policy ignores. */
class EveryNode extends driver.policies.loadBalancing.RoundRobinPolicy {
  override getDistance(): driver.types.distance {
    return driver.types.distance.local;
  }
}

/**
 * Leads connections to denied addresses nowhere: to an address that is kept free for documents. The driver wants a
 * descendant of its translator, whose class its declarations do not show: of its descendants one is shown.
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

async function run(
  { client, running }: Connection,
  cql: string,
  options: driver.QueryOptions,
): Promise<driver.types.ResultSet> {
  const query = client.execute(cql, [], options);
  running.add(query);
  try {
    return await query;
  } catch (error) {
    throw new CassandraFailure(wordsOf(error), isRefusal(error), error);
  } finally {
    running.delete(query);
  }
}

/** Protocol error codes of queries that are themselves at fault: syntax, rights, invalid, configuration, exists. */
const refusalCodes: readonly number[] = [0x2000, 0x2100, 0x2200, 0x2300, 0x2400];

function isRefusal(error: unknown): boolean {
  return error instanceof driver.errors.ResponseError && refusalCodes.includes(error.code);
}

/** What went wrong in words; where no host answered, what the hosts said. */
function wordsOf(error: unknown): string {
  if (error instanceof driver.errors.NoHostAvailableError) {
    const reasons = Object.entries(error.innerErrors ?? {}).map(
      ([host, inner]) => `${host}: ${wordsOf(inner)}`,
    );
    if (reasons.length > 0) return reasons.sort().join('; '); // hosts are tried in changing order
  }
  return error instanceof Error ? error.message : String(error);
}

function splitAddress(address: string): { readonly address: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at);
  return { address: host.replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/** What the driver knows of a column's type; its declarations lack it. */
interface DriverType {
  readonly code: driver.types.dataTypes;
  readonly info?: unknown;
}

/** The CQL name of a type of the driver: `map<text, int>`. */
function typeText({ code, info }: DriverType): string {
  const { dataTypes } = driver.types;
  if (code === dataTypes.udt) return nameOf(info);
  const name =
    code === dataTypes.varchar
      ? 'text'
      : (Object.entries(dataTypes).find(([, value]) => value === code)?.[0] ?? 'custom');
  const parts = (Array.isArray(info) ? info : [info]).filter(isDriverType);
  return parts.length === 0 ? name : `${name}<${parts.map(typeText).join(', ')}>`;
}

function isDriverType(value: unknown): value is DriverType {
  return typeof value === 'object' && value !== null && 'code' in value;
}

function nameOf(info: unknown): string {
  return typeof info === 'object' && info !== null && 'name' in info ? String(info.name) : 'udt';
}
