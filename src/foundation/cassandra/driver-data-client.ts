// Clients of Apache's driver for data sessions: their options, the nodes they pass by, and how they end.
import { isIP } from 'node:net';
import driver from 'cassandra-driver';
import type { CqlSessionOptions, CqlTls } from './cql-session.js';
import { isOfLeavingNode } from './driver-failure.js';
import { FurtherNodes, LocalNodes, OneOtherNode } from './driver-policies.js';
import { readAllTimestamps } from './driver-timestamps.js';
import { MapEntries } from './map-entries.js';
import { type NodeState, PassedNodes } from './passed-nodes.js';
import { SecondRequests } from './second-requests.js';

/** Texts of prepared statements; one more replaces the oldest. */
const mostPrepared = 2_000;
/** Idle connections are checked so often: one to a node that hangs gets no events. */
const heartbeatMs = 5_000;
/** The time of a node to say that it works. */
const workingMs = 500;

/** What clients are made with. */
export interface DataClientOptions extends CqlSessionOptions {
  readonly authProvider: driver.auth.AuthProvider | undefined;
  /** Until the next attempt to connect to a node that is down. */
  readonly reconnectMs: number;
  /** Statements of a connection that are under way at the same time. */
  readonly mostUnderWay: number;
}

/** A client that does not connect by itself, with what it has seen of its nodes. */
export class DataClient extends driver.Client {
  readonly passed: PassedNodes<driver.Host>;
  readonly seconds: SecondRequests;

  constructor(options: DataClientOptions) {
    const passed = new PassedNodes<driver.Host>((host) => this.#stateOf(host));
    const seconds = new SecondRequests();
    super(driverOptions(options, passed, seconds));
    this.passed = passed;
    this.seconds = seconds;
    this.on('hostRemove', closeConnections);
  }

  /** Ends it with everything that it opened. Never rejects. */
  async end(): Promise<void> {
    this.passed.close();
    await this.shutdown().catch(() => undefined); // its nodes may not answer any more
    // A client that failed behind its first connection leaves that one open. The declarations lack these members.
    const { controlConnection } = this as driver.Client as driver.Client & {
      readonly controlConnection: { readonly connection: { close(): void } | null };
    };
    controlConnection.connection?.close();
  }

  async #stateOf(host: driver.Host): Promise<NodeState> {
    const consistency = driver.types.consistencies.localOne;
    const options = { host, prepare: false, isIdempotent: false, readTimeout: workingMs, consistency };
    try {
      await this.execute('SELECT key FROM system.local', [], options);
      return 'works';
    } catch (error) {
      // The driver connects to such a node again by itself, and asks it nothing before.
      if (!host.isUp() || !this.hosts.values().includes(host)) return 'gone';
      if (!(error instanceof Error)) return 'refuses';
      if (error.name === 'OperationTimedOutError') return 'silent';
      // A node that refuses this question alone works.
      return error.name === 'ResponseError' && !isOfLeavingNode(error) ? 'works' : 'refuses';
    }
  }
}

function driverOptions(
  options: DataClientOptions,
  passed: PassedNodes<driver.Host>,
  seconds: SecondRequests,
): driver.DseClientOptions {
  const { contactPoints, port, localDataCenter, timeoutMs, tls, authProvider } = options;
  const { reconnectMs, mostUnderWay } = options;
  const { reconnection } = driver.policies;
  readAllTimestamps();
  return {
    // The driver takes an address in brackets for a name, unless a port is behind it.
    contactPoints: contactPoints.map((point) => (isIP(point) === 6 ? `[${point}]:${port}` : point)),
    ...(authProvider === undefined ? {} : { authProvider }),
    ...(tls === undefined ? {} : { sslOptions: connectionOptions(tls) }),
    encoding: { useBigIntAsLong: true, map: MapEntries },
    maxPrepared: mostPrepared,
    prepareOnAllHosts: false, // each prepares what it is asked when it is asked
    rePrepareOnUp: false,
    policies: {
      loadBalancing: new LocalNodes(localDataCenter, passed, seconds),
      reconnection: new reconnection.ConstantReconnectionPolicy(reconnectMs),
      retry: new OneOtherNode(seconds),
      speculativeExecution: new FurtherNodes(seconds),
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
    requestTracker: new Answers(passed, seconds),
  };
}

/**
 * Notes the answers of nodes. The driver reports the size of a reply only here. It requires a subclass of its tracker.
 * Its declarations do not include that class, only subclasses: this extends one of them.
 */
class Answers extends driver.tracker.RequestLogger {
  readonly #passed: PassedNodes<driver.Host>;
  readonly #seconds: SecondRequests;

  constructor(passed: PassedNodes<driver.Host>, seconds: SecondRequests) {
    super({});
    this.#passed = passed;
    this.#seconds = seconds;
  }

  override onSuccess(
    host: driver.Host,
    _cql: unknown,
    _values: unknown,
    options: driver.ExecutionOptions,
    _requestBytes: number,
    replyBytes: number,
    [seconds = 0, nanoseconds = 0]: readonly number[],
  ): void {
    this.#passed.recordOf(host).answers += 1;
    this.#seconds.noteAnswer(seconds * 1_000 + nanoseconds / 1_000_000);
    const own = options.getRawQueryOptions();
    if ('replyBytes' in own) own.replyBytes = replyBytes;
  }

  override onError(
    host: driver.Host,
    _cql: unknown,
    _values: unknown,
    _options: driver.ExecutionOptions,
    _requestBytes: number,
    error: Error,
  ): void {
    if (error.name === 'ResponseError') this.#passed.recordOf(host).answers += 1;
    if (isOfLeavingNode(error)) this.#passed.passBy(host);
  }

  override shutdown(): void {}
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
