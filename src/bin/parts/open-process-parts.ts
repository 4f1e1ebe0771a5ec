// The parts that both services of the process share, and the figures of the process.
import { getHeapStatistics } from 'node:v8';
import { SharedTurns } from '../../foundation/shared-turns.js';
import { type Clock, systemClock } from '../../foundation/telemetry/clock.js';
import { countCollections } from '../../foundation/telemetry/collections.js';
import { createMetrics, type Metrics } from '../../foundation/telemetry/metrics.js';
import { openThreadTime } from '../../foundation/telemetry/thread-time.js';
import { Traffic } from '../../foundation/telemetry/traffic.js';
import { type WatchedTurns, watchTurns } from '../../foundation/telemetry/turn-watch.js';
import type { ProcessFigures } from '../../ops-service/clusters/process-readings.js';

/** The parts of the main thread. */
export interface ProcessParts {
  readonly metrics: Metrics;
  readonly traffic: Traffic;
  readonly turns: SharedTurns;
  /** Not started yet. */
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

/** Counts for the operations service from now on; the result returns the counts since its last call. */
export function countProcess(traffic: Traffic, clock: Clock): () => ProcessFigures {
  const collections = countCollections();
  const { heap_size_limit: maxBytes } = getHeapStatistics();
  let takenMs = clock.monotonicMs();
  return () => {
    const nowMs = clock.monotonicMs();
    const elapsedMs = nowMs - takenMs;
    takenMs = nowMs;
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    return {
      elapsedMs,
      traffic: traffic.take(),
      heap: { usedBytes: heapUsed, committedBytes: heapTotal, maxBytes },
      residentBytes: rss,
      collections: collections(),
    };
  };
}
