// Engine suite: documents are stored, found by every kind of filter, paged, sorted, counted and deleted.
import assert from 'node:assert/strict';
import { keysPage } from '../../src/data-service/commands/collections/change-documents.js';
import { changedDocument } from '../../src/data-service/documents/change-document.js';
import { fromColumns } from '../../src/data-service/documents/document-columns.js';
import { matchesDocument } from '../../src/data-service/documents/match-filter.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { StoredDocument } from '../../src/data-service/query/document-write.js';
import type { Collection } from '../../src/data-service/schema/collection.js';
import { documentRules } from '../../src/data-service/schema/document-rules.js';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { stringifyJson } from '../../src/foundation/json/json-value.js';
import { seededRandom } from '../seeded-random.js';
import { ranked } from '../text/text-model.js';
import { sampleDocuments, sampleFilters, wordFilters } from './document-samples.js';
import {
  changeDocuments,
  createCollection,
  documentsOf,
  filteredChange,
  findPage,
  idsOf,
  insertDocuments,
  keyOfId,
  pagesOf,
  presentCollection,
  readOf,
  replaceBy,
  searchable,
  storedDocument,
  tryInsert,
  updateOf,
  wholeText,
  withBodies,
  writesOf,
} from './document-steps.js';
import { dropTable, type EngineCase, refuses } from './engine-steps.js';

/** Numbered documents with a few values that many of them share. */
function numbered(count: number): readonly JsonText[] {
  return Array.from({ length: count }, (_, at) => `{"_id":${at},"n":${at % 7},"s":"${'abc'[at % 3]}"}`);
}

const body = 'x'.repeat(300_000);

/** Those are large enough that an engine takes several of them in portions. */
function largeDocuments(count: number): readonly JsonText[] {
  return Array.from({ length: count }, (_, at) => `{"_id":${at},"n":${at},"body":"${at}${body}"}`);
}

const needs = 'documents';

/** Under their area in the suite. */
export const documentCases: readonly EngineCase[] = [
  {
    name: 'returns documents as they were stored',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, searchable);
      const documents = [
        ...sampleDocuments,
        '{"_id":20,"$vector":{"$binary":"P4AAAD8AAAA+gAAA"},"$lexical":null}',
        '{"_id":21,"a":1,"$vector":[1,0.5,0.25],"$lexical":"x"}',
        '{"_id":22,"a&b":{"c.d":12345678901234567890.123456789},"$vector":null}',
      ];
      await insertDocuments(engine, collection, ...documents);
      assert.deepEqual(await documentsOf(engine, collection), documents.toSorted());
    },
  },
  {
    name: 'distinguishes ids of all kinds',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      const ids = [
        '1',
        '"1"',
        'true',
        '"true"',
        'false',
        'null',
        '"null"',
        '-1',
        '1.5',
        '{"$date":1}',
        '"a"',
        '"A"',
      ];
      await insertDocuments(engine, collection, ...ids.map((id) => `{"_id":${id}}`));
      for (const id of ids) {
        assert.deepEqual(await documentsOf(engine, collection, `{"_id":${id}}`), [`{"_id":${id}}`]);
        assert.deepEqual(await tryInsert(engine, collection, [`{"_id":${id}}`], true), ['exists']);
      }
      assert.deepEqual(await tryInsert(engine, collection, ['{"_id":1.0}', '{"_id":10e-1}'], false), [
        'exists',
        'exists',
      ]);
    },
  },
  {
    name: 'ends an ordered insert with the first id that exists, and no other insert',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":2,"a":1}');
      const wanted = [1, 2, 3, 3, 4].map((id) => `{"_id":${id},"a":2}`);
      assert.deepEqual(await tryInsert(engine, collection, wanted, true), [
        'stored',
        'exists',
        'skipped',
        'skipped',
        'skipped',
      ]);
      assert.deepEqual(await documentsOf(engine, collection), ['{"_id":1,"a":2}', '{"_id":2,"a":1}']);
      assert.deepEqual(await tryInsert(engine, collection, wanted, false), [
        'exists',
        'exists',
        'stored',
        'exists',
        'stored',
      ]);
      assert.equal((await documentsOf(engine, collection, '{"a":2}')).length, 3);
    },
  },
  {
    name: 'stores large documents of one plan, and gives one outcome for each',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, withBodies);
      const documents = largeDocuments(10);
      await insertDocuments(engine, collection, ...documents.slice(4, 5));
      const states = await tryInsert(engine, collection, documents, false);
      assert.deepEqual(
        states,
        documents.map((_, at) => (at === 4 ? 'exists' : 'stored')),
      );
      assert.deepEqual(await documentsOf(engine, collection), documents.toSorted());
      assert.equal(idsOf(await documentsOf(engine, collection, '{"n":{"$gt":7}}')), '8 9');
    },
  },
  {
    name: 'stores one of the documents with one id that are inserted at the same time',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      const inserts = Array.from({ length: 12 }, (_, at) =>
        tryInsert(engine, collection, [`{"_id":"only","by":${at}}`, `{"_id":${at}}`], false),
      );
      const states = (await Promise.all(inserts)).map(([first, second]) => {
        assert.equal(second, 'stored');
        return first;
      });
      assert.equal(states.filter((state) => state === 'stored').length, 1);
      const winner = states.indexOf('stored');
      assert.deepEqual(await documentsOf(engine, collection, '{"_id":"only"}'), [
        `{"_id":"only","by":${winner}}`,
      ]);
    },
  },
  {
    name: 'finds by every kind of filter what matches',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, searchable);
      await insertDocuments(engine, collection, ...sampleDocuments);
      await checkFilters(engine, collection, storedOf(collection, sampleDocuments), [
        ...sampleFilters,
        ...wordFilters,
      ]);
    },
  },
  {
    name: 'finds by the paths that are indexed',
    needs,
    run: async (engine) => {
      const indexing = { kind: 'allow', paths: [['v'], ['n', 'm'], ['t']], hasAll: false } as const;
      const collection = await createCollection(engine, { indexing });
      const documents = sampleDocuments.filter((text) => !text.includes('$lexical'));
      await insertDocuments(engine, collection, ...documents);
      const pathsOf = (text: JsonText) =>
        [...text.matchAll(/"([a-z_][^"]*)":/g)].map(([, path = '']) => path);
      const filters = sampleFilters.filter((text) =>
        pathsOf(text).every((path) => /^(v|n\.m|n\.m\..*|t|t\..*)$/.test(path)),
      );
      assert.ok(filters.length > 20);
      await checkFilters(engine, collection, storedOf(collection, documents), filters);
    },
  },
  {
    name: 'finds by every kind of filter what changes left',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, searchable);
      await insertDocuments(engine, collection, ...sampleDocuments, ...numbered(60).slice(10));
      const model = storedOf(collection, [...sampleDocuments, ...numbered(60).slice(10)]);
      const random = seededRandom(11);
      for (let round = 0; round < 60; round += 1) await changeSome(engine, collection, model, random);
      assert.deepEqual(await documentsOf(engine, collection), model.map(wholeText).toSorted());
      await checkFilters(engine, collection, model, [...sampleFilters, ...wordFilters]);
    },
  },
  {
    name: 'gives the documents of a filter page after page, each once',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      const documents = numbered(130);
      await insertDocuments(engine, collection, ...documents);
      for (const [filter, finds] of [
        ['{}', () => true],
        ['{"n":3}', (text: JsonText) => text.includes('"n":3')],
        ['{"n":{"$gte":2},"s":{"$ne":"a"}}', (text: JsonText) => /"n":[2-6],"s":"[bc]"/.test(text)],
        ['{"$or":[{"n":1},{"s":"b"}]}', (text: JsonText) => /"n":1,|"s":"b"/.test(text)],
        ['{"_id":{"$in":[5,1,200]}}', (text: JsonText) => /"_id":[15],/.test(text)],
      ] as const)
        for (const [limit, kind] of [
          [1000, 'paged'],
          [20, 'paged'],
          [20, 'changing'],
          [7, 'paged'],
        ] as const) {
          const pages = await pagesOf(engine, readOf(collection, filter), { limit, kind });
          assert.ok(pages.every(({ next, documents: page }) => next === null || page.length === limit));
          const found = pages.flatMap((page) => page.documents);
          assert.deepEqual(found.toSorted(), documents.filter(finds).toSorted(), filter);
        }
    },
  },
  {
    name: 'gives on pages each document that stays, once, while others come, change and go',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, ...numbered(100));
      let turn = 0;
      const change = async () => {
        turn += 1;
        await insertDocuments(engine, collection, `{"_id":${1_000 + turn},"n":3,"s":"a"}`);
        const gone = filteredChange(collection, '{}', { kind: 'delete' });
        await changeDocuments(engine, collection, [String(turn)], gone);
        const touched = filteredChange(collection, '{}', updateOf('{"$inc":{"touched":1}}'));
        await changeDocuments(engine, collection, [String(100 - turn)], touched);
      };
      const window = { limit: 9, kind: 'changing' } as const;
      const pages = await pagesOf(engine, readOf(collection, '{"n":{"$lt":5}}'), window, change);
      const ids = idsOf(pages.flatMap((page) => page.documents)).split(' ');
      assert.equal(new Set(ids).size, ids.length);
      for (let id = turn + 1; id < 100; id += 1) assert.equal(ids.includes(String(id)), id % 7 < 5, `${id}`);
    },
  },
  {
    name: 'gives all of many large documents, on pages that may end early',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, withBodies);
      const documents = largeDocuments(25);
      for (const part of [documents.slice(0, 12), documents.slice(12)])
        await insertDocuments(engine, collection, ...part);
      const pages = await pagesOf(engine, readOf(collection, '{}'), { limit: 50 });
      assert.deepEqual(pages.flatMap((page) => page.documents).toSorted(), documents.toSorted());
    },
  },
  {
    name: 'sorts by paths',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, ...numbered(40));
      const sorted = readOf(collection, '{"n":{"$lte":1}}', '{"n":-1,"_id":-1}');
      assert.equal(idsOf((await findPage(engine, sorted)).documents), '36 29 22 15 8 1 35 28 21 14 7 0');
      const some = await findPage(engine, sorted, { limit: 3, skip: 5 });
      assert.equal(idsOf(some.documents), '1 35 28');
    },
  },
  {
    name: 'counts documents',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      const estimate = async () => engine.estimateCount?.(collection);
      const expected = (count: number) => (engine.estimateCount === undefined ? undefined : count);
      assert.equal(await estimate(), expected(0));
      await insertDocuments(engine, collection, ...numbered(50));
      assert.equal(await estimate(), expected(50));
      const all = filteredChange(collection, '{"n":3}', { kind: 'delete' });
      const ids = numbered(50).map((_, at) => String(at));
      const { states } = await changeDocuments(engine, collection, ids, all);
      assert.equal(states.filter((state) => state === 'deleted').length, 7);
      assert.equal(await estimate(), expected(43));
      const window = { limit: 1_000, command: {} };
      const { keys } = await keysPage(readOf(collection, '{"n":{"$gt":3}}'), window, engine);
      assert.equal(keys.length, 21);
    },
  },
  {
    name: 'finds the documents with the most similar vectors that match',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, searchable);
      const vectorOf = (at: number) => [at % 10, (at * 7) % 10, at];
      const documents = numbered(60).map((text, at) =>
        at % 6 === 5 ? text : `${text.slice(0, -1)},"$vector":[${vectorOf(at).join(',')}]}`,
      );
      await insertDocuments(engine, collection, ...documents);
      const distance = (at: number) => vectorOf(at).reduce((sum, one) => sum + (one - 4.25) ** 2, 0);
      for (const [filter, finds] of [
        ['{}', () => true],
        ['{"s":"b"}', (at: number) => at % 3 === 1],
        [
          '{"$or":[{"n":1},{"n":{"$gt":4}}],"_id":{"$ne":1}}',
          (at: number) => [1, 5, 6].includes(at % 7) && at !== 1,
        ],
        ['{"_id":{"$in":[3,9,77]}}', (at: number) => at === 3 || at === 9],
        ['{"missing":1}', () => false],
      ] as const) {
        const expected = documents
          .map((_, at) => at)
          .filter((at) => at % 6 !== 5 && finds(at))
          .sort((left, right) => distance(left) - distance(right));
        const read = readOf(collection, filter, '{"$vector":[4.25,4.25,4.25]}');
        // A search that has room for all of them lacks none, on any engine.
        const { documents: found } = await findPage(engine, read, { limit: 60 });
        assert.equal(idsOf(found), expected.join(' '), filter);
      }
    },
  },
  {
    name: 'ranks the documents that match by words, behind changes',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine, { lexical: { analyzer: '"whitespace"' } });
      const texts = new Map(
        Array.from({ length: 50 }, (_, at) => [
          at,
          at % 8 === 0 ? null : `fox${' bear'.repeat(at % 4)}${' fox'.repeat(at % 3)}`,
        ]),
      );
      const documents = [...texts].map(
        ([id, text]) => `{"_id":${id},"n":${id % 5},"$lexical":${JSON.stringify(text)}}`,
      );
      await insertDocuments(engine, collection, ...documents);
      const changes = filteredChange(
        collection,
        '{}',
        updateOf('{"$set":{"$lexical":"bear bear lake fox"}}'),
      );
      await changeDocuments(engine, collection, ['3', '8'], changes);
      await changeDocuments(engine, collection, ['5'], filteredChange(collection, '{}', { kind: 'delete' }));
      for (const id of [3, 8]) texts.set(id, 'bear bear lake fox');
      texts.delete(5);
      for (const search of ['fox', 'bear fox', 'lake', 'absent'])
        for (const [filter, finds] of [
          ['{}', () => true],
          ['{"n":3}', (id: number) => id % 5 === 3],
          ['{"$or":[{"n":1},{"n":{"$gt":3}}]}', (id: number) => [1, 4].includes(id % 5)],
          ['{"_id":{"$in":[3,4,5,8]}}', (id: number) => [3, 4, 8].includes(id)],
        ] as const) {
          const expected = ranked(texts, search).filter(finds);
          const read = readOf(collection, filter, `{"$lexical":"${search}"}`);
          const { documents: found } = await findPage(engine, read, { limit: 100 });
          assert.equal(idsOf(found), expected.join(' '), `${search} under ${filter}`);
          const { documents: best } = await findPage(engine, read, { limit: 4 });
          assert.equal(idsOf(best), expected.slice(0, 4).join(' '), `${search} under ${filter}`);
        }
    },
  },
  {
    name: 'deletes all documents, and stores new ones behind that',
    needs,
    run: async (engine) => {
      const before = await createCollection(engine, searchable);
      await insertDocuments(engine, before, ...sampleDocuments, ...numbered(300).slice(10));
      await writesOf(engine).deleteAll(before);
      const collection = await presentCollection(engine, before);
      for (const filter of ['{}', '{"v":1}', '{"_id":1}', '{"n":{"$ne":1}}', '{"$lexical":{"$match":"fox"}}'])
        assert.deepEqual(await documentsOf(engine, collection, filter), []);
      const nearest = readOf(collection, '{}', '{"$vector":[1,0,0]}');
      assert.deepEqual((await findPage(engine, nearest, { limit: 10 })).documents, []);
      await writesOf(engine).deleteAll(collection);
      const present = await presentCollection(engine, collection);
      await insertDocuments(engine, present, '{"_id":1,"v":2}');
      assert.deepEqual(await documentsOf(engine, present, '{"v":2}'), ['{"_id":1,"v":2}']);
    },
  },
  {
    name: 'refuses plans for documents of a collection that was dropped',
    needs,
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":1}');
      const change = filteredChange(collection, '{}', { kind: 'delete' });
      await dropTable(engine, collection);
      await refuses('schemaChanged', tryInsert(engine, collection, ['{"_id":2}'], true));
      await refuses('schemaChanged', changeDocuments(engine, collection, ['1'], change));
      await refuses('schemaChanged', writesOf(engine).deleteAll(collection));
      await refuses('schemaChanged', documentsOf(engine, collection));
    },
  },
];

/** The documents of a model, which the cases change beside the engine. */
function storedOf(collection: Collection, documents: readonly JsonText[]): StoredDocument[] {
  return documents.map((text) => storedDocument(collection, text));
}

/** Compares what the engine finds with the reference meaning of each filter. */
async function checkFilters(
  engine: Engine,
  collection: Collection,
  stored: readonly StoredDocument[],
  filters: readonly JsonText[],
): Promise<void> {
  const { analyzer } = documentRules(collection);
  const wholes = stored.map(fromColumns);
  for (const text of filters) {
    const filter = readOf(collection, text).filter.documentFilter;
    const expected = wholes.filter((whole) => matchesDocument(filter, whole, analyzer)).map(stringifyJson);
    assert.deepEqual(await documentsOf(engine, collection, text), expected.toSorted(), text);
  }
}

const updates = [
  '{"$set":{"v":1,"n.m":{"d":[5]}},"$inc":{"count":1}}',
  '{"$push":{"t":"r"},"$set":{"s":"x"}}',
  '{"$unset":{"s":1,"n":1}}',
  '{"$set":{"$lexical":"a fox and a bear","b":true}}',
  '{"$unset":{"$lexical":1},"$mul":{"v":2}}',
  '{"$rename":{"v":"w"}}',
];

/** Changes some documents by one plan, and the model in the same way. */
async function changeSome(
  engine: Engine,
  collection: Collection,
  model: StoredDocument[],
  random: ReturnType<typeof seededRandom>,
): Promise<void> {
  const ids = random.some([...model.map(idOf), '"gone"'], 3);
  const kinds = [
    () => updateOf(random.pick(updates)),
    () =>
      replaceBy(`{"v":${random.below(4)},"t":["r",${random.below(2)}],"$vector":[${random.below(9)},1,1]}`),
    () => ({ kind: 'delete' }) as const,
  ];
  const change = filteredChange(
    collection,
    random.pick(['{}', '{}', '{"v":1}', '{"$or":[{"t":"r"},{"n":{"$lt":4}}]}', '{"s":{"$ne":"x"}}']),
    random.pick([...kinds, kinds[0] ?? kinds[2]])?.() ?? { kind: 'delete' },
    random.pick(['none', 'before', 'after']),
  );
  const outcome = await changeDocuments(engine, collection, ids, change);
  const [states, images]: [string[], JsonText[]] = [[], []];
  let failure: string | undefined;
  for (const id of ids) {
    const at = model.findIndex((each) => Buffer.compare(each.key, keyOfId(id)) === 0);
    const stored = model[at];
    try {
      const changed = changedDocument(stored, change, documentRules(collection));
      states.push(changed.state);
      if (changed.image !== undefined) images.push(wholeText(changed.image));
      if (stored === undefined) continue;
      if (changed.state === 'deleted') model.splice(at, 1);
      if (changed.state === 'changed') model[at] = { key: stored.key, ...changed.columns };
    } catch (error) {
      assert.ok(error instanceof Error && 'code' in error);
      failure = String(error.code);
      break;
    }
  }
  assert.deepEqual(outcome.states, states);
  assert.deepEqual(outcome.images.map(wholeText), images);
  assert.equal(outcome.failure?.code, failure);
}

function idOf(stored: StoredDocument): JsonText {
  return stringifyJson(fromColumns(stored).get('_id') ?? null);
}
