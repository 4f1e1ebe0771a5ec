// After any changes of a graph, its links, counts and twins agree, and every row can be reached.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Graph } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { shapeOf } from './index-under-test.js';
import { countUnreachable, findBreaches, inspectGraph } from './inspect-graph.js';

const labels = 4000;

/** Changes some rows, in the graph and in `present`, the labels that there should be. */
function changeSome(
  graph: Graph,
  present: Set<number>,
  vectors: readonly Float32Array[],
  random: SeededRandom,
): void {
  const removes = random.chance(0.5);
  for (let change = random.below(1500); change > 0; change -= 1) {
    const label = random.below(labels);
    if (removes && random.chance(0.8)) {
      assert.equal(graph.remove(label), present.delete(label));
      continue;
    }
    // There are few vectors, so that many are equal; replaced rows mostly get another one.
    assert.ok(graph.put(label, random.pick(random.chance(0.7) ? vectors : vectors.slice(0, 3))));
    present.add(label);
  }
}

describe('a graph', () => {
  for (const walksOn of ['codes', 'codesAlone', 'floats'] as const) {
    it(`holds its invariants under random changes, walking on ${walksOn}`, () => {
      const seed = newSeed();
      const random = seededRandom(seed);
      // Some are of a length that the graph does not take.
      const vectors = clusteredVectors(random, 6000, 20).map((vector) =>
        random.oneIn(20) ? vector.map((value) => value * random.pick([1e20, 1e-24])) : vector,
      );
      const graph = new Graph(shapeOf(20, random.pick(['cosine', 'euclidean', 'dot_product']), walksOn));
      const present = new Set<number>();
      for (let label = 0; label < 3000; label += 1) {
        graph.put(label, random.pick(vectors));
        present.add(label);
      }
      for (let round = 0; round < 25; round += 1) {
        changeSome(graph, present, vectors, random);
        // Often the work is not finished.
        let steps = random.oneIn(3) ? Number.POSITIVE_INFINITY : random.below(20);
        while (steps > 0 && graph.work(64)) steps -= 1;
        const seen = inspectGraph(graph.memory, graph.recordsAt);
        const about = `seed ${seed}, round ${round}`;
        assert.deepEqual(findBreaches(seen), [], about);
        assert.equal(countUnreachable(seen), 0, about);
        assert.equal(graph.rowCount, present.size, about);
        for (let label = 0; label < labels; label += 37) {
          assert.equal(graph.has(label), present.has(label), `${about}, label ${label}`);
        }
      }
    });
  }

  it('finds a row again by its label among as many as a table of labels holds', () => {
    const graph = new Graph(shapeOf(2, 'euclidean', 'floats'));
    const far = 2 ** 53 - 1;
    for (let i = 0; i < 5000; i += 1) graph.put(far - i * 1_000_003, Float32Array.of(i, 1));
    for (let i = 0; i < 5000; i += 3) graph.remove(far - i * 1_000_003);
    const hits = graph.search(Float32Array.of(301, 1), 1, { kind: 'exact' }, false);
    assert.deepEqual(hits, [{ label: far - 301 * 1_000_003, key: 0 }]);
    for (let i = 0; i < 5000; i += 1) assert.equal(graph.has(far - i * 1_000_003), i % 3 !== 0);
    assert.throws(() => graph.put(2 ** 53, Float32Array.of(0, 0)), RangeError);
  });
});
