// Engine suite: changes of documents happen at once, to what matches when their turn comes.
import assert from 'node:assert/strict';
import { changeFirst } from '../../src/data-service/commands/collections/change-documents.js';
import { changeOrInsert } from '../../src/data-service/commands/collections/upsert.js';
import type { UpdateChange } from '../../src/data-service/documents/change-document.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Collection } from '../../src/data-service/schema/collection.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import {
  changeDocuments,
  createCollection,
  documentsOf,
  filteredChange,
  imageText,
  insertDocuments,
  outcomeText,
  readOf,
  replaceBy,
  updateOf,
  withBodies,
} from './document-steps.js';
import type { EngineCase } from './engine-steps.js';

const needs = 'documents';

/** Under their area in the suite. */
export const documentChangeCases: readonly EngineCase[] = [
  {
    name: 'updates the documents of keys that match, and reports each in order',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":1,"n":1}', '{"_id":2,"n":2}', '{"_id":3,"n":3}');
      const change = filteredChange(collection, '{"n":{"$lt":3}}', updateOf('{"$max":{"n":2}}'));
      const sent = (ids: readonly JsonText[], wants: 'none' | 'before' | 'after') =>
        changeDocuments(engine, collection, ids, { ...change, wants });
      assert.equal(
        outcomeText(await sent(['3', '2', '9', '1'], 'before')),
        'unmatched unchanged gone changed; {"_id":2,"n":2} {"_id":1,"n":1}',
      );
      assert.equal(
        outcomeText(await sent(['1', '2'], 'after')),
        'unchanged unchanged; {"_id":1,"n":2} {"_id":2,"n":2}',
      );
      assert.equal(outcomeText(await sent(['1'], 'none')), 'unchanged');
      assert.deepEqual(await documentsOf(engine, collection, '{"n":2}'), [
        '{"_id":1,"n":2}',
        '{"_id":2,"n":2}',
      ]);
    },
  },
  {
    name: 'replaces and deletes documents, and returns the image that is wanted',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":1,"n":1}', '{"_id":2,"n":2}');
      const replaced = filteredChange(collection, '{}', replaceBy('{"m":[1,2]}'), 'after');
      assert.equal(
        outcomeText(await changeDocuments(engine, collection, ['1'], replaced)),
        'changed; {"_id":1,"m":[1,2]}',
      );
      assert.equal(
        outcomeText(await changeDocuments(engine, collection, ['1'], replaced)),
        'unchanged; {"_id":1,"m":[1,2]}',
      );
      for (const [filter, expected] of [
        ['{"n":1}', ''],
        ['{"m":2}', '{"_id":1,"m":[1,2]}'],
      ] as const)
        assert.equal((await documentsOf(engine, collection, filter)).join(' '), expected);
      const deleted = filteredChange(collection, '{}', { kind: 'delete' }, 'before');
      assert.equal(
        outcomeText(await changeDocuments(engine, collection, ['2', '2'], deleted)),
        'deleted gone; {"_id":2,"n":2}',
      );
      assert.deepEqual(await documentsOf(engine, collection), ['{"_id":1,"m":[1,2]}']);
      await insertDocuments(engine, collection, '{"_id":2}');
    },
  },
  {
    name: 'ends with the first document that cannot be changed, and keeps the changes before it',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":1,"n":1}', '{"_id":2,"n":"a"}', '{"_id":3,"n":3}');
      const change = filteredChange(collection, '{}', updateOf('{"$inc":{"n":1}}'), 'after');
      const outcome = await changeDocuments(engine, collection, ['1', '2', '3'], change);
      assert.equal(outcomeText(outcome), 'changed; {"_id":1,"n":2}; UNSUPPORTED_UPDATE_OPERATION_TARGET');
      const other = filteredChange(collection, '{}', replaceBy('{"_id":4,"n":1}'));
      assert.equal(
        outcomeText(await changeDocuments(engine, collection, ['3'], other)),
        'DOCUMENT_REPLACE_DIFFERENT_DOCID',
      );
      assert.deepEqual(await documentsOf(engine, collection), [
        '{"_id":1,"n":2}',
        '{"_id":2,"n":"a"}',
        '{"_id":3,"n":3}',
      ]);
    },
  },
  {
    name: 'counts every change of documents that are changed at the same time',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":1}', '{"_id":2}');
      const change = filteredChange(collection, '{}', updateOf('{"$inc":{"n":1}}'), 'after');
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, at) =>
          changeDocuments(engine, collection, at % 3 === 0 ? ['1', '2'] : ['2'], change),
        ),
      );
      assert.deepEqual(await documentsOf(engine, collection), ['{"_id":1,"n":10}', '{"_id":2,"n":30}']);
      const images = new Set(
        outcomes
          .flatMap((outcome) => outcomeText(outcome).split('; ').slice(1))
          .join(' ')
          .split(' '),
      );
      assert.equal(images.size, 40);
      const deleted = filteredChange(collection, '{}', { kind: 'delete' });
      const states = await Promise.all(
        Array.from({ length: 10 }, () => changeDocuments(engine, collection, ['1'], deleted)),
      );
      assert.equal(states.filter((outcome) => outcome.states[0] === 'deleted').length, 1);
      assert.equal(states.filter((outcome) => outcome.states[0] === 'gone').length, 9);
    },
  },
  {
    name: 'lets one of the commands that find a document at the same time change it',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      const ids = Array.from({ length: 24 }, (_, at) => at);
      await insertDocuments(engine, collection, ...ids.map((id) => `{"_id":${id},"state":"free"}`));
      const taken = await Promise.all(
        ids.map((by) => {
          const read = readOf(collection, '{"state":"free"}', by % 4 === 0 ? '{"_id":1}' : undefined);
          const change = updateOf(`{"$set":{"state":"taken","by":${by}}}`);
          return changeFirst(read, change, 'after', engine, {});
        }),
      );
      const images = taken.map(imageText);
      assert.ok(!images.includes(undefined), 'each command finds one');
      assert.deepEqual(await documentsOf(engine, collection), images.toSorted());
      const none = await changeFirst(
        readOf(collection, '{"state":"free"}'),
        updateOf('{"$set":{"n":1}}'),
        'after',
        engine,
        {},
      );
      assert.equal(none, undefined);
    },
  },
  {
    name: 'changes the first document of a sort, and of a search',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, {
        vector: { dimension: 2, metric: 'euclidean', sourceModel: 'other' },
      });
      await insertDocuments(
        engine,
        collection,
        '{"_id":1,"n":3,"$vector":[1,1]}',
        '{"_id":2,"n":1,"$vector":[5,5]}',
        '{"_id":3,"n":2,"$vector":[9,9]}',
      );
      const first = async (sort: JsonText, filter = '{}') => {
        const read = readOf(collection, filter, sort);
        return imageText(await changeFirst(read, updateOf('{"$inc":{"seen":1}}'), 'before', engine, {}));
      };
      assert.equal(await first('{"n":1}'), '{"_id":2,"n":1,"$vector":[5,5]}');
      assert.equal(await first('{"n":-1}', '{"_id":{"$ne":1}}'), '{"_id":3,"n":2,"$vector":[9,9]}');
      assert.equal(await first('{"$vector":[8,8]}'), '{"_id":3,"n":2,"seen":1,"$vector":[9,9]}');
      assert.equal((await documentsOf(engine, collection, '{"seen":2}')).length, 1);
    },
  },
  {
    name: 'inserts a document if none matches and that is wanted, once',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      const change = updateOf('{"$inc":{"n":1},"$setOnInsert":{"isNew":true}}');
      const results = await Promise.all(
        Array.from({ length: 12 }, () => upsert(engine, collection, '{"_id":"u"}', change)),
      );
      assert.equal(results.filter(({ kind }) => kind === 'inserted').length, 1);
      assert.equal(results.filter(({ kind }) => kind === 'found').length, 11);
      assert.deepEqual(await documentsOf(engine, collection), ['{"_id":"u","n":12,"isNew":true}']);
      const other = await upsert(engine, collection, '{"_id":"u","n":0}', change);
      assert.equal(other.kind, 'none');
      assert.equal((await upsert(engine, collection, '{"a.b":1}', change)).kind, 'inserted');
      assert.equal((await documentsOf(engine, collection, '{"a.b":1,"n":1,"isNew":true}')).length, 1);
    },
  },
  {
    name: 'changes many large documents by one plan',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, withBodies);
      const body = 'y'.repeat(250_000);
      const ids = Array.from({ length: 12 }, (_, at) => String(at));
      await insertDocuments(
        engine,
        collection,
        ...ids.map((id) => `{"_id":${id},"n":${id},"body":"${body}"}`),
      );
      const change = filteredChange(collection, '{"n":{"$ne":5}}', updateOf('{"$set":{"m":1}}'), 'after');
      const { states, images, failure } = await changeDocuments(engine, collection, ids, change);
      assert.deepEqual(
        states,
        ids.map((id) => (id === '5' ? 'unmatched' : 'changed')),
      );
      assert.equal(images.length, 11);
      assert.equal(failure, undefined);
      assert.equal((await documentsOf(engine, collection, '{"m":1}')).length, 11);
      const deleted = filteredChange(collection, '{"m":1}', { kind: 'delete' });
      const outcome = await changeDocuments(engine, collection, ids, deleted);
      assert.equal(outcome.states.filter((state) => state === 'deleted').length, 11);
      assert.equal((await documentsOf(engine, collection)).length, 1);
    },
  },
];

function upsert(engine: Engine, collection: Collection, filter: JsonText, change: UpdateChange) {
  const ids = { nowMs: () => 1_000, newUuid: () => crypto.randomUUID() };
  const read = readOf(collection, filter);
  return changeOrInsert({ read, change, wants: 'none', upsert: true, ids, command: {} }, engine);
}
