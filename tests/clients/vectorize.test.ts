// Embeddings from text through the official client, with the built-in provider.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DataAPIResponseError, DataAPIVector, vector } from '@datastax/astra-db-ts';
import { type AnyTable, assertRefused, type Connection, connect } from './connect.js';

const service = { provider: 'colonnade', modelName: 'hashed-ngrams' } as const;
const quotes = [
  { id: 1, quote: 'The quick brown fox jumps over the lazy dog' },
  { id: 2, quote: 'Databases keep rows; indexes find them' },
  { id: 3, quote: 'Rain is expected in the north, sunshine in the south' },
];

describe('vectorize through the official client', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    table = await connection.db.createTable('quotes', {
      definition: {
        columns: { id: 'int', quote: 'text', v: { type: 'vector', dimension: 128, service } },
        primaryKey: 'id',
      },
    });
    await table.createVectorIndex('by_quote', 'v', { options: { metric: 'cosine' } });
    await table.insertMany(quotes.map((row) => ({ ...row, v: row.quote })));
  });
  after(() => connection.close());

  it('lists the service with its column', async () => {
    const [listed] = await connection.db.listTables();
    assert.deepEqual(listed?.definition.columns['v'], {
      type: 'vector',
      dimension: 128,
      service,
      apiSupport: {
        createTable: true,
        insert: true,
        read: true,
        filter: false,
        cqlDefinition: 'vector<float, 128>',
      },
    });
  });

  it('lists the providers, their models and parameters', async () => {
    const admin = connection.db.admin({ environment: 'other' });
    const { embeddingProviders } = await admin.findEmbeddingProviders();
    const { colonnade, openai } = embeddingProviders;
    assert.equal(colonnade?.supportedAuthentication['NONE']?.enabled, true);
    assert.deepEqual(
      colonnade?.models.map(({ name }) => name),
      ['hashed-ngrams'],
    );
    assert.equal(openai?.models.length, 3);
  });

  it('reads embeddings back as vectors of the dimension', async () => {
    const row = await table.findOne({ id: 1 });
    assert.ok(row?.['v'] instanceof DataAPIVector);
    assert.equal(row['v'].asArray().length, 128);
    assert.equal(row['quote'], quotes[0]?.quote);
  });

  it('finds by words, by their forms and with spelling mistakes', async () => {
    for (const [query, id] of [
      ['indexes of a database', 2],
      ['quick browwn foxes', 1],
      ['sunny south, rainy north', 3],
    ] as const) {
      assert.equal((await table.findOne({}, { sort: { v: query } }))?.['id'], id, query);
      const rows = await table.find({}, { sort: { v: query }, limit: 2 }).toArray();
      assert.deepEqual([rows.length, rows[0]?.['id']], [2, id], query);
    }
  });

  it('gives similarity and the vector of the query', async () => {
    const cursor = table.find(
      {},
      { sort: { v: quotes[1]?.quote ?? '' }, includeSimilarity: true, includeSortVector: true },
    );
    const sortVector = await cursor.getSortVector();
    assert.equal(sortVector?.asArray().length, 128);
    const [first] = await cursor.toArray();
    assert.deepEqual([first?.['id'], first?.['$similarity']], [2, 1]);
  });

  it('embeds again with $set, and takes vectors beside texts', async () => {
    await table.insertOne({ id: 4, v: vector(Array.from({ length: 128 }, () => 0.5)) });
    await table.updateOne({ id: 4 }, { $set: { v: 'penguins walk on ice' } });
    assert.equal((await table.findOne({}, { sort: { v: 'ice walking penguin' } }))?.['id'], 4);
    await table.deleteOne({ id: 4 });
  });

  it('is switched off and on by alter', async () => {
    await table.alter({ operation: { dropVectorize: { columns: ['v'] } } });
    await assertRefused(table.insertOne({ id: 5, v: 'a text' }), {
      code: 'UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION',
      scope: 'DOCUMENT',
    });
    await assertRefused(table.findOne({}, { sort: { v: 'a text' } }), {
      code: 'CANNOT_VECTORIZE_SORT_WHEN_MISSING_VECTORIZE_DEFINITION',
      scope: 'SORT',
    });
    await table.alter({ operation: { addVectorize: { columns: { v: service } } } });
    assert.equal((await table.findOne({}, { sort: { v: 'lazy dogs' } }))?.['id'], 1);
  });

  it('reports that a provider needs a key, and stores nothing', async () => {
    const other = await connection.db.createTable('keyed', {
      definition: {
        columns: {
          id: 'int',
          v: {
            type: 'vector',
            dimension: 1024,
            service: { provider: 'mistral', modelName: 'mistral-embed' },
          },
        },
        primaryKey: 'id',
      },
    });
    const error = await other.insertOne({ id: 1, v: 'a text' }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof DataAPIResponseError);
    const [{ errorCode, family, scope }] = error.errorDescriptors;
    assert.deepEqual(
      [errorCode, family, scope],
      ['EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED', 'SERVER', 'EMBEDDING_PROVIDER'],
    );
    assert.equal(await other.findOne({ id: 1 }), null);
  });
});
