// The vector index finds what a comparison of every row finds, however large or small elements of rows and queries are.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { normal } from './brute-force.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';

/**
 * Well below the recall of such vectors: by cosine in 40 dimensions the least of 120 rounds was 0.98, and another one
 * had 0.977. A search that magnitudes mislead finds far less.
 */
const enough = 0.95;

const factors = [1, 1e20, 1e-24, 1e36, 1e-38, 1000, 0.001];

/** Vectors of which most have one magnitude, and the others any. */
function mixedVectors(random: SeededRandom, count: number, dimension: number): Float32Array[] {
  const most = random.pick([1, 1, 1, 1e9, 1e-9, 1e20, 1e-24]);
  const others = random.pick([2, 10, 100]);
  return Array.from({ length: count }, () => {
    const factor = random.oneIn(others) ? random.pick(factors) : most;
    return Float32Array.from({ length: dimension }, () => bounded(normal(random) * factor));
  });
}

function bounded(value: number): number {
  return Math.max(-3e38, Math.min(3e38, value));
}

describe('the vector index, given vectors of all magnitudes', () => {
  for (const metric of ['dot_product', 'euclidean', 'cosine'] as const) {
    for (const [dimension, walksOn] of [
      [6, 'floats'],
      [40, 'codes'],
      [40, 'codesAlone'],
    ] as const) {
      it(`finds the nearest rows by ${metric} in ${dimension} dimensions, walking on ${walksOn}`, () => {
        const seed = newSeed();
        const random = seededRandom(seed);
        for (let round = 0; round < 3; round += 1) {
          const vectors = mixedVectors(random, 3000, dimension);
          const index = new IndexUnderTest(shapeOf(dimension, metric, walksOn));
          for (const [label, vector] of vectors.entries()) index.put(label, vector);
          const queries = [...mixedVectors(random, 10, dimension), ...random.some(vectors, 20)];
          const about = `seed ${seed}, round ${round}`;
          const unlinked = index.recall(queries, 10);
          // Codes do not distinguish the smallest of the values that floats can have.
          const wanted = walksOn === 'codesAlone' ? enough : 1;
          assert.ok(unlinked >= wanted, `${about}, before they are linked: ${unlinked}`);
          index.settle();
          assert.ok(index.recall(queries, 10) >= enough, `${about}, linked: ${index.recall(queries, 10)}`);
          const filtered = index.recall(queries, 10, (label) => label % 5 === 0);
          assert.ok(filtered >= enough, `${about}, filtered: ${filtered}`);
        }
      });
    }
  }
});
