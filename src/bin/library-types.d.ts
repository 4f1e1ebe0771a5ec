// The types of the package for programs that start a server in their own process. The build copies this file beside
// the bundle, so it imports nothing.

/**
 * Options of a server, as in docs/options.md, with the names in camelCase. The environment of the process has no
 * effect. Options that are not here can be set in the file that `config` names, except `workers`.
 */
export interface StartOptions {
  /**
   * Directory of the data. It is created if it does not exist; one server at a time can use it. Default: a temporary
   * directory, which `close` removes.
   */
  readonly dataDir?: string;
  /** Directory of the operations service. Default: `ops` in the data directory. */
  readonly opsDir?: string;
  /** Address of the data service. One that other machines can reach needs a `token`. Default: 127.0.0.1. */
  readonly host?: string;
  /** Port of the data service, 0 to 65535. Default: 0, a free one. */
  readonly port?: number;
  /** Address of the operations service. One that other machines can reach needs users. Default: 127.0.0.1. */
  readonly opsHost?: string;
  /** Port of the operations service, 0 to 65535. Default: 0, a free one. */
  readonly opsPort?: number;
  /** The token that every request must carry in its `Token` header. Default: requests need none. */
  readonly token?: string;
  /** The dialect of the data service. Default: strict. */
  readonly dialect?: 'strict' | 'extended';
  /** Whether clients can create and use collections. Default: on. */
  readonly collections?: 'on' | 'off';
  /** JSON file that changes embedding providers or adds some. */
  readonly providersFile?: string;
  /** Where rows are kept. Default: embedded. */
  readonly engine?: 'embedded' | 'cassandra';
  /** Contact points of `engine: 'cassandra'`: addresses or host names. */
  readonly cassandraContactPoints?: readonly string[];
  /** The local data center of `engine: 'cassandra'`. */
  readonly cassandraLocalDatacenter?: string;
  /** The least severe log entries that are written to standard error, as JSON lines. Default: warn. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** JSON file with further options. The members of this object override it. */
  readonly config?: string;
  /**
   * Called when a part that the server cannot work without has ended. The server is closed then, and acknowledged
   * writes are on disk. Default: the error is thrown where nobody catches it, which ends the program.
   */
  readonly onFailure?: (error: Error) => void;
}

/** A server that answers on both ports. */
export interface StartedServer {
  /** The URL of the data service, as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The URL of the operations service; its console is there, too. */
  readonly opsUrl: string;
  /** The absolute path of the data directory. */
  readonly dataDir: string;
  /**
   * Ends requests under way, closes both ports and the files, and removes a temporary data directory. Every call
   * gives the same promise.
   */
  close(): Promise<void>;
}

/**
 * Starts a server in this process. It resolves when both ports answer, and the process stays alive until `close`. A
 * program that ends without `close` loses no acknowledged write; if a signal ends it, a temporary directory stays.
 * Signals, the umask and the priority of threads are left to the program.
 * @throws Error if the options cannot be used, with every problem in its message, or if the server cannot start: its
 * directory is in use, or a port is
 */
export declare function start(options?: StartOptions): Promise<StartedServer>;
