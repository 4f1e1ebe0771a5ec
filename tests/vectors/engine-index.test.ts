// The embedded engine's vector index follows the rows: the next search finds what was acknowledged. Other
// metrics: follow-rows.long.test.ts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itFollowsRows, useSearchTrial } from './follow-rows.js';
import { answeredBy, dimension, enough, meanRecall } from './measured-searches.js';

describe('vector search on the embedded engine', () => {
  const trial = useSearchTrial();
  const { vectors, queries } = trial;

  itFollowsRows('cosine', trial);

  it('applies filters, with an index for them and without', async () => {
    const table = await trial.filledTable('cosine', 4000);
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
    const table = await trial.emptyTable('euclidean');
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
