// What a vector index finds while its rows change, by each metric.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { answeredBy, dimension, enough, meanRecall, openForSearches } from './measured-searches.js';
import { SearchedTable } from './searched-table.js';

/** Tables on an engine, what to fill them with, and what to search. */
export interface SearchTrial {
  readonly vectors: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
  /** A table with nothing in it. */
  emptyTable(metric: VectorMetric): Promise<SearchedTable>;
  /** A table with an index and the first ones of the vectors. */
  filledTable(metric: VectorMetric, rows: number): Promise<SearchedTable>;
}

/** Opens an engine for the suite that calls; it is closed behind its last test. */
export function useSearchTrial(): SearchTrial {
  const vectors = clusteredVectors(seededRandom(5), 4100, dimension);
  const queries = vectors.splice(0, 20);
  let engine: Engine;
  before(async () => {
    engine = await openForSearches(newDataDirectory());
  });
  after(() => engine.close());
  const emptyTable = (metric: VectorMetric) => SearchedTable.make(engine, dimension, metric);
  return {
    vectors,
    queries,
    emptyTable,
    filledTable: async (metric, rows) => {
      const table = await emptyTable(metric);
      await table.createIndex();
      await table.put(vectors.slice(0, rows).map((vector, id) => [id, vector]));
      return table;
    },
  };
}

/** Declares that the index follows the rows. */
export function itFollowsRows(metric: VectorMetric, { vectors, queries, filledTable }: SearchTrial): void {
  it(`finds every row by ${metric} as soon as it is acknowledged, and no removed one`, async () => {
    const table = await filledTable(metric, 300);
    await table.indexIsLoaded(answeredBy);
    const random = seededRandom(9);
    for (let change = 0; change < 150; change += 1) {
      const id = random.below(400);
      const kind = random.pick(['put', 'put', 'remove', 'clear'] as const);
      if (kind === 'put') await table.put([[id, random.pick(vectors)]]);
      else await table[kind](id);
      assert.equal(await table.recall(random.pick(queries), 20), 1);
      assert.equal(answeredBy(), 'index');
    }
  });

  it(`finds rows by ${metric} through the graph while it grows`, async () => {
    const table = await filledTable(metric, 2500);
    await table.indexIsLoaded(answeredBy);
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
    await table.put(vectors.slice(2500).map((vector, at) => [2500 + at, vector]));
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
    for (let id = 0; id < 2000; id += 40) await table.remove(id);
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
  });
}
