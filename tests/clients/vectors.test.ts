// Vectors through the official client: its own vector type, plain arrays, indexes, and searches with their options.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataAPIVector, vector } from '@datastax/astra-db-ts';
import { type AnyTable, assertRefused, type Connection, connect, createTable } from './connect.js';

describe('vectors of the official client', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    table = await createTable(connection.db, 'pictures', {
      columns: {
        id: 'int',
        kind: 'text',
        shape: vectorColumn(3),
        colour: vectorColumn(2),
      },
      primaryKey: 'id',
    });
    // In the order of their names, in which a cluster lists them.
    await table.createVectorIndex('by_colour', 'colour', { options: { sourceModel: 'other' } });
    await table.createVectorIndex('by_shape', 'shape', { options: { metric: 'dot_product' } });
    await table.insertMany([
      { id: 1, kind: 'a', shape: vector([0.1, 0.2, 0.3]), colour: [1, 0] },
      { id: 2, kind: 'b', shape: [0.3, 0.2, 0.1], colour: vector([1, 1]) },
      { id: 3, kind: 'a', shape: vector(new Float32Array([1, 1.345, 123.456])), colour: vector([0, 1]) },
      { id: 4, kind: 'b' },
    ]);
  });
  after(() => connection.close());

  it('shows the columns and indexes as they were defined', async () => {
    const { columns } = await table.definition();
    assert.deepEqual(
      [columns['shape'], columns['colour']].map((column) => [
        column?.type,
        Reflect.get(column ?? {}, 'dimension'),
      ]),
      [
        ['vector', 3],
        ['vector', 2],
      ],
    );
    assert.deepEqual(await table.listIndexes(), [
      {
        name: 'by_colour',
        definition: { column: 'colour', options: { metric: 'cosine', sourceModel: 'other' } },
        indexType: 'vector',
      },
      {
        name: 'by_shape',
        definition: { column: 'shape', options: { metric: 'dot_product', sourceModel: 'other' } },
        indexType: 'vector',
      },
    ]);
  });

  it('gives vectors back as they were written, whatever their form', async () => {
    const rows = await table.find({ id: { $in: [1, 2, 3, 4] } }).toArray();
    const arrays = rows.map(({ shape, colour }) => [arrayOf(shape), arrayOf(colour)]);
    assert.deepEqual(arrays, [
      [
        [0.1, 0.2, 0.3],
        [1, 0],
      ],
      [
        [0.3, 0.2, 0.1],
        [1, 1],
      ],
      [
        [1, 1.345, 123.456],
        [0, 1],
      ],
      [null, null],
    ]);
  });

  const queries: Readonly<Record<string, DataAPIVector | number[]>> = {
    'its vector type': vector([1, 0.5]),
    'an array': [1, 0.5],
  };
  for (const [name, query] of Object.entries(queries)) {
    it(`finds by ${name}, with similarity and the vector searched for`, async () => {
      const cursor = table
        .find({})
        .sort({ colour: query })
        .project({ id: 1 })
        .includeSimilarity(true)
        .includeSortVector(true);
      assert.deepEqual(arrayOf(await cursor.getSortVector()), [1, 0.5]);
      const rows = (await cursor.toArray()).map((row) => [row['id'], Reflect.get(row, '$similarity')]);
      assert.deepEqual(rows, [
        [2, 0.97434163],
        [1, 0.9472136],
        [3, 0.7236068],
      ]);
    });
  }

  it('finds under a filter, up to a limit, and one row', async () => {
    const rows = await table
      .find({ kind: 'a' })
      .sort({ shape: vector([1, 0, 0]) })
      .limit(5)
      .toArray();
    assert.deepEqual(
      rows.map(({ id }) => id),
      [3, 1],
    );
    // The longest vector is the best: a search on a cluster is approximate, and may miss one that others hide.
    const best = await table.findOne({}, { sort: { shape: [1, 0, 0] }, includeSimilarity: true });
    assert.deepEqual([best?.['id'], Reflect.get(best ?? {}, '$similarity')], [3, 1]);
  });

  it('changes vectors, and finds by the new ones', async () => {
    await table.updateOne({ id: 4 }, { $set: { colour: vector([-1, 0.25]) } });
    const best = await table.findOne({}, { sort: { colour: [-1, 0.25] }, projection: { id: 1 } });
    assert.deepEqual(best, { id: 4 });
    await table.updateOne({ id: 4 }, { $unset: { colour: '' } });
    assert.notDeepEqual(
      await table.findOne({}, { sort: { colour: [-1, 0.25] }, projection: { id: 1 } }),
      best,
    );
  });

  it('gets the error of a wrong vector', async () => {
    const refuses = (work: Promise<unknown>, scope: string, code: string) =>
      assertRefused(work, { code, scope });
    const bad = 'INVALID_COLUMN_VALUES';
    await refuses(table.insertOne({ id: 9, shape: vector([1, 2]) }), 'DOCUMENT', bad);
    await refuses(table.insertOne({ id: 9, shape: [1, 2, 3, 4] }), 'DOCUMENT', bad);
    await refuses(table.insertOne({ id: 9, shape: vector([1, 2, Number.NaN]) }), 'DOCUMENT', bad);
    await refuses(table.updateOne({ id: 9 }, { $set: { colour: [0, 0] } }), 'UPDATE', bad);
    const dimension = 'CANNOT_VECTOR_SORT_ON_MISMATCHED_VECTOR_DIMENSIONS';
    await refuses(
      table
        .find({})
        .sort({ shape: [1, 2] })
        .toArray(),
      'SORT',
      dimension,
    );
    await refuses(
      table.find({}).sort({ shape: 'a text' }).toArray(),
      'SORT',
      'CANNOT_VECTORIZE_SORT_WHEN_MISSING_VECTORIZE_DEFINITION',
    );
    await refuses(table.find({ shape: vector([1, 2, 3]) }).toArray(), 'FILTER', 'INVALID_FILTER_EXPRESSION');
  });
});

function vectorColumn(dimension: number) {
  return { type: 'vector', dimension };
}

function arrayOf(found: unknown): readonly number[] | null {
  if (found === null || found === undefined) return null;
  assert.ok(found instanceof DataAPIVector, `${found} is a vector`);
  return found.asArray();
}
