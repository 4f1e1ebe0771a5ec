// Searches by vectors and by words beside filters that few, some and most documents pass.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { answeredMeanwhile } from '../faults/answered-meanwhile.js';
import { type InProcessServer, startInProcess } from '../faults/in-process-server.js';

interface Made {
  readonly _id: number;
  readonly tenant: string;
  readonly tenth: number;
  readonly isEven: boolean;
  readonly tags: readonly string[];
  readonly third: number;
  readonly $vector: readonly number[];
  readonly $lexical: string;
}

const count = 5_000;
const search = [0.3, -0.2, 0.9, 0.1];

/** Pseudorandom from -1 to 1, the same in each run. */
function part(at: number, of: number): number {
  return Math.sin(at * 12.9898 + of * 78.233) % 1;
}

const made = Array.from({ length: count }, (_, at): Made => {
  const vector = search.map((__, of) => part(at, of));
  return {
    _id: at,
    tenant: `t${at % 100}`,
    tenth: at % 10,
    isEven: at % 2 === 0,
    tags: [`a${at % 4}`, `b${at % 1_000}`],
    third: at % 3,
    $vector: vector,
    $lexical: [
      'common',
      ...Array.from({ length: at % 17 }, () => 'other'),
      at % 6 === 0 ? 'sixth' : 'no',
    ].join(' '),
  };
});

/** Filters as they are sent: JavaScript would shorten one of the numbers. */
const filters: readonly (readonly [filter: string, passes: (document: Made) => boolean])[] = [
  ['{"tenant":"t7"}', ({ tenant }) => tenant === 't7'],
  ['{"tenant":"nobody"}', () => false],
  ['{"unknown":{"$in":[]}}', () => false],
  ['{"tenth":3}', ({ tenth }) => tenth === 3],
  ['{"tenth":3.00000000000000000001}', () => false],
  ['{"tenth":{"$lt":8}}', ({ tenth }) => tenth < 8],
  ['{"tenth":{"$gte":2},"tenant":"t93"}', ({ tenant }) => tenant === 't93'],
  ['{"tenth":{"$ne":3}}', ({ tenth }) => tenth !== 3],
  ['{"isEven":true}', ({ isEven }) => isEven],
  ['{"isEven":true,"third":1}', ({ isEven, third }) => isEven && third === 1],
  ['{"tags":"b999"}', ({ tags }) => tags.includes('b999')],
  ['{"tags":{"$in":["a1","a2","b4"]}}', ({ tags }) => tags.some((tag) => ['a1', 'a2', 'b4'].includes(tag))],
  ['{"$or":[{"tenant":"t1"},{"tags":"b7"}]}', ({ tenant, tags }) => tenant === 't1' || tags.includes('b7')],
  ['{"isEven":true,"tenth":{"$ne":2}}', ({ isEven, tenth }) => isEven && tenth !== 2],
  ['{"_id":{"$gte":4990}}', ({ _id }) => _id >= 4_990],
];

describe('searches beside a filter on documents', () => {
  let server: InProcessServer;
  before(async () => {
    server = await startInProcess(newDataDirectory());
    const options = { vector: { dimension: 4, metric: 'euclidean' } };
    await server.client.mustSend('/default_keyspace', { createCollection: { name: 'docs', options } });
    for (let from = 0; from < count; from += 100)
      await server.client.mustSend('/default_keyspace/docs', {
        insertMany: { documents: made.slice(from, from + 100), options: { ordered: true } },
      });
  });
  after(() => server.close());

  const find = async (sort: object, filter: string, limit: number) => {
    const text = `{"find":{"sort":${JSON.stringify(sort)},"filter":${filter},"options":{"limit":${limit}}}}`;
    const { data } = await server.client.mustSend('/default_keyspace/docs', text);
    return (data?.documents ?? []).map(({ _id }) => Number(_id));
  };
  const distance = ({ $vector }: Made) =>
    $vector.reduce((sum, value, of) => sum + (value - (search[of] ?? 0)) ** 2, 0);

  for (const [filter, passes] of filters) {
    it(`find the nearest that pass ${filter}`, async () => {
      const nearest = made.filter(passes).sort((one, other) => distance(one) - distance(other));
      for (const limit of [1, 10, 200])
        assert.deepEqual(
          await find({ $vector: search }, filter, limit),
          nearest.slice(0, limit).map(({ _id }) => _id),
        );
    });

    it(`find the best by words that pass ${filter}`, async () => {
      for (const words of ['sixth', 'sixth other']) {
        const all = await find({ $lexical: words }, '{}', 1_000);
        const passing = new Set(made.filter(passes).map(({ _id }) => _id));
        const expected = all.filter((id) => passing.has(id));
        assert.deepEqual(await find({ $lexical: words }, filter, 10), expected.slice(0, 10));
      }
    });
  }

  it('let searches without a filter be answered while they compare documents', async () => {
    // No document passes, and only the last condition says so: all are compared.
    const conditions = Array.from({ length: 63 }, (_, at) => ({ tags: { $ne: `x${at}` } }));
    const filter = JSON.stringify({ $and: [...conditions, { third: { $nin: [0, 1, 2] } }] });
    const answered = await answeredMeanwhile(
      5,
      async () => assert.deepEqual(await find({ $vector: search }, filter, 10), []),
      async () => assert.equal((await find({ $vector: search }, '{}', 1)).length, 1),
    );
    assert.equal(answered, 5);
  });

  it('find what was changed a moment before', async () => {
    const update = { $set: { tenant: 'moved', isEven: 'no' } };
    for (const _id of [1, 6, 12])
      await server.client.mustSend('/default_keyspace/docs', { updateOne: { filter: { _id }, update } });
    const filter = '{"tenant":"moved"}';
    assert.deepEqual((await find({ $vector: search }, filter, 10)).sort(), [1, 12, 6]);
    assert.deepEqual((await find({ $lexical: 'sixth' }, filter, 10)).sort(), [12, 6]);
    assert.ok(!(await find({ $lexical: 'sixth' }, '{"isEven":true}', 1_000)).includes(12));
    assert.ok(!(await find({ $vector: search }, '{"isEven":true}', 1_000)).includes(12));
  });
});
