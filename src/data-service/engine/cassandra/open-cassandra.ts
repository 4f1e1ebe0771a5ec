// Opens the engine on the Cassandra cluster that the options name, with the rights of the server and of its users.
import type { CqlSessionOptions, CqlTls } from '../../../foundation/cassandra/cql-session.js';
import { openCqlSession } from '../../../foundation/cassandra/open-cql-session.js';
import { isOpenToAll } from '../../../foundation/config/open-to-all.js';
import type { Config } from '../../../foundation/config/options.js';
import { readPemFile } from '../../../foundation/http/tls-files.js';
import type { CheckedEngine } from '../checked-engine.js';
import type { Engine } from '../engine.js';
import type { StorageUsers } from '../storage-users.js';
import { type CassandraEngineOptions, openCassandraEngines } from './cassandra-engine.js';
import type { ChangeHost } from './change-host.js';
import { openClusterUsers } from './cluster-users.js';

/** A node that has not answered by then has failed; official clients wait 10 to 15 s for a reply. */
const statementTimeoutMs = 8_000;

/** The part of the memory for requests that the rows of a cluster take on their way to one thread. */
const readShare = 0.25;

/** What the engine needs from the process. */
export interface CassandraSurroundings extends Omit<CassandraEngineOptions, 'session' | 'readMemoryBytes'> {
  /** What `readClusterTls` returned at the start: the files may be replaced while the server runs. */
  readonly tls: CqlTls | undefined;
  /** Called with the reason when the cluster cannot be reached, and with undefined when it can again. */
  readonly onUnreachable?: (problem: string | undefined) => void;
  /** Put around every engine. */
  readonly wrap: (engine: Engine) => CheckedEngine;
}

/** The engine of the server, and those of users. */
export interface OpenCassandra {
  readonly engine: CheckedEngine;
  readonly host: ChangeHost;
  /** Closed before the engine. */
  readonly users: StorageUsers;
}

/** Opens it, whether the cluster can be reached or not. */
export async function openCassandra(
  config: Config,
  { tls, onUnreachable, wrap, ...surroundings }: CassandraSurroundings,
): Promise<OpenCassandra> {
  const options = { ...sessionOptions(config), tls };
  const session = await openCqlSession(options);
  if (onUnreachable !== undefined) session.onProblem(onUnreachable);
  const readMemoryBytes = config.requestMemoryMb * readShare * 1024 * 1024;
  const engines = openCassandraEngines({
    session,
    dialect: config.dialect,
    readMemoryBytes,
    ...surroundings,
  });
  const users = openClusterUsers({
    openSession: ({ username, password }) => openCqlSession({ ...options, username, password }),
    makeEngine: (other) => wrap(engines.withSession(other)),
    acceptsUnchecked: isOpenToAll(config),
    clock: surroundings.clock,
  });
  const { engine } = engines;
  return { engine: wrap(engine), host: engine.host, users };
}

function sessionOptions(config: Config): Omit<CqlSessionOptions, 'tls'> {
  return {
    contactPoints: config.cassandraContactPoints,
    port: config.cassandraPort,
    localDataCenter: config.cassandraLocalDatacenter ?? '', // the options are checked: it is there
    username: config.cassandraUsername,
    password: config.cassandraPassword,
    timeoutMs: statementTimeoutMs,
  };
}

/** The files of the options for TLS; undefined without TLS. @throws ConfigProblems for files that cannot be read */
export function readClusterTls(config: Config): CqlTls | undefined {
  if (config.cassandraTls === 'no') return undefined;
  return {
    authorities: readOption('cassandra-tls-ca', config.cassandraTlsCa),
    certificate: readOption('cassandra-tls-cert', config.cassandraTlsCert),
    key: readOption('cassandra-tls-key', config.cassandraTlsKey),
    checksHosts: config.cassandraTls === 'yes',
  };
}

function readOption(option: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : readPemFile(option, path);
}
