// Vector indexes with rows from a seed, for tests of what they find.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { clusteredVectors, normal } from './brute-force.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

/** All of them. */
export const metrics: readonly VectorMetric[] = ['cosine', 'dot_product', 'euclidean'];
/** The recall that rows with some structure must reach. */
export const enough = 0.98;

/** An index of rows in clusters, and queries near them. */
export function filled(
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

/** Declares that an index finds the nearest rows in these dimensions, walking on codes where there are some. */
export function itFindsNearest(metric: VectorMetric, dimensions: readonly number[]): void {
  for (const walksOn of ['codes', 'codesAlone', 'floats'] as const) {
    for (const dimension of dimensions) {
      if (walksOn !== 'floats' && dimension < 17) continue;
      it(`finds the nearest rows by ${metric} in ${dimension} dimensions, walking on ${walksOn}`, () => {
        const { index, queries } = filled(shapeOf(dimension, metric, walksOn), 3000);
        index.settle();
        assert.equal(index.index.waitingCount, 0);
        const recall = index.recall(queries, 10);
        assert.ok(recall >= enough, `recall ${recall}`);
      });
    }
  }
}

/** A vector without any structure. */
export function randomVector(random: SeededRandom, dimension: number): Float32Array {
  return Float32Array.from({ length: dimension }, () => normal(random));
}

/** The vector in the same direction with another length. */
export function ofLength(length: number, vector: Float32Array): Float32Array {
  const scale = length / Math.hypot(...vector);
  return vector.map((value) => value * scale);
}
