// What the services of the process have in common.
import { SharedTurns } from '../foundation/shared-turns.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { createMetrics, type Metrics } from '../foundation/telemetry/metrics.js';
import { openThreadTime } from '../foundation/telemetry/thread-time.js';
import { Traffic } from '../foundation/telemetry/traffic.js';
import { type WatchedTurns, watchTurns } from '../foundation/telemetry/turn-watch.js';

/** The parts of the main thread. */
export interface ProcessParts {
  readonly metrics: Metrics;
  readonly traffic: Traffic;
  readonly turns: SharedTurns;
  /** Not started. */
  readonly watch: WatchedTurns;
}

/** Makes the parts. */
export function openProcessParts(): ProcessParts {
  return {
    metrics: createMetrics(),
    traffic: new Traffic(),
    turns: new SharedTurns(systemClock),
    watch: watchTurns(openThreadTime(), systemClock),
  };
}
