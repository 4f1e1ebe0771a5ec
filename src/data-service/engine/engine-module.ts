// What the module of an engine exports: how the engine is opened on each thread, and its files. A module loads the
// engine itself when it is opened, so that commands and other threads can ask a module without loading the engine.
import type { Config } from '../../foundation/config/options.js';
import type { SharedTurns } from '../../foundation/shared-turns.js';
import type { FileUpgrade } from '../../foundation/sqlite/file-upgrade.js';
import type { MakingSums } from '../../foundation/sqlite/prepare-sums.js';
import type { ShippedLogSettings } from '../../foundation/sqlite/shipped-log.js';
import type { StoredDatabase } from '../../foundation/sqlite/stored-database.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';
import type { CallTable, ThreadLink } from '../../foundation/threads/thread-link.js';
import type { CheckedEngine } from './checked-engine.js';
import type { Engine } from './engine.js';
import type { StorageUsers } from './storage-users.js';

/**
 * An engine as the server opens it. `Host` are the calls that the engine of the main thread answers for the one of the
 * thread for large requests; `Shared` is plain data that both get.
 */
export interface EngineModule<Host extends CallTable<Host> = object, Shared = unknown> {
  /** Opens the engine on the main thread. @throws ConfigProblems, or Error for files that cannot be used */
  open(config: Config, surroundings: EngineSurroundings): Promise<OpenEngine<Host, Shared>>;
  /** Opens the engine on the thread for large requests, where the schema is not changed. */
  openForLargeRequests(
    config: Config,
    shared: Shared,
    host: HostLink<Host>,
    surroundings: ThreadSurroundings,
  ): Promise<OpenParts>;
  /** The forms of its own errors of calls of the host. */
  readonly errorForms: readonly ErrorForm[];
  /** Its files in a data directory, which need not exist; absent if its rows are elsewhere. */
  files?(dataDirectory: string): Promise<EngineFiles>;
  /** Bytes of tables with their indexes, by `keyspace.table`; absent if no file has them. The signal ends it. */
  readTableBytes?(dataDirectory: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
}

/** What an engine needs from each thread. */
export interface ThreadSurroundings {
  readonly clock: Clock;
  /** A random UUID. */
  readonly newId: () => string;
  /** The time limit of a read. */
  readonly readTimeoutMs: number;
  /** Put around each engine that runs plans of requests. */
  readonly wrap: (engine: Engine) => CheckedEngine;
  /** Called for failures that make reads or the next start slower, but lose nothing. */
  readonly onWarning: (error: Error) => void;
}

/** What an engine needs from the main thread. */
export interface EngineSurroundings extends ThreadSurroundings {
  readonly turns: SharedTurns;
  /** Called when the engine can no longer work. */
  readonly onFatal: (error: Error) => void;
  /** Called when the data file of an earlier release has been migrated. */
  readonly onUpgrade: (upgrade: FileUpgrade) => void;
  /** Called before and after checksums of the pages of a large data file are made. */
  readonly onMakingSums: (making: MakingSums) => void;
  /** Called with sentences about objects of the data file that its schema does not name. */
  readonly onUnknownObjects: (problems: readonly string[]) => void;
  /** Called with the reason when the storage cannot be reached, and with undefined when it can again. */
  readonly onUnreachable: (problem: string | undefined) => void;
  /** Lets checkpoints wait until the log is shipped to an archive; undefined without one. */
  readonly shippedLog?: ShippedLogSettings | undefined;
  /** Why the engine writes nothing, as a clause for clients: its data file is that of a follower. */
  readonly whyReadOnly?: (() => string) | undefined;
  /** Resolves when the archive has what was committed; undefined if writes do not wait for it. */
  readonly whenShipped?: (() => Promise<void>) | undefined;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/** The engine of a thread. */
export interface OpenParts {
  /** The engine that `wrap` returned. */
  readonly engine: CheckedEngine;
  /** Undefined if the storage has no users of its own. Closed before the engine. */
  readonly users: StorageUsers | undefined;
}

/** The engine of the main thread, and what the thread for large requests gets. */
export interface OpenEngine<Host, Shared> extends OpenParts {
  readonly shared: Shared;
  /** Called for each start of the thread for large requests. */
  readonly hostThread: () => HostedThread<Host>;
}

/** The answers to one thread. */
export interface HostedThread<Host> {
  readonly calls: Host;
  /** Called when the thread has ended. */
  readonly ended: () => void;
}

/** The calls to the host. */
export type HostLink<Host extends CallTable<Host>> = Pick<ThreadLink<Host, object>, 'call' | 'notify'>;

/** The files of an engine in a data directory. */
export interface EngineFiles {
  readonly rows: StoredDatabase;
  /** A directory of files that can be made again from the rows, and how the names of those files end. */
  readonly derived: { readonly directory: string; readonly ending: string };
}
