// Vectors whose codes have large products, for tests of what an index finds in many dimensions.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bestToWalkOn } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { normal } from './brute-force.js';
import { metrics } from './filled-index.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

/** The next element of a vector: `at` is its place, `row` the number of the vector. */
type Element = (random: SeededRandom, at: number, row: number) => number;

const kinds: Readonly<Record<string, Element>> = {
  random: normal,
  'all positive': (random) => random.below(2 ** 24) / 2 ** 24,
  'plus and minus one': (random) => (random.chance(0.5) ? 1 : -1),
  constant: (_, __, row) => row + 1,
  mixed: (random, at) => (at % 3 === 0 ? 1 : at % 3 === 1 ? normal(random) : random.below(1000) / 1000),
};

/** The number of rows that are searched for by themselves. */
const searches = 3;
/** The number of rows of which a walk is used: it may miss neighbours of rows without structure, but not the row. */
const rowsOfWalk = 2048;

/** Declares that both forms of an index find what a comparison of all rows finds, by every metric. */
export function itFindsWide(dimension: number, rows: number): void {
  for (const quantization of ['int8', 'none'] as const) {
    for (const metric of metrics) {
      it(`finds the nearest of ${rows} rows in ${dimension} dimensions by ${metric}, with ${quantization}`, () => {
        for (const [kind, element] of Object.entries(kinds)) {
          // Many rows in the same direction: by the dot product, walks do not lead to the longest, and by the Euclidean
          // distance they differ by less than the precision of codes.
          const isTooNear = metric === 'dot_product' || (metric === 'euclidean' && quantization === 'int8');
          if (kind === 'constant' && isTooNear && rows >= rowsOfWalk) continue;
          const random = seededRandom(dimension);
          const vectors = Array.from({ length: rows }, (_, row) =>
            Float32Array.from({ length: dimension }, (__, at) => element(random, at, row)),
          );
          const index = new IndexUnderTest(shapeOf(dimension, metric, bestToWalkOn(dimension, quantization)));
          for (const [label, vector] of vectors.entries()) index.put(label, vector);
          const queries = vectors.slice(-searches);
          const limit = rows < rowsOfWalk ? 5 : 1;
          const check = (found: number, state: string) => assert.equal(found, 1, `${kind}, ${state}`);
          check(index.recall(queries, limit), 'not linked');
          index.settle();
          check(index.recall(queries, limit), 'linked');
          check(
            index.recall(queries, limit, (label) => label % 3 > 0),
            'filtered',
          );
        }
      });
    }
  }
}
