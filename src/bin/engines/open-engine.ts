// Chooses and opens the engine of the table data service.
import { checkedEngine } from '../../data-service/engine/checked-engine.js';
import { openEmbeddedEngine } from '../../data-service/engine/embedded/embedded-engine.js';
import type { EngineHost } from '../../data-service/engine/embedded/guest-engine.js';
import type { Engine } from '../../data-service/engine/engine.js';
import type { ChangeHost } from '../../data-service/engine/schema-host.js';
import type { StorageUsers } from '../../data-service/engine/storage-users.js';
import type { Config } from '../../foundation/config/options.js';
import type { SharedTurns } from '../../foundation/shared-turns.js';
import type { FileUpgrade } from '../../foundation/sqlite/file-upgrade.js';
import type { MakingSums } from '../../foundation/sqlite/prepare-sums.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { openCassandra } from './open-cassandra.js';

/** The time limit of a read; official clients wait 10 to 15 s for a reply. */
export const readTimeoutMs = 10_000;
/**
 * Reads with more bytes of rows take the main thread more than about 10 ms, so the thread for large requests runs them.
 */
const mostBytesOfRead = 256 * 1024;
/** The same of a cluster: these reads mostly wait for it, and few of the others can run at a time. */
const mostBytesOfClusterRead = 1024 * 1024;
/** What an engine needs from the process. */
export interface EngineSurroundings {
  readonly clock: Clock;
  readonly turns: SharedTurns;
  /** Called when the engine can no longer work. */
  readonly onFatal: (error: Error) => void;
  /** Called for failures that make reads or the next start slower, but lose nothing. */
  readonly onWarning: (error: Error) => void;
  /** Called when the data file of an earlier release has been migrated. */
  readonly onUpgrade: (upgrade: FileUpgrade) => void;
  /** Called before and after checksums of the pages of a large data file are made. */
  readonly onMakingSums: (making: MakingSums) => void;
  /** Called with sentences about objects of the data file that its schema does not name. */
  readonly onUnknownObjects: (problems: readonly string[]) => void;
  /** Called with the reason when the storage cannot be reached, and with undefined when it can again. */
  readonly onUnreachable: (problem: string | undefined) => void;
  /** Of the writes of all threads. */
  readonly writeTime: SharedArrayBuffer;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/** An open engine. */
export interface OpenEngine {
  readonly engine: Engine;
  /** For the thread for large requests. */
  readonly host: EngineHost;
  /** The same; undefined if that thread sends no statements of its own. */
  readonly changeHost?: ChangeHost;
  /** Undefined if the storage has no users of its own. */
  readonly users: StorageUsers | undefined;
}

/** Opens the configured engine and wraps it to check its contract. `wrap` is put around the engine of each user. */
export async function openEngine(
  config: Config,
  surroundings: EngineSurroundings,
  wrap: (engine: Engine) => Engine,
): Promise<OpenEngine> {
  switch (config.engine) {
    case 'embedded': {
      const { dataDir: dataDirectory, dialect } = config;
      const engine = await openEmbeddedEngine({
        dataDirectory,
        dialect,
        readTimeoutMs,
        mostBytesOfRead,
        ...surroundings,
      });
      return { engine: wrap(checkedEngine(engine)), host: engine.host, users: undefined };
    }
    case 'cassandra': {
      const own = { readTimeoutMs, mostBytesOfRead: mostBytesOfClusterRead, ...surroundings };
      const { engine, host, users } = await openCassandra(config, own, wrap);
      const { schemaGeneration } = host;
      return { engine, host: { ...hasNoGuests, schemaGeneration }, changeHost: host, users };
    }
  }
}

/** The thread for large requests reads and writes the cluster itself. */
const needsNone = () => Promise.reject(new TypeError('there are no guests of this engine'));
const hasNoGuests = {
  write: needsNone,
  writeDocuments: needsNone,
  deleteAll: needsNone,
  findNearest: needsNone,
};
