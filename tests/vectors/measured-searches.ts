// Opens the embedded engine for vector searches, and measures what they find and what answers them.
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import type { VectorQuantization } from '../../src/foundation/config/engines/embedded.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import type { SearchedTable } from './searched-table.js';

/** The number of floats of all vectors here. */
export const dimension = 32;
/** All of them. */
export const metrics: readonly VectorMetric[] = ['cosine', 'dot_product', 'euclidean'];
/** The recall that rows with some structure must reach. */
export const enough = 0.98;

let by = '';
/** What answered the last search. */
export const answeredBy = () => by;

function fail(error: Error): never {
  throw error;
}

/** An engine that fails on a warning, or passes it to `onWarning`. */
export async function openForSearches(
  dataDirectory: string,
  onWarning: (error: Error) => void = fail,
  vectorQuantization?: VectorQuantization,
): Promise<Engine> {
  const engine = await openEmbeddedEngine({
    dataDirectory,
    ...(vectorQuantization === undefined ? {} : { vectorQuantization }),
    clock: systemClock,
    readTimeoutMs: 60_000,
    onFatal: fail,
    onWarning,
    onVectorSearch: (way) => {
      by = way;
    },
  });
  return checkedEngine(engine);
}

/** The mean recall of some searches. */
export async function meanRecall(
  table: SearchedTable,
  queries: readonly Float32Array[],
  ...rest: [limit: number, filter?: string, passes?: (id: number) => boolean]
): Promise<number> {
  let sum = 0;
  for (const query of queries) sum += await table.recall(query, ...rest);
  return sum / queries.length;
}
