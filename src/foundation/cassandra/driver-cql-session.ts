// Data sessions by Apache's driver, which only the files driver-*.ts of this folder import.
import driver from 'cassandra-driver';
import { NotBegun, WorkQueue } from '../limits/work-queue.js';
import { waitAtMost } from '../wait-at-most.js';
import type {
  ChangeText,
  CqlNode,
  CqlPage,
  CqlSession,
  CqlSessionOptions,
  CqlStatement,
  TextPage,
} from './cql-session.js';
import { DataClient } from './driver-data-client.js';
import { toCassandraFailure } from './driver-failure.js';
import { noNode } from './driver-policies.js';
import { bytesOf, execute, leastBytes } from './driver-statement.js';
import { executeText } from './driver-text.js';
import { firstOfAgreeingClocks } from './node-clocks.js';
import { haveOneSchema, type OneSchema, untilOneSchema } from './schema-agreement.js';
import { SendTurns } from './send-turns.js';
import { CassandraFailure, type RowsPage } from './session.js';
import { type StatementCourse, withinTime } from './within-time.js';

/** Bytes of the statements that are on their way to nodes at the same time, and of those that wait for their turn. */
const mostBytesUnderWay = 64 * 1024 * 1024;
const mostBytesWaiting = 64 * 1024 * 1024;
const mostWaiting = 16_384;
const mostUnderWay = mostBytesUnderWay / leastBytes;
/** Until the next attempt to connect, and to nodes that are down. */
const reconnectMs = 1_000;
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
  #client: DataClient | undefined;
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
    const send = (client: DataClient) => execute(client, statement, timeoutMs, options);
    return withinTime(timeoutMs, (course) => this.#inTurn(bytesOf(statement), send, course));
  }

  async nodes(): Promise<readonly HostNode[]> {
    const hosts = await this.#hosts();
    return hosts.map((host) => this.#nodeOf(host));
  }

  async runText(cql: string, { pageRows, page, timeoutMs }: TextPage): Promise<RowsPage> {
    const options = { fetchSize: pageRows, readTimeout: timeoutMs, isIdempotent: false };
    const paged = page === null ? options : { ...options, pageState: page };
    const send = (client: DataClient) => executeText(client, cql, paged);
    return withinTime(timeoutMs, (course) => this.#inTurn(cql.length, send, course));
  }

  async changeSchema(cql: ChangeText, timeoutMs = schemaChangeTimeoutMs): Promise<void> {
    const client = await this.#connected();
    // A node that was paused would make a table again that it does not know yet.
    const before = await untilOneSchema(() => this.nodes(), agreementMs);
    if (before === undefined)
      throw new CassandraFailure('unavailable', `${noOneSchema}; nothing was changed`);
    const first = await firstOfAgreeingClocks(before.nodes);
    const text = typeof cql === 'function' ? cql() : cql;
    await executeText(client, text, { isIdempotent: false, readTimeout: timeoutMs, host: first.host });
    // Where the first node stops now, the others agree on the schema before the change until they have it.
    const hasChange = ({ version, nodes }: OneSchema<HostNode>) =>
      version !== before.version || nodes.some(({ host }) => host.address === first.host.address);
    const agreed = await untilOneSchema(() => this.nodes(), agreementMs, hasChange).catch(unlessFailed);
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
    if (client !== undefined) await waitAtMost(closeTimeoutMs.connections, client.end());
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
    work: (client: DataClient) => Promise<Result>,
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
  async #connected(): Promise<DataClient> {
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
    const client = new DataClient({
      ...this.#options,
      authProvider: this.#credentials,
      reconnectMs,
      mostUnderWay,
    });
    try {
      this.#listen(client);
      await client.connect();
      refuseUnknownDataCenter(client, this.#options.localDataCenter);
      if (this.#localHosts(client).length === 0) throw new CassandraFailure('unreachable', noNode);
    } catch (error) {
      void client.end();
      this.#note(toCassandraFailure(error));
      return;
    }
    if (this.#isClosed) return client.end();
    this.#client = client;
    this.#note(undefined);
    this.#announce(undefined);
  }

  /** All nodes may have other addresses when they are back, which a new client finds by the contact points. */
  #replace(client: DataClient): void {
    this.#client = undefined;
    void client.end();
    this.#note(new CassandraFailure('unreachable', noNode));
    this.#connectLater();
  }

  #listen(client: DataClient): void {
    client.on('hostDown', () => {
      if (client === this.#client && this.#localHosts(client).length === 0) this.#replace(client);
    });
    // The driver shows changes of the schema, and that it may have missed some, only in its log.
    client.on('log', (_level: string, source: string, message: string, event: unknown) => {
      if (source !== 'ControlConnection') return;
      if (message === 'Schema change') this.#announce(keyspaceOf(event));
      else if (message.endsWith('and up to date')) this.#announce(undefined);
    });
  }

  /** The nodes of the data center that are up. */
  #localHosts(client: DataClient): readonly driver.Host[] {
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
const noOneSchema = 'the nodes have different schemas, or most of them do not answer';

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

function refuseUnknownDataCenter(client: DataClient, localDataCenter: string): void {
  const known = [...new Set(client.hosts.values().map(({ datacenter }) => datacenter))];
  if (known.includes(localDataCenter)) return;
  throw new Error(`the cluster has no data center ${localDataCenter}; it has ${known.join(', ')}`);
}

function keyspaceOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('keyspace' in event)) return undefined;
  return typeof event.keyspace === 'string' ? event.keyspace : undefined;
}
