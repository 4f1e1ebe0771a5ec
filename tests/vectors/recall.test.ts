// The vector index finds what looking at every row finds, whatever the metric, the dimension, the rows and the filter.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { clusteredVectors, normal } from './brute-force.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

const metrics: readonly VectorMetric[] = ['cosine', 'dot_product', 'euclidean'];
const enough = 0.98;

function filled(
  shape: GraphShape,
  rows: number,
  seed = 1,
): { index: IndexUnderTest; queries: Float32Array[] } {
  const random = seededRandom(seed);
  const vectors = clusteredVectors(random, rows + 40, shape.dimension);
  const index = new IndexUnderTest(shape);
  for (const [label, vector] of vectors.slice(40).entries()) index.put(label, vector);
  return { index, queries: vectors.slice(0, 40) };
}

function randomVector(random: SeededRandom, dimension: number): Float32Array {
  return Float32Array.from({ length: dimension }, () => normal(random));
}

function ofLength(length: number, vector: Float32Array): Float32Array {
  const scale = length / Math.hypot(...vector);
  return vector.map((value) => value * scale);
}

describe('the vector index', () => {
  for (const metric of metrics) {
    for (const walksOn of ['codes', 'floats'] as const) {
      for (const dimension of [1, 2, 3, 17, 48, 100]) {
        if (walksOn === 'codes' && dimension < 17) continue;
        it(`finds the nearest rows by ${metric} in ${dimension} dimensions, walking on ${walksOn}`, () => {
          const { index, queries } = filled(shapeOf(dimension, metric, walksOn), 3000);
          index.settle();
          assert.equal(index.index.waitingCount, 0);
          const recall = index.recall(queries, 10);
          assert.ok(recall >= enough, `recall ${recall}`);
        });
      }
    }

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
    // One row in ten passes, and all that do lie far from the others.
    for (const [label, vector] of vectors.entries())
      index.put(label, label % 10 === 0 ? vector.map((value) => value + 20) : vector);
    index.settle();
    const queries = [1, 2, 3, 10, 20].map((label) => index.rows.get(label) ?? new Float32Array(40));
    assert.ok(index.recall(queries, 10, (label) => label % 10 === 0) >= enough);
    // And some few that pass lie near: the way to the others must still be found.
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

  it('goes on in another memory when one is full, and replaces and removes rows in all of them', () => {
    const { index, queries } = filled({ ...shapeOf(32, 'cosine'), maxRows: 4096 }, 10_000);
    index.settle();
    assert.equal(index.index.memories.length, 3);
    assert.ok(index.recall(queries, 10) >= enough);
    assert.ok(index.recall(queries, 10, (label) => label % 10 === 0) >= enough);
    const others = clusteredVectors(seededRandom(8), 300, 32);
    // The first memory has no free place: what is replaced in it moves.
    for (const [at, vector] of others.entries()) index.put(at * 33, vector);
    for (let label = 1; label < 10_000; label += 100) assert.ok(index.remove(label));
    index.settle();
    assert.equal(index.index.rowCount, 9900);
    assert.ok(index.recall(queries, 10) >= enough);
    assert.ok(index.recall(others.slice(0, 20), 5) >= enough);
  });

  it('takes the largest dimension', () => {
    const { index, queries } = filled(shapeOf(8192, 'cosine'), 60);
    assert.equal(index.recall(queries.slice(0, 5), 10), 1);
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
      assert.ok(index.recall(queries, 10) >= enough, 'before the removed rows are let go');
      index.settle();
      assert.ok(index.recall(queries, 10) >= enough, 'after');
      assert.equal(index.index.rowCount, 4000);
    });
  }

  it('keeps its recall when all rows but those of some clusters are removed', () => {
    const { index, queries } = filled(shapeOf(40, 'euclidean'), 6000);
    index.settle();
    const near = [...index.rows].filter(([, [first = 0]]) => first > 1.5).map(([label]) => label);
    for (const label of index.rows.keys()) if (!near.includes(label)) index.remove(label);
    index.settle();
    assert.ok(index.recall(queries, 10) >= enough);
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
    assert.ok(index.recall(queries, 10) >= enough, 'before the old ones are let go');
    index.settle();
    assert.ok(index.recall(queries, 10) >= enough, 'after');
    assert.equal(index.index.rowCount, 5000);
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

  it('does not lose its way among duplicates', () => {
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
