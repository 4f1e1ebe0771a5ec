// The vector index finds what a comparison of every row finds, whatever the metric, the rows and the filter. Most
// dimensions, filters and changes: the long file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { enough, filled, itFindsNearest, metrics } from './filled-index.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

describe('the vector index', () => {
  for (const metric of metrics) {
    itFindsNearest(metric, [48]);

    it(`finds rows by ${metric} that are not linked yet, exactly`, () => {
      const { index, queries } = filled(shapeOf(48, metric), 3000);
      assert.equal(index.recall(queries, 10), 1);
      index.index.work(1500);
      assert.ok(index.index.waitingCount > 1000);
      assert.ok(index.recall(queries, 10) >= enough);
    });

    it(`finds rows by ${metric} among few rows, and none among none`, () => {
      const { index, queries } = filled(shapeOf(5, metric, 'floats'), 7);
      assert.deepEqual(new IndexUnderTest(shapeOf(5, metric)).recall(queries, 10), Number.NaN);
      assert.equal(index.recall(queries, 10), 1);
      assert.equal(
        index.index.search(queries[0] ?? new Float32Array(5), { limit: 10, breadth: 64 }).length,
        7,
      );
    });
  }

  it('takes less than half the memory of the vectors with codes alone', () => {
    const dimension = 384;
    const { index } = filled(shapeOf(dimension, 'cosine'), 3000);
    index.settle();
    const [segment] = index.index.segments;
    assert.ok((segment?.usedBytes ?? Number.NaN) < (3000 * dimension * 4) / 2);
  });

  it('takes the largest dimension', () => {
    const { index, queries } = filled(shapeOf(8192, 'cosine'), 60);
    assert.equal(index.recall(queries.slice(0, 5), 10), 1);
  });
});

describe('the vector index, changed', () => {
  it('keeps its recall when all rows but those of some clusters are removed', () => {
    const { index, queries } = filled(shapeOf(40, 'euclidean'), 6000);
    index.settle();
    const near = [...index.rows].filter(([, [first = 0]]) => first > 1.5).map(([label]) => label);
    for (const label of index.rows.keys()) if (!near.includes(label)) index.remove(label);
    index.settle();
    assert.ok(index.recall(queries, 10) >= enough);
  });

  it('can be emptied and filled again', () => {
    const { index, queries } = filled(shapeOf(24, 'cosine'), 3000);
    index.settle();
    for (const label of [...index.rows.keys()]) index.remove(label);
    index.settle();
    assert.equal(index.index.rowCount, 0);
    for (const [label, vector] of clusteredVectors(seededRandom(3), 3000, 24).entries())
      index.put(label + 1e6, vector);
    index.settle();
    assert.ok(index.recall(queries, 10) >= enough);
  });

  it('finds nothing twice and nothing wrong when all rows are equal', () => {
    const index = new IndexUnderTest(shapeOf(20, 'euclidean'));
    for (let label = 0; label < 4000; label += 1) index.put(label, new Float32Array(20).fill(1));
    index.settle();
    assert.equal(index.recall([new Float32Array(20)], 100), 1);
    assert.equal(
      index.recall([new Float32Array(20)], 100, (label) => label % 7 === 0),
      1,
    );
  });
});
