// What the main thread asks of the operations thread, and what it starts it with.
import { join } from 'node:path';
import type { Config } from '../foundation/config/options.js';
import type { HealthStatus } from '../foundation/http/health.js';
import type { TlsIdentity } from '../foundation/http/server.js';
import type { KnownUsers } from '../ops-service/access/users.js';
import type { ConnectionLimits } from './connection-limits.js';

/** On a busy machine the data service has priority; a quarter of a processor is left for judging and notices. */
export const opsThreadNiceness = 5;

/** Handed over at the start of the thread. */
export interface OpsThreadData {
  readonly config: Config;
  /** Where the file is; the directory exists and is locked for this process. */
  readonly opsDir: string;
  readonly version: string;
  readonly tls: TlsIdentity | undefined;
  readonly connections: ConnectionLimits;
}

/** The file of the operations service. */
export function opsFile(opsDir: string): string {
  return join(opsDir, 'ops.db');
}

/** The names of the schema of the data service. */
export interface SchemaNames {
  readonly keyspaces: readonly string[];
  /** `keyspace.table` of all tables. */
  readonly tables: readonly string[];
}

/** A change of the schema of the data service, with the names that it has now. */
export interface SchemaNews extends SchemaNames {
  /** For people: `created table ks.t`. */
  readonly message: string;
}

/** What the thread does when it is asked to. */
export interface OpsThreadCalls {
  /** Opens the file and the port; the result is the URL. */
  start(names: SchemaNames): Promise<string>;
  /** Sets the status in health replies. */
  setHealth(status: HealthStatus): void;
  /** Sets the problem in health replies: why the data file cannot be written. */
  noteDataProblem(problem: string | undefined): void;
  schemaChanged(news: SchemaNews): void;
  renewTls(identity: TlsIdentity): void;
  renewUsers(users: KnownUsers): void;
  /** Ends streams and connections; resolves when the port is closed. */
  stopListening(argument: undefined): Promise<void>;
}
