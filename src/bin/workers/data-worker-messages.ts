// The calls between the process that was started and its workers, which serve the data port.
import type { StoredKey } from '../../data-service/embedding/provider.js';
import type { PageStateKey } from '../../data-service/query/page-state.js';
import { ConfigProblems } from '../../foundation/config/load-config.js';
import type { Config } from '../../foundation/config/options.js';
import type { DataProblem, Health } from '../../foundation/http/health.js';
import type { TlsIdentity } from '../../foundation/http/server.js';
import type { MetricValues } from '../../foundation/telemetry/metric-series.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';
import type { MovedResult } from '../../foundation/threads/thread-link.js';
import type { PassedCommand, PassedReply } from '../../ops-service/clusters/data-service-link.js';
import type { ProcessFigures } from '../../ops-service/clusters/process-readings.js';
import type { SchemaNames, SchemaNews } from '../../ops-service/clusters/schema-news.js';
import { opsErrorForm } from '../../ops-service/errors/ops-error.js';

/** What a worker needs for its start. */
export interface DataWorkerSettings {
  /** From 1. */
  readonly worker: number;
  readonly config: Config;
  readonly tls: TlsIdentity | undefined;
  readonly maxConnections: number;
  readonly pageStateKey: PageStateKey;
  readonly keys: KeyEntries;
  readonly health: Health;
}

/** The entries of the key store by name. */
export type KeyEntries = ReadonlyMap<string, StoredKey>;

/** The calls that a worker answers; `start` is the first. */
export interface DataWorkerCalls {
  /** Opens the service and its port. */
  start(settings: DataWorkerSettings): Promise<StartedDataWorker>;
  /** Answers at once: a sign of life. */
  beat(argument: undefined): void;
  /** Sets what its health replies show. When it is stopping, replies close their connections. */
  setHealth(health: Health): void;
  setKeys(keys: KeyEntries): void;
  renewTls(identity: TlsIdentity): void;
  /** The packed reply. @throws OpsError */
  runNative(query: string, signal: AbortSignal): Promise<MovedResult<Uint8Array>>;
  /** See `DataServiceCalls`. */
  passCommand(command: PassedCommand, signal: AbortSignal): Promise<MovedResult<PassedReply>>;
  /** The counts since the last call. */
  takeFigures(argument: undefined): ProcessFigures;
  readMetrics(argument: undefined): Promise<MetricValues>;
  /** Resolves when the port is closed: requests under way end first. */
  stopListening(argument: undefined): Promise<void>;
  /** Closes everything and ends the process. */
  close(argument: undefined): Promise<void>;
}

/** A worker that serves. */
export interface StartedDataWorker {
  readonly url: string;
  readonly port: number;
  readonly names: SchemaNames;
}

/** The calls that the process that was started answers. */
export interface DataWorkerHost {
  /** What does not work in the worker; undefined when it works again. */
  noteProblem(noted: DataProblem): void;
  schemaChanged(news: SchemaNews): void;
}

/** Files that the options name and that cannot be used are found by the worker that opens them. */
const configProblemsForm: ErrorForm = {
  kind: 'config-problems',
  pack: (error) => (error instanceof ConfigProblems ? error.problems : undefined),
  unpack: (packed) => new ConfigProblems(packed as readonly string[]), // packed by `pack`
};

/** The forms of errors between the processes. */
export const dataWorkerErrors: readonly ErrorForm[] = [opsErrorForm, configProblemsForm];
