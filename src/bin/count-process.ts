// What the process of the data service counts for the operations service.
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../foundation/telemetry/clock.js';
import { countCollections } from '../foundation/telemetry/collections.js';
import type { Traffic } from '../foundation/telemetry/traffic.js';
import type { ProcessFigures } from '../ops-service/clusters/process-readings.js';

/** Counts from now on; the result takes what was counted since it was called last. */
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
