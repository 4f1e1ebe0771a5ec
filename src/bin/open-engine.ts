// Chooses and opens the engine of the table data service.
import { checkedEngine } from '../data-service/engine/checked-engine.js';
import { openEmbeddedEngine } from '../data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../data-service/engine/engine.js';
import type { Config } from '../foundation/config/options.js';
import type { Clock } from '../foundation/telemetry/clock.js';

/** A read that takes longer is given up; official clients wait 10 to 15 s for a reply. */
const readTimeoutMs = 10_000;

/** What an engine needs of the process around it. */
export interface EngineSurroundings {
  readonly clock: Clock;
  /** Hears when the engine can no longer work. */
  readonly onFatal: (error: Error) => void;
  /** Hears of failures that make reads or the next start slower, nothing wrong. */
  readonly onWarning: (error: Error) => void;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/** Opens the configured engine with its contract checked. */
export async function openEngine(config: Config, surroundings: EngineSurroundings): Promise<Engine> {
  switch (config.engine) {
    case 'embedded':
      return checkedEngine(
        await openEmbeddedEngine({ dataDirectory: config.dataDir, readTimeoutMs, ...surroundings }),
      );
  }
}
