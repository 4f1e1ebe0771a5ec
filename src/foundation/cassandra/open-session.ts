// Sessions with Cassandra clusters: the only file that imports cassandra-driver.
import driver from 'cassandra-driver';

/** How a cluster is reached. */
export interface SessionOptions {
  /** Addresses or host names, without ports. */
  readonly contactPoints: readonly string[];
  /** The CQL port of every node. */
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** How long a connection may take to be made, and how long a query may take. */
  readonly timeoutMs: number;
  /** Addresses that must not be connected to, although the cluster names them. Default: none. */
  readonly isDenied?: (address: string) => boolean;
}

/** A node as the cluster describes it. */
export interface SessionHost {
  readonly address: string;
  readonly port: number;
  /** Stays the same when the address changes. */
  readonly hostId: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly release: string | null;
}

/** A row by the names of its columns. Integers of 64 bits are `bigint`, absent values null. */
export type CassandraRow = Readonly<Record<string, unknown>>;

/** What a query gave, in the order of its columns; values are the driver's. */
export interface CassandraRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A session with one cluster, whether it answers or not. */
export interface CassandraSession {
  readonly isConnected: boolean;
  /** Tries to connect unless it is; undefined when connected, else why not. One attempt at a time; never rejects. */
  connect(): Promise<string | undefined>;
  /** The nodes that the cluster names; empty until it was connected once. */
  readonly hosts: readonly SessionHost[];
  /** Runs a query on this very node. @throws CassandraFailure */
  queryNode(address: string, cql: string): Promise<readonly CassandraRow[]>;
  /** Runs a query on any node that answers, at most `maxRows` rows of its result. @throws CassandraFailure */
  query(cql: string, maxRows: number): Promise<CassandraRows>;
  close(): Promise<void>;
}

/** A query that the cluster refused (`isRefused`: the query is at fault, in its words) or did not answer. */
export class CassandraFailure extends Error {
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean, cause: unknown) {
    super(message, { cause });
    this.name = 'CassandraFailure';
    this.isRefused = isRefused;
  }
}

/** Makes a session; nothing is connected yet. */
export function openSession(options: SessionOptions): CassandraSession {
  return new DriverSession(options);
}

const reconnectMs = 5000;

class DriverSession implements CassandraSession {
  readonly #options: SessionOptions;
  #client: driver.Client;
  #connecting: Promise<string | undefined> | undefined;
  #isClosed = false;
  isConnected = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#client = newClient(options);
  }

  connect(): Promise<string | undefined> {
    if (this.isConnected) return Promise.resolve(undefined);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<string | undefined> {
    try {
      await this.#client.connect();
      this.isConnected = true;
      return undefined;
    } catch (error) {
      // A client that failed to connect once never connects again.
      await this.#client.shutdown().catch(() => undefined);
      if (!this.#isClosed) this.#client = newClient(this.#options);
      return wordsOf(error);
    }
  }

  get hosts(): readonly SessionHost[] {
    if (!this.isConnected) return [];
    return this.#client.hosts.values().map((host) => ({
      ...splitAddress(host.address),
      hostId: String(host.hostId),
      dc: host.datacenter ?? null,
      rack: host.rack ?? null,
      release: host.cassandraVersion ?? null,
    }));
  }

  async queryNode(address: string, cql: string): Promise<readonly CassandraRow[]> {
    const host = this.#client.hosts.values().find((known) => splitAddress(known.address).address === address);
    if (host === undefined)
      throw new CassandraFailure(`the cluster knows no node ${address}`, false, undefined);
    const result = await translated(() => this.#client.execute(cql, [], { host, fetchSize: maxNodeRows }));
    return result.rows as unknown as readonly CassandraRow[]; // the driver's Row is a class with these members
  }

  async query(cql: string, maxRows: number): Promise<CassandraRows> {
    const result = await translated(() =>
      this.#client.execute(cql, [], { fetchSize: maxRows, autoPage: false }),
    );
    const columns = (result.columns ?? []).map(({ name, type }) => ({ name, type: typeText(type) }));
    return { columns, rows: (result.rows ?? []).map((row) => row.values()) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    await this.#client.shutdown();
  }
}

/** More than any of the node's own tables has. */
const maxNodeRows = 100_000;

function newClient(options: SessionOptions): driver.Client {
  const { username, password } = options;
  const client = new driver.Client({
    contactPoints: options.contactPoints.map((point) => (point.includes(':') ? `[${point}]` : point)),
    ...(username === undefined ? {} : { credentials: { username, password: password ?? '' } }),
    encoding: { useBigIntAsLong: true, useBigIntAsVarint: true },
    isMetadataSyncEnabled: false,
    policies: {
      addressResolution: new CheckedAddresses(options.isDenied ?? (() => false)),
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
  readonly #isDenied: (address: string) => boolean;

  constructor(isDenied: (address: string) => boolean) {
    super();
    this.#isDenied = isDenied;
  }

  override translate(address: string, port: number, callback: (endpoint: string) => void): void {
    callback(
      this.#isDenied(address) ? '192.0.2.1:1' : `${address.includes(':') ? `[${address}]` : address}:${port}`,
    );
  }
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new CassandraFailure(wordsOf(error), isRefusal(error), error);
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
    if (reasons.length > 0) return reasons.join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

function splitAddress(address: string): { readonly address: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at);
  return { address: host.replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/** What the driver tells of a column's type; its declarations lack it. */
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
