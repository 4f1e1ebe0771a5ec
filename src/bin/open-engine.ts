// Chooses and opens the engine of the table data service.
import { checkedEngine } from '../data-service/engine/checked-engine.js';
import { openEmbeddedEngine } from '../data-service/engine/embedded/embedded-engine.js';
import type { EngineHost } from '../data-service/engine/embedded/guest-engine.js';
import type { Engine } from '../data-service/engine/engine.js';
import type { Config } from '../foundation/config/options.js';
import type { SharedTurns } from '../foundation/shared-turns.js';
import type { Clock } from '../foundation/telemetry/clock.js';

/** The time limit of a read; official clients wait 10 to 15 s for a reply. */
export const readTimeoutMs = 10_000;
/** Rows of more take the main thread some 10 ms: such a read is left to the thread for large requests. */
const mostBytesOfRead = 256 * 1024;

/** What an engine needs from the process. */
export interface EngineSurroundings {
  readonly clock: Clock;
  readonly turns: SharedTurns;
  /** Called when the engine can no longer work. */
  readonly onFatal: (error: Error) => void;
  /** Called for failures that make reads or the next start slower, but lose nothing. */
  readonly onWarning: (error: Error) => void;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/** An open engine, and its host for the thread for large requests. */
export interface OpenEngine {
  readonly engine: Engine;
  readonly host: EngineHost;
}

/** Opens the configured engine inside the wrapper that checks its contract. */
export async function openEngine(config: Config, surroundings: EngineSurroundings): Promise<OpenEngine> {
  switch (config.engine) {
    case 'embedded': {
      const { dataDir: dataDirectory } = config;
      const engine = await openEmbeddedEngine({
        dataDirectory,
        readTimeoutMs,
        mostBytesOfRead,
        ...surroundings,
      });
      return { engine: checkedEngine(engine), host: engine.host };
    }
  }
}
