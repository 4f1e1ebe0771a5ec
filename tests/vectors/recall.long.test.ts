// The vector index finds what a comparison of every row finds, in more dimensions, under more filters and changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { enough, filled, itFindsNearest, metrics, ofLength, randomVector } from './filled-index.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

describe('the vector index', () => {
  for (const metric of metrics) {
    itFindsNearest(metric, [1, 2, 3, 17, 100]);

    it(`finds rows by ${metric} that are longer or shorter than all before them`, () => {
      for (const length of [0.5, 1.05, 1.2, 2, 4]) {
        const random = seededRandom(3);
        const rows = Array.from({ length: 3500 }, (_, label) =>
          ofLength(label < 2500 ? 1 : length, randomVector(random, 24)),
        );
        const index = new IndexUnderTest(shapeOf(24, metric, 'codes'));
        for (const [label, row] of rows.entries()) {
          index.put(label, row);
          if (label === 2499) index.settle();
        }
        index.settle();
        const queries = Array.from({ length: 40 }, () => randomVector(random, 24));
        const recall = index.recall(queries, 10);
        // Rows without any structure are harder to find than `enough`.
        assert.ok(recall >= 0.93, `length ${length}: recall ${recall}`);
      }
    });

    it(`finds rows by ${metric} under filters of every selectivity`, () => {
      const { index, queries } = filled(shapeOf(40, metric), 10_000);
      index.settle();
      for (const oneIn of [1, 2, 4, 10, 50, 100, 1000, 10_000]) {
        const recall = index.recall(queries, 10, (label) => label % oneIn === 0);
        assert.ok(recall >= (oneIn >= 50 ? 1 : enough), `recall ${recall} where one of ${oneIn} passes`);
      }
      assert.ok(Number.isNaN(index.recall(queries, 10, () => false)));
    });
  }

  it('finds rows that pass where none of those near the query do', () => {
    const index = new IndexUnderTest(shapeOf(40, 'euclidean'));
    const vectors = clusteredVectors(seededRandom(5), 10_000, 40);
    // One row in ten passes, and all of these lie far from the others.
    for (const [label, vector] of vectors.entries())
      index.put(label, label % 10 === 0 ? vector.map((value) => value + 20) : vector);
    index.settle();
    const queries = [1, 2, 3, 10, 20].map((label) => index.rows.get(label) ?? new Float32Array(40));
    assert.ok(index.recall(queries, 10, (label) => label % 10 === 0) >= enough);
    // A few that pass lie near: the others must still be found.
    const passes = (label: number) => label % 10 === 0 || label < 8;
    assert.ok(index.recall(queries, 20, passes) >= enough);
  });

  it('finds rows that pass among many that are equal to rows that do not', () => {
    const index = new IndexUnderTest(shapeOf(40, 'cosine'));
    const vectors = clusteredVectors(seededRandom(6), 5000, 40);
    for (const [label, vector] of [...vectors, ...vectors].entries()) index.put(label, vector);
    index.settle();
    const passes = (label: number) => label >= 5000 && label % 5 === 0;
    assert.ok(index.recall(vectors.slice(0, 40), 10, passes) >= enough);
  });

  it('continues in another memory when one is full, and replaces and removes rows in all of them', () => {
    const { index, queries } = filled({ ...shapeOf(32, 'cosine'), maxRows: 4096 }, 10_000);
    index.settle();
    assert.equal(index.index.segments.length, 3);
    assert.ok(index.recall(queries, 10) >= enough);
    assert.ok(index.recall(queries, 10, (label) => label % 10 === 0) >= enough);
    const others = clusteredVectors(seededRandom(8), 300, 32);
    // The first memory has no free record: a row that is replaced in it moves to another memory.
    for (const [at, vector] of others.entries()) index.put(at * 33, vector);
    for (let label = 1; label < 10_000; label += 100) assert.ok(index.remove(label));
    index.settle();
    assert.equal(index.index.rowCount, 9900);
    assert.ok(index.recall(queries, 10) >= enough);
    assert.ok(index.recall(others.slice(0, 20), 5) >= enough);
  });

  it('finds up to a thousand rows', () => {
    const { index, queries } = filled(shapeOf(32, 'cosine'), 6000);
    index.settle();
    assert.ok(index.recall(queries, 1000) >= enough);
  });
});

describe('the vector index, changed', () => {
  for (const metric of metrics) {
    it(`keeps its recall by ${metric} when half of the rows are removed`, () => {
      const { index, queries } = filled(shapeOf(40, metric), 8000);
      index.settle();
      for (let label = 0; label < 8000; label += 2) assert.ok(index.remove(label));
      assert.ok(index.recall(queries, 10) >= enough, 'before the removed rows are taken out');
      index.settle();
      assert.ok(index.recall(queries, 10) >= enough, 'after');
      assert.equal(index.index.rowCount, 4000);
    });
  }

  it('finds rows among many duplicates', () => {
    const { index, queries } = filled(shapeOf(40, 'cosine'), 3000);
    const random = seededRandom(4);
    const some = random.some([...index.rows.values()], 5);
    for (let label = 3000; label < 6000; label += 1) index.put(label, random.pick(some));
    index.settle();
    assert.ok(index.recall(queries, 10) >= enough);
    assert.equal(index.recall(some, 300), 1);
    for (let label = 3000; label < 6000; label += 2) index.remove(label);
    index.settle();
    assert.equal(index.recall(some, 200), 1);
    assert.ok(index.recall(queries, 10, (label) => label >= 3000 || label % 3 === 0) >= enough);
  });

  it('keeps its recall when every row is replaced by another one', () => {
    const { index } = filled(shapeOf(40, 'cosine'), 5000);
    index.settle();
    const others = clusteredVectors(seededRandom(2), 5040, 40);
    const queries = others.splice(0, 40);
    for (const [label, vector] of others.entries()) {
      index.put(label, vector);
      if (label % 500 === 0) index.index.work(300);
    }
    assert.ok(index.recall(queries, 10) >= enough, 'before the old ones are taken out');
    index.settle();
    assert.ok(index.recall(queries, 10) >= enough, 'after');
    assert.equal(index.index.rowCount, 5000);
  });
});
