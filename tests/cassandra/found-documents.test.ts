// How documents are found on a real node: pages over several look-ups, ranges, and filters beside vectors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { makeKeyspace } from '../conformance/engine-steps.js';
import { RoutesOfScenario } from '../documents/routes-of-scenario.js';
import { openMemoryEngine } from '../memory-engine/memory-engine.js';
import { seededRandom } from '../seeded-random.js';
import { openEmptied } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const documentCount = 300;
const batch = 50;

interface Reply {
  readonly data: {
    readonly documents: readonly { readonly _id: number }[];
    readonly nextPageState: string | null;
  };
  readonly status: Readonly<Record<string, unknown>>;
}

describe('documents on a real node are found', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let engine: Engine;
  let model: Engine;
  let [own, expected]: RoutesOfScenario[] = [];

  before(async () => {
    engine = checkedEngine(await openEmptied(cluster().nodes[0]?.place.nativePort ?? 0));
    model = checkedEngine(openMemoryEngine());
    for (const each of [engine, model]) await makeKeyspace(each, 'default_keyspace');
    [own, expected] = [new RoutesOfScenario(engine, 'found'), new RoutesOfScenario(model, 'found')];
    const options = {
      vector: { dimension: 3, metric: 'euclidean' },
      lexical: { enabled: true, analyzer: 'english' },
    };
    for (const each of [own, expected]) {
      const created = await each.sendToKeyspace(
        JSON.stringify({ createCollection: { name: 'found', options } }),
      );
      assert.match(created, /"ok":1/);
      const documents = randomDocuments();
      for (let at = 0; at < documents.length; at += batch) {
        const insertMany = { documents: documents.slice(at, at + batch), options: { ordered: true } };
        assert.match(await each.send(0, JSON.stringify({ insertMany })), /insertedIds/);
      }
    }
  });
  after(() => Promise.all([engine?.close(), model?.close()]));

  const send = async (side: RoutesOfScenario | undefined, command: object): Promise<Reply> => {
    assert.ok(side !== undefined);
    return JSON.parse(await side.send(1, JSON.stringify(command))) as Reply; // a reply of the server
  };
  const idsOfAllPages = async (
    side: RoutesOfScenario | undefined,
    find: object,
  ): Promise<readonly number[]> => {
    const ids: number[] = [];
    let pageState: string | null = null;
    do {
      const reply: Reply = await send(side, { find: { ...find, options: { pageState } } });
      ids.push(...reply.data.documents.map(({ _id }) => _id));
      pageState = reply.data.nextPageState;
    } while (pageState !== null);
    return ids;
  };

  it('once each, over the pages of several look-ups', async () => {
    const filters = [
      { n: { $in: [0, 1, 2, 3] } },
      { $or: [{ n: 1 }, { tags: { $in: ['a', 'b'] } }, { 'o.x': { $gte: 90 } }] },
      { 'o.x': { $gt: 10, $lte: 95.5 } },
      { name: { $gte: 'm' } },
      { day: { $gte: { $date: 1_600_000_000_000 } } },
      { tags: { $all: ['a', 'c'] }, isEven: true },
    ];
    for (const filter of filters) {
      const ids = await idsOfAllPages(own, { filter });
      assert.equal(new Set(ids).size, ids.length);
      const all = await idsOfAllPages(expected, { filter });
      assert.ok(all.length > 10);
      assert.deepEqual(ids.toSorted(ascending), all.toSorted(ascending), JSON.stringify(filter));
      const count = await send(own, { countDocuments: { filter } });
      assert.equal(count.status['count'], all.length);
    }
  });

  it('beside a vector, before the nearest are chosen', async () => {
    const filters = [
      { n: 3 },
      { n: { $in: [0, 4] } },
      { 'o.x': { $lt: 7 } },
      { n: { $ne: 2 } },
      { isEven: { $nin: [true] } },
    ];
    for (const filter of [
      ...filters,
      { $and: [{ n: { $ne: 0 } }, { name: 'missing' }] },
      { $not: { n: { $lte: 4 } } },
    ])
      for (const limit of [1, 10, 100]) {
        const options = { limit, includeSimilarity: true };
        const find = { filter, sort: { $vector: [0.2, -0.1, 0.3] }, projection: { '*': 1 }, options };
        const [found, wanted] = [await send(own, { find }), await send(expected, { find })];
        assert.deepEqual(found.data.documents, wanted.data.documents, JSON.stringify({ filter, limit }));
      }
  });

  it('words on a cluster: the best come first', async () => {
    const fewWords = [
      'fox',
      'FOXES',
      'rare fox',
      'bear tree fox',
      'bear bear',
      'the',
      'absent',
      'absent fox',
    ];
    for (const words of fewWords)
      for (const filter of [{}, { n: { $in: [1, 3] } }, { isEven: true, 'o.x': { $lt: 60 } }]) {
        const match = { $lexical: { $match: words } };
        const ids = await idsOfAllPages(own, { filter: { ...filter, ...match } });
        const all = await idsOfAllPages(expected, { filter: { ...filter, ...match } });
        assert.deepEqual(ids.toSorted(ascending), all.toSorted(ascending), words);
        for (const limit of [1, 20, 1_000]) {
          const find = { filter, sort: { $lexical: words }, projection: { '*': 1 }, options: { limit } };
          const [found, wanted] = [await send(own, { find }), await send(expected, { find })];
          assert.deepEqual(
            found.data.documents,
            wanted.data.documents,
            JSON.stringify({ words, filter, limit }),
          );
        }
      }
  });

  it('by words beside other conditions, and beside a vector', async () => {
    for (const filter of [
      { $or: [{ $lexical: { $match: 'rare' } }, { name: 'zoë7' }] },
      { $and: [{ $lexical: { $match: 'bear' } }, { $lexical: { $match: 'tree' } }], n: { $ne: 2 } },
    ]) {
      const ids = await idsOfAllPages(own, { filter });
      const all = await idsOfAllPages(expected, { filter });
      assert.ok(all.length > 3);
      assert.deepEqual(ids.toSorted(ascending), all.toSorted(ascending), JSON.stringify(filter));
      const find = { filter, sort: { $vector: [0.2, -0.1, 0.3] }, options: { limit: 10 } };
      const [found, wanted] = [await send(own, { find }), await send(expected, { find })];
      assert.deepEqual(found.data.documents, wanted.data.documents, JSON.stringify(filter));
    }
  });

  it('by the words that their texts have behind changes', async () => {
    const idsBy = async (side: RoutesOfScenario | undefined) => {
      const { data } = await send(side, { find: { sort: { $lexical: 'fresh fox' } } });
      return data.documents.map(({ _id }) => _id);
    };
    const change = async (filter: object, update: object) => {
      for (const side of [own, expected]) await send(side, { updateMany: { filter, update } });
      assert.deepEqual(await idsBy(own), await idsBy(expected));
    };
    await change({ _id: { $in: [1, 2, 3, 4, 5] } }, { $set: { $lexical: 'fresh foxes' } });
    await change({ _id: { $in: [2, 6] } }, { $set: { other: 'fresh fox' } });
    await change({ _id: 3 }, { $unset: { $lexical: 1 } });
    await change({ _id: { $in: [4, 7] } }, { $set: { $lexical: 'a fox, fresh, fresh', other: 1 } });
    assert.deepEqual((await idsBy(own)).toSorted(ascending), [1, 2, 4, 5, 7]);
    for (const side of [own, expected]) {
      const { status } = await send(side, { deleteMany: { filter: { $lexical: { $match: 'fresh' } } } });
      assert.equal(status['deletedCount'], 5);
      const insertMany = { documents: randomDocuments().slice(1, 8) };
      await send(side, { deleteMany: { filter: { _id: { $in: [3, 6] } } } });
      await send(side, { insertMany });
    }
    assert.deepEqual(await idsBy(own), []);
  });

  it('by each of the most values that one can have', async () => {
    const list = (at: number) => Array.from({ length: 1_000 }, (_, each) => at * 1_000 + each + 0.5);
    const lists = Object.fromEntries(Array.from({ length: 49 }, (_, at) => [`list ${at}`, list(at)]));
    const reply = await send(own, { insertOne: { document: { _id: 'large', lists } } });
    assert.deepEqual(reply.status, { insertedIds: ['large'] });
    for (const filter of [
      { 'lists.list 48': 48_999.5 },
      { 'lists.list 0.0': { $lt: 1 } },
      { 'lists.list 7': { $size: 1_000 } },
    ]) {
      const find = { filter, projection: { lists: false } };
      assert.deepEqual((await send(own, { find })).data.documents, [{ _id: 'large' }]);
    }
    const { status } = await send(own, { deleteOne: { filter: { 'lists.list 20': 20_000.5 } } });
    assert.deepEqual(status, { deletedCount: 1 });
  });

  it('once by an update that changes what they are found by', async () => {
    const filter = { n: { $in: [0, 1, 2, 3, 4] } };
    const update = { $inc: { changes: 1, n: 1 } };
    for (const side of [own, expected]) {
      let [modified, pageState] = [0, undefined as unknown];
      do {
        const options = pageState === undefined ? {} : { pageState };
        const { status } = await send(side, { updateMany: { filter, update, options } });
        modified += Number(status['modifiedCount']);
        pageState = status['nextPageState'];
      } while (pageState !== undefined);
      assert.equal(modified, documentCount);
      assert.equal(
        (await send(side, { countDocuments: { filter: { changes: 1 } } })).status['count'],
        documentCount,
      );
    }
  });
});

function randomDocuments(): readonly object[] {
  const random = seededRandom(7);
  const part = () => random.below(1_000_000) / 1_000_000 - 0.5;
  return Array.from({ length: documentCount }, (_, _id) => ({
    _id,
    n: random.below(5),
    name: random.pick(['ada', 'Grace', 'mary', 'zoë', 'érica']) + _id,
    isEven: _id % 2 === 0,
    tags: random.some(['a', 'b', 'c', 'd'], 2),
    o: { x: random.below(1_000) / 10 },
    day: { $date: 1_500_000_000_000 + random.below(200_000) * 1_000_000 },
    $vector: [part(), part(), part()],
    ...(_id % 7 === 5 ? {} : { $lexical: randomText(random, _id) }),
  }));
}

function randomText(random: ReturnType<typeof seededRandom>, id: number): string {
  const words = ['fox', 'bears', 'trees', 'wood', 'a lake', 'birds'];
  const text = Array.from({ length: 1 + random.below(6) }, () => random.pick(words)).join(' ');
  return id % 50 === 7 ? `rare ${text}` : text;
}

function ascending(left: number, right: number): number {
  return left - right;
}
