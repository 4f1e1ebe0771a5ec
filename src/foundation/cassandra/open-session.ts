// Opens sessions with Cassandra clusters. The driver takes 18 MB of memory: it is loaded when the first one connects.
import {
  CassandraFailure,
  type CassandraRow,
  type CassandraRows,
  type CassandraSession,
  type SessionHost,
  type SessionOptions,
} from './session.js';

/** Makes a session; nothing is connected yet. */
export function openSession(options: SessionOptions): CassandraSession {
  return new LazySession(options);
}

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
    const { DriverSession } = await import('./driver-session.js');
    if (this.#isClosed) return 'the session is closed';
    this.#session ??= new DriverSession(this.#options);
    return this.#session.connect();
  }

  async queryNode(address: string, cql: string): Promise<readonly CassandraRow[]> {
    return this.#connected().queryNode(address, cql);
  }

  async query(cql: string, maxRows: number): Promise<CassandraRows> {
    return this.#connected().query(cql, maxRows);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session?.close();
  }

  #connected(): CassandraSession {
    if (this.#session?.isConnected === true) return this.#session;
    throw new CassandraFailure('no node of the cluster answers', false);
  }
}
