// The embedded engine's vector index follows the rows by the metrics that the short run leaves out.
import { after, before, describe } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { filledTable, itFollowsRows } from './follow-rows.js';
import { dimension, metrics, openForSearches } from './measured-searches.js';

describe('vector search on the embedded engine', () => {
  const vectors = clusteredVectors(seededRandom(5), 4100, dimension);
  const queries = vectors.splice(0, 20);
  let engine: Engine;
  before(async () => {
    engine = await openForSearches(newDataDirectory());
  });
  after(() => engine.close());

  const filled = (metric: VectorMetric, rows: number) => filledTable(engine, metric, vectors.slice(0, rows));
  for (const metric of metrics.filter((one) => one !== 'cosine'))
    itFollowsRows(metric, filled, vectors, queries);
});
