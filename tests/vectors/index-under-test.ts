// A vector index and the rows that it should have, so that every search can be checked.
import type { GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { GraphIndex } from '../../src/data-service/engine/embedded/vectors/graph-index.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { distanceBy, nearestDistances, recallOf } from './brute-force.js';

/** A shape for tests. */
export function shapeOf(
  dimension: number,
  metric: VectorMetric,
  walksOn: GraphShape['walksOn'] = 'codesAlone',
): GraphShape {
  return { dimension, metric, walksOn, maxRows: 2 ** 20 };
}

/** The number of further hits that are ranked when keys are not exact, at least as in the server. */
const spareHits = 6;

/** An index and the rows that it should have. */
export class IndexUnderTest {
  readonly index: GraphIndex;
  readonly rows = new Map<number, Float32Array>();
  readonly #shape: GraphShape;

  constructor(shape: GraphShape) {
    this.index = new GraphIndex(shape);
    this.#shape = shape;
  }

  put(label: number, vector: Float32Array): void {
    this.index.put(label, vector);
    this.rows.set(label, vector);
  }

  remove(label: number): boolean {
    this.rows.delete(label);
    return this.index.remove(label);
  }

  /** Links all rows that wait and takes out all removed ones. */
  settle(): void {
    while (this.index.work(256)) {}
  }

  /** The mean recall of searches, without a filter or with one; no hit may be wrong. */
  recall(
    queries: readonly Float32Array[],
    limit: number,
    passes: ((label: number) => boolean) | undefined = undefined,
  ): number {
    const { metric } = this.#shape;
    const passing = [...this.rows].filter(([label]) => passes?.(label) ?? true);
    const filter = passes && this.index.setFilter(Float64Array.from(passing, ([label]) => label));
    const recalls = queries.map((query) => {
      const spare = this.#shape.walksOn === 'codesAlone' ? spareHits : 0;
      const wanted = { limit: limit + spare, breadth: Math.max(64, limit + spare) };
      const hits = this.index.search(query, wanted, filter);
      const found = hits.map(({ label }) => {
        const row = this.rows.get(label);
        if (row === undefined || passes?.(label) === false)
          throw new Error(`found ${label}, which should not be`);
        return distanceBy(metric, row, query);
      });
      found.sort((left, right) => left - right).splice(limit);
      if (new Set(hits.map(({ label }) => label)).size !== hits.length) throw new Error('found a row twice');
      const wantedDistances = nearestDistances(
        metric,
        passing.map(([, row]) => row),
        query,
        limit,
      );
      return recallOf(found, wantedDistances);
    });
    return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
  }
}
