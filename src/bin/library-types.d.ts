// The types of the package for programs that start a server in their own process. The build copies this file beside
// the bundle, so it imports nothing.

/**
 * Options of a server, as in docs/options.md, with the names in camelCase; `workers` alone is not here. The environment
 * of the process has no effect.
 */
export interface StartOptions {
  /**
   * Directory of the data. It is created if it does not exist; one server at a time can use it. Default: a temporary
   * directory, which `close` removes.
   */
  readonly dataDir?: string;
  /** Whether the server starts with the remaining data if some is lost, and logs what is. Default: no. */
  readonly acceptDataLoss?: 'no' | 'yes';
  /** Address of the data service. One that other machines can reach needs a `token`. Default: 127.0.0.1. */
  readonly host?: string;
  /** Port of the data service, 0 to 65535. Default: 0, a free one. */
  readonly port?: number;
  /** Address of the operations service. One that other machines can reach needs users. Default: 127.0.0.1. */
  readonly opsHost?: string;
  /** Port of the operations service, 0 to 65535. Default: 0, a free one. */
  readonly opsPort?: number;
  /** Directory of the operations service. Default: `ops` in the data directory. */
  readonly opsDir?: string;
  /** Users of the operations port; `colonnade hash-password` makes the hashes. Default: none. */
  readonly opsUsers?: readonly {
    readonly name: string;
    readonly role: 'viewer' | 'operator';
    readonly password_hash: string;
  }[];
  /** Name of one more operator of the operations port; its password is `opsPassword`. */
  readonly opsUser?: string;
  /** Password of `opsUser`. */
  readonly opsPassword?: string;
  /** PEM file with the certificate of both ports; `tlsKey` has its key. Default: no TLS. */
  readonly tlsCert?: string;
  /** PEM file with the private key of `tlsCert`. */
  readonly tlsKey?: string;
  /** Has no effect in a program: the seconds that `colonnade serve` still takes requests after a signal. */
  readonly drainSeconds?: number;
  /** Signs page states. Servers with the same secret accept the page states of each other. Default: a key file. */
  readonly pageStateSecret?: string;
  /** The token that every request must carry in its `Token` header. Default: requests need none. */
  readonly token?: string;
  /** Where rows are kept. Default: embedded. */
  readonly engine?: 'embedded' | 'cassandra';
  /** How vector indexes of the embedded engine keep values in memory. Default: int8. */
  readonly vectorQuantization?: 'int8' | 'none';
  /** Contact points of `engine: 'cassandra'`: addresses or host names, each with or without a port. */
  readonly cassandraContactPoints?: readonly string[];
  /** The local data center of `engine: 'cassandra'`. */
  readonly cassandraLocalDatacenter?: string;
  /** The CQL port of nodes that `cassandraContactPoints` does not name with a port. Default: 9042. */
  readonly cassandraPort?: number;
  /** The user that `engine: 'cassandra'` logs in as. */
  readonly cassandraUsername?: string;
  /** The password of `cassandraUsername`. */
  readonly cassandraPassword?: string;
  /** Whether every request to the data service must name a user of the cluster. Default: no. */
  readonly cassandraRequireUser?: 'no' | 'yes';
  /** Whether connections to nodes are encrypted; with any-host their certificates may name other hosts. Default: no. */
  readonly cassandraTls?: 'no' | 'yes' | 'any-host';
  /** PEM file with the authorities that sign certificates of nodes. Default: those of Node.js. */
  readonly cassandraTlsCa?: string;
  /** PEM file with the certificate that the server shows to nodes; `cassandraTlsKey` has its key. */
  readonly cassandraTlsCert?: string;
  /** PEM file with the private key of `cassandraTlsCert`. */
  readonly cassandraTlsKey?: string;
  /** The dialect of the data service. Default: strict. */
  readonly dialect?: 'strict' | 'extended';
  /** Whether clients can create and use collections. Default: on. */
  readonly collections?: 'on' | 'off';
  /** The region of the server: embedding providers with a list of regions are available in these. Default: local. */
  readonly region?: string;
  /** JSON file that changes embedding providers or adds some. */
  readonly providersFile?: string;
  /** Directory of trained models for the embedding provider "local": one directory for each. */
  readonly models?: string;
  /** Encrypts the key store of embedding providers. Default: a key file in the data directory. */
  readonly keyStoreSecret?: string;
  /** Ships the changes of the data to an archive: a directory, or `s3://BUCKET/PREFIX`. Default: none. */
  readonly archive?: string;
  /** Follows the archive of another server: answers reads, and refuses writes. Default: none. */
  readonly follow?: string;
  /** Days for which any moment can be restored from the archive, 1 to 3650. Default: 7. */
  readonly archiveDays?: number;
  /** Megabytes up to which each log grows while the archive cannot be written, 64 to 65536. Default: 1024. */
  readonly archiveLogLimit?: number;
  /** Seconds for which the server may write to its archive without a renewal of its lease, 1 to 3600. Default: 15. */
  readonly archiveLease?: number;
  /** With `yes`, writes are refused while the lease cannot be renewed, so that a second server can take over. */
  readonly archiveTakeover?: 'no' | 'yes';
  /** With `yes`, a write is acknowledged when it is in the archive. Default: no. */
  readonly archiveAcknowledge?: 'no' | 'yes';
  /** Address of the object store of an archive `s3://BUCKET/PREFIX`. Default: that of Amazon in `archiveRegion`. */
  readonly archiveEndpoint?: string;
  /** Region of the object store. Default: us-east-1. */
  readonly archiveRegion?: string;
  /** Access key of the object store. */
  readonly archiveAccessKey?: string;
  /** Secret key of the object store. */
  readonly archiveSecretKey?: string;
  /** JSON file with further options. The members of this object override it. */
  readonly config?: string;
  /** The least severe log entries that are written to standard error, as JSON lines. Default: warn. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Seconds that a client may take to send a request, and to read its reply, 1 to 3600. Default: 60. */
  readonly requestTimeoutSeconds?: number;
  /** The most open connections to the data port, 1 to 100000. Default: 4096. */
  readonly maxConnections?: number;
  /** Megabytes for bodies of requests and replies at the data port, 64 to 16384. Default: 256. */
  readonly requestMemoryMb?: number;
  /** Host names that requests may use in addition to loopback, `host` and `opsHost`. Default: none. */
  readonly allowedHosts?: readonly string[];
  /** The address at which people open the console. Default: notices have no link. */
  readonly consoleUrl?: string;
  /** Bearer token for GET /metrics when other machines can reach the operations port. */
  readonly metricsToken?: string;
  /** Seconds between readings of metrics, 1 to 60. Default: 10. */
  readonly metricsIntervalSeconds?: number;
  /** Hours in which the notice of an event is tried again, 1 to 720. Default: 24. */
  readonly notifyRetryHours?: number;
  /** The nodetool program and its arguments for actions on nodes; {host} and {port} are replaced. */
  readonly nodetool?: readonly string[];
  /** JMX addresses of nodes that do not use their own: `{'10.0.0.1': '127.0.0.1:7199'}`. */
  readonly nodetoolNodes?: Readonly<Record<string, string>>;
  /** Addresses and networks that the operations service must not connect to. Default: none. */
  readonly denyAddress?: readonly string[];
  /** Exceptions to `denyAddress`. Default: none. */
  readonly allowAddress?: readonly string[];
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
   * Finishes requests that have arrived, for 7 seconds at most, closes both ports and the files, and removes a
   * temporary data directory. A client that has sent half of a request loses its connection after a second. Every
   * call gives the same promise.
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
