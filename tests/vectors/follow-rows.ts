// What a vector index finds while its rows change, by each metric.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { seededRandom } from '../seeded-random.js';
import { answeredBy, dimension, enough, meanRecall } from './measured-searches.js';
import { SearchedTable } from './searched-table.js';

/** A table with an index and some rows. */
export async function filledTable(
  engine: Engine,
  metric: VectorMetric,
  vectors: readonly Float32Array[],
): Promise<SearchedTable> {
  const table = await SearchedTable.make(engine, dimension, metric);
  await table.createIndex();
  await table.put(vectors.map((vector, id) => [id, vector]));
  return table;
}

/** Declares that the index follows the rows. `filled` gives a table with the first ones of the vectors. */
export function itFollowsRows(
  metric: VectorMetric,
  filled: (metric: VectorMetric, rows: number) => Promise<SearchedTable>,
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[],
): void {
  it(`finds every row by ${metric} as soon as it is acknowledged, and no removed one`, async () => {
    const table = await filled(metric, 300);
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
    const table = await filled(metric, 2500);
    await table.indexIsLoaded(answeredBy);
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
    await table.put(vectors.slice(2500).map((vector, at) => [2500 + at, vector]));
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
    for (let id = 0; id < 2000; id += 40) await table.remove(id);
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
  });
}
