// Collections of documents through the official client: creation, inserts, cursors, updates, searches, errors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Collection,
  CollectionInsertManyError,
  DataAPIResponseError,
  DataAPIVector,
  ObjectId,
  type SomeDoc,
  TooManyDocumentsToCountError,
  UUID,
  vector,
} from '@datastax/astra-db-ts';
import { type Connection, connect } from './connect.js';

const service = { provider: 'colonnade', modelName: 'hashed-ngrams' } as const;
const fusion = { provider: 'colonnade', modelName: 'reciprocal-rank-fusion' };

describe('collections through the official client', () => {
  let connection: Connection;
  let people: Collection<SomeDoc>;
  before(async () => {
    connection = await connect();
    people = await connection.db.createCollection<SomeDoc>('people', {
      vector: { dimension: 2, metric: 'cosine' },
      indexing: { deny: ['secret'] },
    });
  });
  after(() => connection.close());

  /** Checks the code of a refusal. */
  async function assertCode(work: Promise<unknown>, code: string): Promise<void> {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof DataAPIResponseError, String(error));
      assert.equal(error.errorDescriptors[0].errorCode, code);
      return true;
    });
  }

  it('lists collections with their options', async () => {
    const rerank = { enabled: true, service: fusion };
    const lexical = { enabled: true, analyzer: 'standard' };
    const options = {
      vector: { dimension: 2, metric: 'cosine', sourceModel: 'other' },
      indexing: { deny: ['secret'] },
      lexical,
      rerank,
    };
    assert.deepEqual(await people.options(), options);
    assert.deepEqual(await connection.db.listCollections(), [{ name: 'people', definition: options }]);
    assert.deepEqual(await connection.db.listCollections({ nameOnly: true }), ['people']);
    await assertCode(connection.db.createCollection('people'), 'EXISTING_COLLECTION_DIFFERENT_SETTINGS');
    const { rerankingProviders } = await connection.db
      .admin({ environment: 'other' })
      .findRerankingProviders();
    assert.deepEqual(Object.keys(rerankingProviders), ['colonnade', 'nvidia']);
  });

  it('keeps values of every kind', async () => {
    const whole = {
      _id: new UUID('f47ac10b-58cc-4372-a567-0e02b2c3d479'),
      born: new Date('1815-12-10'),
      objectId: new ObjectId('507f1f77bcf86cd799439011'),
      nothing: null,
      nested: { list: [1, 'two', { three: true }], empty: {} },
      $vector: vector([0.5, 0.25]),
    };
    const { insertedId } = await people.insertOne(whole);
    assert.ok(insertedId instanceof UUID && insertedId.equals(whole._id));
    const found = await people.findOne({ _id: whole._id }, { projection: { '*': 1 } });
    assert.ok(found?.['$vector'] instanceof DataAPIVector);
    assert.deepEqual(found['$vector'].asArray(), [0.5, 0.25]);
    assert.deepEqual(found['born'], whole.born);
    assert.ok(found['objectId'] instanceof ObjectId && found['objectId'].equals(whole.objectId));
    assert.deepEqual([found['nothing'], found['nested']], [null, whole.nested]);
    for (const filter of [{ born: whole.born }, { objectId: whole.objectId }, { 'nested.list': 'two' }])
      assert.deepEqual((await people.findOne(filter))?.['_id'], whole._id);
    await people.deleteMany({});
  });

  it('keeps all digits of numbers', async () => {
    const numbers = connection.db.collection<SomeDoc>('people', {
      serdes: { enableBigNumbers: () => 'bigint' },
    });
    for (const n of [9_007_199_254_740_993n, 10n ** 60n, 10n ** 98n - 1n]) {
      await numbers.insertOne({ _id: 'big', n });
      assert.equal((await numbers.findOne({ _id: 'big' }))?.['n'], n);
      await numbers.updateOne({ _id: 'big' }, { $inc: { n: 1 } });
      assert.equal((await numbers.findOne({ n: n + 1n }))?.['n'], n + 1n);
      await numbers.deleteOne({ _id: 'big' });
    }
    await people.deleteMany({});
  });

  describe('a thousand documents', () => {
    before(async () => {
      const documents = Array.from({ length: 1_000 }, (_, at) => ({
        _id: at,
        even: at % 2 === 0,
        tags: [`t${at % 3}`, { deep: at % 5 }],
        $vector: [1, at],
      }));
      const { insertedCount } = await people.insertMany(documents);
      assert.equal(insertedCount, 1_000);
    });
    after(() => people.deleteMany({}));

    it('come in pages, with a limit, mapped and filtered', async () => {
      assert.equal((await people.find({}).toArray()).length, 1_000);
      const found = await people
        .find({ even: true })
        .project<{ _id: number }>({ _id: 1 })
        .limit(120)
        .map(({ _id }) => ({ id: _id }))
        .toArray();
      assert.equal(new Set(found.map(({ id }) => id)).size, 120);
      assert.ok(found.every(({ id }) => id % 2 === 0));
    });
    it('are sorted, skipped and counted', async () => {
      const sorted = await people
        .find({ _id: { $lt: 60 } }, { sort: { _id: -1 }, skip: 10, limit: 3 })
        .toArray();
      assert.deepEqual(
        sorted.map(({ _id }) => _id),
        [49, 48, 47],
      );
      assert.equal(await people.countDocuments({ tags: 't1' }, 1_000), 333);
      assert.equal(await people.countDocuments({}, 1_000), 1_000);
      await assert.rejects(people.countDocuments({}, 500), TooManyDocumentsToCountError);
      assert.equal(await people.estimatedDocumentCount(), 1_000);
      await people.insertOne({ _id: 'one more' });
      await assert.rejects(people.countDocuments({}, 1_000), TooManyDocumentsToCountError);
      await people.deleteOne({ _id: 'one more' });
    });
    it('have distinct values', async () => {
      assert.deepEqual((await people.distinct('even', {})).toSorted(), [false, true]);
      assert.deepEqual(
        (await people.distinct('tags.1.deep', { _id: { $lt: 9 } })).toSorted(),
        [0, 1, 2, 3, 4],
      );
    });
    it('are searched by vector', async () => {
      const cursor = people.find(
        { even: false },
        { sort: { $vector: [1, 500] }, limit: 3, includeSimilarity: true, includeSortVector: true },
      );
      assert.deepEqual((await cursor.getSortVector())?.asArray(), [1, 500]);
      const found = await cursor.toArray();
      assert.equal(found.length, 3);
      assert.ok(found.every(({ $similarity }) => typeof $similarity === 'number' && $similarity > 0.9));
    });
    it('are updated and deleted over several pages', async () => {
      const { matchedCount, modifiedCount, upsertedCount } = await people.updateMany(
        { _id: { $lt: 150 } },
        { $set: { touched: true }, $inc: { visits: 1 }, $push: { tags: 'new' } },
      );
      assert.deepEqual([matchedCount, modifiedCount, upsertedCount], [150, 150, 0]);
      assert.equal((await people.deleteMany({ touched: true })).deletedCount, 150);
      assert.equal((await people.deleteMany({})).deletedCount, -1);
    });
  });

  it('finds and changes one document', async () => {
    await people.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 5 },
    ]);
    assert.deepEqual(
      await people.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 }, returnDocument: 'after' }),
      { _id: 2, n: 15 },
    );
    assert.deepEqual(await people.findOneAndUpdate({ _id: 1 }, { $set: { n: 1 } }), { _id: 1, n: 1 });
    assert.deepEqual(await people.findOneAndReplace({ _id: 1 }, { m: 2 }, { returnDocument: 'after' }), {
      _id: 1,
      m: 2,
    });
    assert.equal(await people.findOneAndDelete({ _id: 9 }), null);
    assert.deepEqual(await people.findOneAndDelete({ _id: 1 }, { projection: { m: 1, _id: 0 } }), { m: 2 });
    const replaced = await people.replaceOne({ _id: 2 }, { n: 3 });
    assert.deepEqual([replaced.matchedCount, replaced.modifiedCount], [1, 1]);
    const upserted = await people.updateOne({ _id: 'new' }, { $setOnInsert: { a: 1 } }, { upsert: true });
    assert.deepEqual([upserted.matchedCount, upserted.upsertedCount, upserted.upsertedId], [0, 1, 'new']);
    assert.equal(await people.findOneAndUpdate({ _id: 'other' }, { $set: { a: 1 } }, { upsert: true }), null);
    assert.equal((await people.deleteOne({ _id: 'nothing' })).deletedCount, 0);
    await people.deleteMany({});
  });

  it('reports documents that are not inserted', async () => {
    const documents = Array.from({ length: 20 }, (_, at) => ({ _id: at === 15 ? 3 : at }));
    await assert.rejects(people.insertMany(documents, { ordered: true }), (error) => {
      assert.ok(error instanceof CollectionInsertManyError);
      assert.equal(error.insertedIds().length, 15);
      return true;
    });
    await people.deleteMany({});
    await assert.rejects(people.insertMany(documents), (error) => {
      assert.ok(error instanceof CollectionInsertManyError);
      assert.equal(error.insertedIds().length, 19);
      return true;
    });
    await people.deleteMany({});
    await people.insertOne({ _id: 1 });
    await assertCode(people.insertOne({ _id: 1 }), 'DOCUMENT_ALREADY_EXISTS');
    await assertCode(people.find({ secret: 1 }).toArray(), 'FILTER_PATH_UNINDEXED');
    await assertCode(people.updateOne({}, { $pull: { a: 1 } } as never), 'UNSUPPORTED_UPDATE_OPERATION');
    await assertCode(connection.db.collection('nowhere').findOne({}), 'UNKNOWN_COLLECTION_OR_TABLE');
    await people.deleteMany({});
  });

  it('replaces by ids of every kind, and inserts with them', async () => {
    const uuid = new UUID('f47ac10b-58cc-4372-a567-0e02b2c3d479');
    for (const _id of ['a', 7, 0, true, false, null, uuid, new ObjectId(), new Date(5)]) {
      const first = await people.replaceOne({ _id }, { n: 1 }, { upsert: true });
      assert.deepEqual([first.matchedCount, first.modifiedCount], [0, 0]);
      const second = await people.replaceOne({ _id }, { n: 2 }, { upsert: true });
      assert.deepEqual([second.matchedCount, second.modifiedCount, second.upsertedCount], [1, 1, 0]);
      assert.deepEqual(await people.findOneAndDelete({ _id }), { _id, n: 2 });
    }
    assert.equal(await people.countDocuments({}, 10), 0);
  });

  it('makes ids of the kind of the collection', async () => {
    for (const [type, version] of [
      ['uuid', 4],
      ['uuidv6', 6],
      ['uuidv7', 7],
    ] as const) {
      const made = await connection.db.createCollection<SomeDoc>(`ids_${type}`, { defaultId: { type } });
      const { insertedId } = await made.insertOne({});
      assert.ok(insertedId instanceof UUID);
      assert.equal(insertedId.version, version);
    }
    const objects = await connection.db.createCollection<SomeDoc>('ids_object', {
      defaultId: { type: 'objectId' },
    });
    assert.ok((await objects.insertOne({})).insertedId instanceof ObjectId);
    const { upsertedId } = await objects.updateOne({ a: 1 }, { $set: { b: 1 } }, { upsert: true });
    assert.ok(upsertedId instanceof ObjectId);
    await objects.drop();
    assert.ok(!(await connection.db.listCollections({ nameOnly: true })).includes('ids_object'));
  });

  it('embeds texts, finds words, and ranks both', async () => {
    const notes = await connection.db.createCollection<SomeDoc>('notes', { vector: { service } });
    await notes.insertMany([
      { _id: 1, $hybrid: 'a boiler was repaired' },
      { _id: 2, $vectorize: 'an invoice for the new roof', $lexical: 'invoice' },
      { _id: 3, $hybrid: 'sunshine in the south' },
    ]);
    const near = await notes.findOne(
      {},
      { sort: { $vectorize: 'repairing boilers' }, includeSimilarity: true },
    );
    assert.equal(near?.['_id'], 1);
    assert.ok(Number(near['$similarity']) > 0.5);
    assert.equal((await notes.findOne({ $lexical: { $match: 'invoice' } }))?.['_id'], 2);
    assert.equal((await notes.findOne({}, { sort: { $lexical: 'sunshine' } }))?.['_id'], 3);
    const cursor = notes
      .findAndRerank({})
      .sort({ $hybrid: 'a boiler' })
      .limit(2)
      .includeScores()
      .includeSortVector();
    assert.equal((await cursor.getSortVector())?.asArray().length, 384);
    const ranked = await cursor.toArray();
    assert.equal(ranked[0]?.document['_id'], 1);
    assert.deepEqual(Object.keys(ranked[0]?.scores ?? {}), [
      '$rerank',
      '$vector',
      '$vectorRank',
      '$bm25Rank',
      '$rrf',
    ]);
    await notes.updateOne({ _id: 3 }, { $set: { $vectorize: 'penguins on ice' } });
    assert.equal((await notes.findOne({}, { sort: { $vectorize: 'ice penguin' } }))?.['_id'], 3);
  });
});
