// Searches read the bitmaps of rows 64 bits at a time: the last rows are found like all others, whatever their number.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

const dimension = 32;
/** Around the fewest rows of a graph, and around the half and the end of the next words. */
const counts = [2047, 2048, 2049, 2050, 2079, 2080, 2081, 2111, 2112, 2113];
/** So few rows are measured exactly; of so many the codes are measured first. */
const passing = [200, 300];
const wanted = { limit: 1, breadth: 64 };

describe('the last rows of an index', () => {
  for (const walksOn of ['codes', 'floats'] as const) {
    it(`are found under filters, walking on ${walksOn}`, () => {
      const rows = clusteredVectors(seededRandom(7), counts.at(-1) ?? 0, dimension);
      const tested = new IndexUnderTest(shapeOf(dimension, 'euclidean', walksOn));
      for (const count of counts) {
        for (let label = tested.rows.size; label < count; label += 1)
          tested.put(label, rows[label] ?? new Float32Array(dimension));
        tested.settle();
        for (const last of passing) {
          const labels = Float64Array.from({ length: last }, (_, at) => count - last + at);
          const filter = tested.index.setFilter(labels);
          for (let label = count - 70; label < count; label += 1) {
            const query = rows[label] ?? new Float32Array(dimension);
            const found = tested.index.search(query, wanted, filter);
            assert.deepEqual(found, [{ label, key: 0 }], `row ${label} of ${count}`);
          }
        }
      }
    });
  }
});
