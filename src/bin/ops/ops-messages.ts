// The calls from the main thread to the operations thread, and the data for its start.
import { join } from 'node:path';
import type { Config } from '../../foundation/config/options.js';
import type { DataProblem, HealthStatus } from '../../foundation/http/health.js';
import type { TlsIdentity } from '../../foundation/http/server.js';
import type { ConnectionLimits } from '../../foundation/limits/connection-limits.js';
import type { ShippedLogSettings } from '../../foundation/sqlite/shipped-log.js';
import type { KnownUsers } from '../../ops-service/access/users.js';
import type { ArchiveFigures } from '../../ops-service/clusters/archive-watch.js';
import type { FollowFigures } from '../../ops-service/clusters/follow-watch.js';
import type { SchemaNames, SchemaNews } from '../../ops-service/clusters/schema-news.js';

/**
 * On a busy machine the data service has priority; a quarter of a processor is left for evaluating rules and sending
 * notices.
 */
export const opsThreadNiceness = 5;

/** The data that the thread gets at its start. */
export interface OpsThreadData {
  readonly config: Config;
  /** The directory of the file; it exists and is locked for this process. */
  readonly opsDir: string;
  readonly version: string;
  readonly tls: TlsIdentity | undefined;
  readonly connections: ConnectionLimits;
  /** What lets checkpoints wait until logs are shipped to an archive; undefined without one. */
  readonly shippedLogs?: ShippedLogs | undefined;
}

/** The shared states of the logs of both databases. */
export interface ShippedLogs {
  readonly data: ShippedLogSettings;
  readonly ops: ShippedLogSettings;
  /** What both have as `permit`. */
  readonly permit: SharedArrayBuffer;
}

/** The file of the operations service. */
export function opsFile(opsDir: string): string {
  return join(opsDir, 'ops.db');
}

/** The calls that the thread answers. */
export interface OpsThreadCalls {
  /** Opens the file and the port; the result is the URL. */
  start(names: SchemaNames): Promise<string>;
  /** Sets the status in health replies. */
  setHealth(status: HealthStatus): void;
  /** Sets the problem of a part of the data service, for health replies and for the state of this server's node. */
  noteDataProblem(noted: DataProblem): void;
  /** Notes how far the archive of this server is, about once a second. */
  noteArchive(figures: ArchiveFigures): void;
  /** Notes how far a follower is behind, about once a second. */
  noteFollow(figures: FollowFigures): void;
  schemaChanged(news: SchemaNews): void;
  renewTls(identity: TlsIdentity): void;
  renewUsers(users: KnownUsers): void;
  /** Ends streams and connections; resolves when the port is closed. */
  stopListening(argument: undefined): Promise<void>;
}
