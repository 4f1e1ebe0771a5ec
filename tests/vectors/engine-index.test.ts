// The embedded engine's vector index follows the rows: the next search finds what was acknowledged.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { answeredBy, dimension, enough, meanRecall, metrics, openForSearches } from './measured-searches.js';
import { SearchedTable } from './searched-table.js';

describe('vector search on the embedded engine', () => {
  const vectors = clusteredVectors(seededRandom(5), 4100, dimension);
  const queries = vectors.splice(0, 20);
  let engine: Engine;

  before(async () => {
    engine = await openForSearches(newDataDirectory());
  });
  after(() => engine.close());

  async function filled(metric: VectorMetric, rows: number): Promise<SearchedTable> {
    const table = await SearchedTable.make(engine, dimension, metric);
    await table.createIndex();
    await table.put(vectors.slice(0, rows).map((vector, id) => [id, vector]));
    return table;
  }

  for (const metric of metrics) {
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

  it('applies filters, with an index for them and without', async () => {
    const table = await filled('cosine', 4000);
    await table.indexIsLoaded(answeredBy);
    const evens = (id: number) => id % 100 < 50;
    assert.ok((await meanRecall(table, queries, 10, '{"part":{"$lt":50}}', evens)) >= enough);
    assert.equal(await meanRecall(table, queries, 10, '{"part":7}', (id) => id % 100 === 7), 1);
    assert.equal(
      await meanRecall(table, queries, 3, '{"id":{"$in":[5,17,2000]}}', (id) => [5, 17, 2000].includes(id)),
      1,
    );
    assert.deepEqual((await table.find(queries[0] ?? new Float32Array(), 10, '{"part":1000}')).rows, []);
    assert.equal((await table.find(queries[0] ?? new Float32Array(), 1000)).rows.length, 1000);
  });

  it('indexes the rows that are older than the index, and answers meanwhile', async () => {
    const table = await SearchedTable.make(engine, dimension, 'euclidean');
    await table.put(vectors.slice(0, 3000).map((vector, id) => [id, vector]));
    await table.createIndex();
    assert.ok((await meanRecall(table, queries.slice(0, 3), 10)) >= enough);
    await table.indexIsLoaded(answeredBy);
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
    await table.dropIndex();
    await table.put([[0, queries[0] ?? new Float32Array(dimension)]]);
    await table.createIndex();
    await table.indexIsLoaded(answeredBy);
    assert.equal((await table.find(queries[0] ?? new Float32Array(), 1)).rows[0]?.[0], 0);
  });
});
