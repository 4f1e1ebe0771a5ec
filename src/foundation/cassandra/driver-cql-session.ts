// Data sessions by Apache's driver, which only the files driver-*.ts of this folder import.
import { isIP } from 'node:net';
import driver from 'cassandra-driver';
import { NotBegun, WorkQueue } from '../limits/work-queue.js';
import { waitAtMost } from '../wait-at-most.js';
import type {
  CqlNode,
  CqlPage,
  CqlSession,
  CqlSessionOptions,
  CqlStatement,
  CqlTls,
  TextPage,
} from './cql-session.js';
import { toCassandraFailure } from './driver-failure.js';
import { LocalNodes, noNode, OneOtherNode, SecondNode } from './driver-policies.js';
import { bytesOf, execute, leastBytes, ReplySizes } from './driver-statement.js';
import { executeText } from './driver-text.js';
import { readAllTimestamps } from './driver-timestamps.js';
import { MapEntries } from './map-entries.js';
import { haveOneSchema, readSchemaVersion, untilOneSchema } from './schema-agreement.js';
import { SendTurns } from './send-turns.js';
import { CassandraFailure, type RowsPage } from './session.js';
import { type StatementCourse, withinTime } from './within-time.js';

/** Bytes of the statements that are on their way to nodes at the same time, and of those that wait for their turn. */
const mostBytesUnderWay = 64 * 1024 * 1024;
const mostBytesWaiting = 64 * 1024 * 1024;
const mostWaiting = 16_384;
const mostUnderWay = mostBytesUnderWay / leastBytes;
/** Until a second node is asked too, while no more statements are under way. */
const secondNodeMs = 2_000;
const mostForSecondNode = 256;
/** Texts of prepared statements; one more replaces the oldest. */
const mostPrepared = 2_000;
/** Until the next attempt to connect, and to nodes that are down. */
const reconnectMs = 1_000;
/** Idle connections are checked so often: one to a node that hangs gets no events. */
const heartbeatMs = 5_000;
/** A change of the schema, without the agreement of the nodes; dropping large tables takes seconds. */
const schemaChangeTimeoutMs = 60_000;
/** Until all nodes that answer have it. */
const agreementMs = 10_000;
/** How long a close waits for statements under way, and then for nodes that do not close their connections. */
const closeTimeoutMs = { statements: 3_000, connections: 1_000 };

/** A session that connects at once, and again until it is closed. */
export class DriverCqlSession implements CqlSession {
  readonly #options: CqlSessionOptions;
  readonly #credentials: NotedCredentials | undefined;
  readonly #schemaListeners: ((keyspace: string | undefined) => void)[] = [];
  readonly #problemListeners: ((problem: string | undefined) => void)[] = [];
  readonly #queue = new WorkQueue({
    places: mostBytesUnderWay,
    mostWaiting,
    mostWaitingWeight: mostBytesWaiting,
  });
  readonly #turns = new SendTurns();
  /** Set while a node of the data center is connected. */
  #client: driver.Client | undefined;
  /** The attempt that is under way: statements wait for the first one. */
  #attempt: Promise<void> | undefined;
  #nextAttempt: NodeJS.Timeout | undefined;
  #failure: CassandraFailure | undefined;
  #isClosed = false;

  constructor(options: CqlSessionOptions) {
    this.#options = options;
    const { username, password = '' } = options;
    this.#credentials = username === undefined ? undefined : new NotedCredentials(username, password);
    this.#connect();
  }

  get isUserChecked(): boolean {
    return this.#credentials?.isAccepted ?? false;
  }

  async connected(): Promise<void> {
    await this.#attempt;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** `more`: options of the driver, by which one node is asked. */
  run(statement: CqlStatement, page: string | null = null, more: driver.QueryOptions = {}): Promise<CqlPage> {
    const { timeoutMs = this.#options.timeoutMs } = statement;
    const options = page === null ? more : { ...more, pageState: page };
    const send = (client: driver.Client) => execute(client, statement, timeoutMs, options);
    return withinTime(timeoutMs, (course) => this.#inTurn(bytesOf(statement), send, course));
  }

  async nodes(): Promise<readonly HostNode[]> {
    const hosts = await this.#hosts();
    return hosts.map((host) => this.#nodeOf(host));
  }

  async firstNode(): Promise<CqlNode> {
    let failure: unknown;
    for (const node of await this.nodes()) {
      try {
        await readSchemaVersion(node);
        return node;
      } catch (error) {
        failure = error; // the next one may answer
      }
    }
    throw failure;
  }

  async runText(cql: string, { pageRows, page, timeoutMs }: TextPage): Promise<RowsPage> {
    const options = { fetchSize: pageRows, readTimeout: timeoutMs, isIdempotent: false };
    const paged = page === null ? options : { ...options, pageState: page };
    const send = (client: driver.Client) => executeText(client, cql, paged);
    return withinTime(timeoutMs, (course) => this.#inTurn(cql.length, send, course));
  }

  async changeSchema(cql: string, timeoutMs = schemaChangeTimeoutMs): Promise<void> {
    const client = await this.#connected();
    // A node that was paused would make a table again that it does not know yet.
    const [first] = (await untilOneSchema(() => this.nodes(), agreementMs)) ?? [];
    if (first === undefined)
      throw new CassandraFailure('unavailable', 'the nodes have different schemas; nothing was changed');
    await executeText(client, cql, { isIdempotent: false, readTimeout: timeoutMs, host: first.host });
    const agreed = await untilOneSchema(() => this.nodes(), agreementMs).catch(unlessFailed);
    if (agreed === undefined)
      throw new CassandraFailure('noAgreement', 'the change was made, but some nodes do not have it yet');
  }

  async isInAgreement(): Promise<boolean> {
    return haveOneSchema(await this.nodes());
  }

  onSchemaChange(listener: (keyspace: string | undefined) => void): void {
    this.#schemaListeners.push(listener);
  }

  onProblem(listener: (problem: string | undefined) => void): void {
    this.#problemListeners.push(listener);
    if (this.#failure !== undefined) listener(this.#failure.message);
  }

  /** Statements under way end first, as far as nodes answer in time. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#nextAttempt);
    this.#queue.close();
    await waitAtMost(closeTimeoutMs.statements, Promise.all([this.#attempt, this.#queue.idle()]));
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await waitAtMost(closeTimeoutMs.connections, endClient(client));
  }

  /** In the order of their ids. */
  async #hosts(): Promise<readonly driver.Host[]> {
    const hosts = [...this.#localHosts(await this.#connected())];
    if (hosts.length === 0) throw new CassandraFailure('unreachable', noNode);
    return hosts.sort((left, right) => (String(left.hostId) < String(right.hostId) ? -1 : 1));
  }

  #nodeOf(host: driver.Host): HostNode {
    return {
      host,
      run: (statement, page) => this.run(statement, page, { host }),
    };
  }

  /** Runs work that may have to wait until other statements have ended. @throws CassandraFailure */
  async #inTurn<Result>(
    bytes: number,
    work: (client: driver.Client) => Promise<Result>,
    course: StatementCourse,
  ): Promise<Result> {
    const client = this.#client ?? (await this.#connected());
    if (this.#isClosed) throw new CassandraFailure('unreachable', closed);
    course.check();
    course.step = 'turn';
    const send = async () => {
      await this.#turns.next();
      course.check();
      course.step = 'nodes';
      return work(client);
    };
    try {
      const weight = Math.min(Math.max(leastBytes, bytes), mostBytesUnderWay);
      return await this.#queue.run(weight, send, course.whenOver);
    } catch (error) {
      if (error instanceof NotBegun) throw new CassandraFailure('overloaded', error.message, error);
      throw error;
    }
  }

  /** The client once it has connected. @throws CassandraFailure where the first attempt, or the last one, failed */
  async #connected(): Promise<driver.Client> {
    if (this.#failure === undefined) await this.#attempt;
    if (this.#isClosed) throw new CassandraFailure('unreachable', closed);
    if (this.#client === undefined)
      throw new CassandraFailure('unreachable', this.#failure?.message ?? noNode);
    return this.#client;
  }

  /** Attempts to connect, again and again. */
  #connect(): void {
    this.#attempt = this.#tryToConnect().finally(() => {
      this.#attempt = undefined;
      if (this.#client === undefined) this.#connectLater();
    });
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    this.#nextAttempt = setTimeout(() => this.#connect(), reconnectMs).unref();
  }

  /** A client that failed to connect never connects again: each attempt takes a new one. Never rejects. */
  async #tryToConnect(): Promise<void> {
    const client = newClient(this.#options, this.#credentials, () => this.#queue.count > mostForSecondNode);
    try {
      this.#listen(client);
      await client.connect();
      refuseUnknownDataCenter(client, this.#options.localDataCenter);
      if (this.#localHosts(client).length === 0) throw new CassandraFailure('unreachable', noNode);
    } catch (error) {
      void endClient(client);
      this.#note(toCassandraFailure(error));
      return;
    }
    if (this.#isClosed) return endClient(client);
    this.#client = client;
    this.#note(undefined);
    this.#announce(undefined);
  }

  /** All nodes may have other addresses when they are back, which a new client finds by the contact points. */
  #replace(client: driver.Client): void {
    this.#client = undefined;
    void endClient(client);
    this.#note(new CassandraFailure('unreachable', noNode));
    this.#connectLater();
  }

  #listen(client: driver.Client): void {
    client.on('hostDown', () => {
      if (client === this.#client && this.#localHosts(client).length === 0) this.#replace(client);
    });
    client.on('hostRemove', closeConnections);
    // The driver shows changes of the schema, and that it may have missed some, only in its log.
    client.on('log', (_level: string, source: string, message: string, event: unknown) => {
      if (source !== 'ControlConnection') return;
      if (message === 'Schema change') this.#announce(keyspaceOf(event));
      else if (message.endsWith('and up to date')) this.#announce(undefined);
    });
  }

  /** The nodes of the data center that are up. */
  #localHosts(client: driver.Client): readonly driver.Host[] {
    const { localDataCenter } = this.#options;
    return client.hosts.values().filter((host) => host.datacenter === localDataCenter && host.isUp());
  }

  #note(failure: CassandraFailure | undefined): void {
    if (failure?.message === this.#failure?.message) return;
    this.#failure = failure;
    for (const listener of this.#problemListeners) listener(failure?.message);
  }

  #announce(keyspace: string | undefined): void {
    for (const listener of this.#schemaListeners) listener(keyspace);
  }
}

/** A node with the driver's object of it. */
interface HostNode extends CqlNode {
  readonly host: driver.Host;
}

const closed = 'the session is closed';

/** It is not known then whether the nodes have the change. */
function unlessFailed(error: unknown): undefined {
  if (!(error instanceof CassandraFailure)) throw error;
}

/** Notes whether a node accepted them: where nodes let everyone in, they prove nothing. */
class NotedCredentials extends driver.auth.PlainTextAuthProvider {
  isAccepted = false;

  override newAuthenticator(endpoint: string, name: string): driver.auth.Authenticator {
    const authenticator = super.newAuthenticator(endpoint, name);
    authenticator.onAuthenticationSuccess = () => {
      this.isAccepted = true;
    };
    return authenticator;
  }
}

function newClient(
  { contactPoints, port, localDataCenter, timeoutMs, tls }: CqlSessionOptions,
  credentials: NotedCredentials | undefined,
  isBusy: () => boolean,
): driver.Client {
  const { reconnection } = driver.policies;
  readAllTimestamps();
  return new driver.Client({
    // The driver takes an address in brackets for a name, unless a port is behind it.
    contactPoints: contactPoints.map((point) => (isIP(point) === 6 ? `[${point}]:${port}` : point)),
    ...(credentials === undefined ? {} : { authProvider: credentials }),
    ...(tls === undefined ? {} : { sslOptions: connectionOptions(tls) }),
    encoding: { useBigIntAsLong: true, map: MapEntries },
    maxPrepared: mostPrepared,
    prepareOnAllHosts: false, // each prepares what it is asked when it is asked
    rePrepareOnUp: false,
    policies: {
      loadBalancing: new LocalNodes(localDataCenter),
      reconnection: new reconnection.ConstantReconnectionPolicy(reconnectMs),
      retry: new OneOtherNode(),
      speculativeExecution: new SecondNode(secondNodeMs, isBusy),
    },
    pooling: {
      // A large reply delays only the statements of its own connection.
      coreConnectionsPerHost: { [driver.types.distance.local]: 2 },
      maxRequestsPerConnection: mostUnderWay,
      heartBeatInterval: heartbeatMs,
    },
    // The driver would wait for all nodes that another node remembers, also for those that are down.
    protocolOptions: { port, maxSchemaAgreementWaitSeconds: 0 },
    socketOptions: { connectTimeout: timeoutMs, readTimeout: timeoutMs },
    requestTracker: new ReplySizes({}),
  });
}

/**
 * After no node could be reached, the driver makes a new host for the first one that can be, and forgets the former:
 * its connections would stay open, and its timer would keep the process running.
 */
function closeConnections(host: driver.Host): void {
  // Its declaration lacks the member, which closes connections that are open and makes no more.
  const { shutdown } = host as driver.Host & { shutdown?: () => Promise<void> };
  void shutdown?.call(host).catch(() => undefined); // the node may not answer
}

function refuseUnknownDataCenter(client: driver.Client, localDataCenter: string): void {
  const known = [...new Set(client.hosts.values().map(({ datacenter }) => datacenter))];
  if (known.includes(localDataCenter)) return;
  throw new Error(`the cluster has no data center ${localDataCenter}; it has ${known.join(', ')}`);
}

/** The driver would otherwise accept every certificate. */
function connectionOptions({ authorities, certificate, key, checksHosts }: CqlTls) {
  return {
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(checksHosts ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** Ends a client with everything that it opened. Never rejects. */
async function endClient(client: driver.Client): Promise<void> {
  await client.shutdown().catch(() => undefined); // its nodes may not answer any more
  // A client that failed behind its first connection leaves that one open. The declarations lack these members.
  const { controlConnection } = client as driver.Client & {
    readonly controlConnection: { readonly connection: { close(): void } | null };
  };
  controlConnection.connection?.close();
}

function keyspaceOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('keyspace' in event)) return undefined;
  return typeof event.keyspace === 'string' ? event.keyspace : undefined;
}
