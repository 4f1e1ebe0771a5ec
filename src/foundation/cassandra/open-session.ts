// Opens sessions with Cassandra clusters. The driver takes 18 MB of memory, so it is loaded at the first connection.
import {
  CassandraFailure,
  type CassandraRow,
  type CassandraSession,
  type RowsPage,
  type SessionHost,
  type SessionOptions,
} from './session.js';

/** Makes a session; nothing is connected yet. */
export function openSession(options: SessionOptions): CassandraSession {
  return new LazySession(options);
}

const closed = 'the session is closed';

class LazySession implements CassandraSession {
  readonly #options: SessionOptions;
  #session: CassandraSession | undefined;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#session?.isConnected ?? false;
  }

  get hosts(): readonly SessionHost[] {
    return this.#session?.hosts ?? [];
  }

  async connect(): Promise<string | undefined> {
    const session = await this.#load();
    return session === undefined ? closed : session.connect();
  }

  async reconnect(): Promise<string | undefined> {
    const session = await this.#load();
    return session === undefined ? closed : session.reconnect();
  }

  async queryNode(address: string, cql: string): Promise<readonly CassandraRow[]> {
    return this.#connected().queryNode(address, cql);
  }

  async query(cql: string, pageRows: number, page?: string | null): Promise<RowsPage> {
    return this.#connected().query(cql, pageRows, page);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session?.close();
  }

  async #load(): Promise<CassandraSession | undefined> {
    const { DriverSession } = await import('./driver-session.js');
    if (this.#isClosed) return undefined;
    this.#session ??= new DriverSession(this.#options);
    return this.#session;
  }

  #connected(): CassandraSession {
    if (this.#session?.isConnected === true) return this.#session;
    throw new CassandraFailure('unreachable', 'no node of the cluster answers');
  }
}
