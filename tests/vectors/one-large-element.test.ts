// The vector index finds the nearest rows when one element is much larger than the others: codes are relative to the
// centre of the rows from the beginning, and vectors are rotated where the centre is not near all rows.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { enough, metrics } from './filled-index.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

const dimension = 64;
/** How the first elements of vectors are replaced. */
const firstElements = {
  'a constant': () => 400,
  'a year': (row: number) => 1990 + (row % 36),
} as const;

function vectorsWith(first: (row: number) => number, count: number): Float32Array[] {
  return clusteredVectors(seededRandom(11), count, dimension).map((vector, row) =>
    vector.with(0, first(row)),
  );
}

describe('the vector index, given one element that is much larger than the others', () => {
  for (const [kind, first] of Object.entries(firstElements)) {
    for (const metric of metrics) {
      it(`finds the nearest rows by ${metric} beside ${kind}, however many there are`, () => {
        const vectors = vectorsWith(first, 3030);
        const queries = vectors.splice(0, 30);
        const index = new IndexUnderTest(shapeOf(dimension, metric));
        for (const [label, vector] of vectors.entries()) {
          index.put(label, vector);
          // One row, some rows, the last one without a centre and the first one with it, and before a graph.
          if ([0, 20, 30, 31, 32, 255, 1999].includes(label)) {
            assert.equal(index.recall(queries, 10), 1, `${label + 1} rows`);
          }
        }
        index.settle();
        assert.equal(index.index.waitingCount, 0);
        const recall = index.recall(queries, 10);
        // By the dot product, walks miss some rows beside a constant, also with 32-bit values.
        assert.ok(recall >= (metric === 'dot_product' ? 0.95 : enough), `recall ${recall}`);
      });
    }
  }

  const apart = {
    'a value of two groups': (row: number) => (row % 3 === 0 ? 100 : -100),
    'a value that the first rows do not have': (row: number) => (row < 300 ? 0 : 100),
  };
  for (const [kind, first] of Object.entries(apart)) {
    for (const metric of ['cosine', 'euclidean'] as const) {
      it(`finds most of the nearest rows by ${metric} beside ${kind}`, () => {
        const vectors = vectorsWith(first, 3030);
        const queries = vectors.splice(-30);
        const index = new IndexUnderTest(shapeOf(dimension, metric));
        for (const [label, vector] of vectors.entries()) index.put(label, vector);
        index.settle();
        const recall = index.recall(queries, 10);
        assert.ok(recall >= 0.95, `recall ${recall}`);
      });
    }
  }

  it('finds them after the first rows were removed, and when others are put again and again', () => {
    const vectors = vectorsWith(firstElements['a constant'], 600);
    const index = new IndexUnderTest(shapeOf(dimension, 'euclidean'));
    for (const [label, vector] of vectors.entries()) {
      index.put(label % 40, vector);
      if (label % 3 === 0) index.remove(label % 40);
      if (label % 50 === 49)
        assert.equal(index.recall(vectors.slice(0, 5), 10), 1, `after ${label + 1} changes`);
    }
  });

  it('finds them although some of the first rows have another magnitude', () => {
    const vectors = vectorsWith(firstElements['a constant'], 1000);
    const index = new IndexUnderTest(shapeOf(dimension, 'euclidean'));
    for (const [label, vector] of vectors.entries()) {
      index.put(label, label % 40 === 0 ? vector.map((value) => value * 1e20) : vector);
    }
    assert.ok(index.recall(vectors.slice(1, 20), 10) >= enough);
  });
});
