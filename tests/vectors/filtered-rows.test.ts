// Searches of rows beside filters of which an index finds a part, and the rest is compared row by row.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { answeredMeanwhile } from '../faults/answered-meanwhile.js';
import { DataClient } from '../faults/data-client.js';

interface Made {
  readonly id: number;
  readonly n: number;
  readonly tag: string;
  readonly s: readonly string[];
  readonly v: readonly number[];
}

const count = 3_000;
const query = [0.3, -0.2, 0.9, 0.1];
const made = Array.from(
  { length: count },
  (_, at): Made => ({
    id: at,
    n: at % 50,
    tag: `t${at % 7}`,
    s: [`a${at % 4}`, `b${at % 9}`],
    v: query.map((__, of) => Math.sin(at * 12.9898 + of * 78.233)),
  }),
);
const distance = ({ v }: Made) => v.reduce((sum, value, of) => sum + (value - (query[of] ?? 0)) ** 2, 0);

const filters: readonly (readonly [filter: object, passes: (row: Made) => boolean])[] = [
  [{ n: { $lt: 40 }, tag: 't3' }, ({ n, tag }) => n < 40 && tag === 't3'],
  [{ n: { $in: [1, 2, 49] }, tag: { $ne: 't3' } }, ({ n, tag }) => [1, 2, 49].includes(n) && tag !== 't3'],
  [{ s: { $in: ['a1', 'b1'] }, tag: 't3' }, ({ s, tag }) => /a1|b1/.test(s.join()) && tag === 't3'],
  [{ s: { $all: ['a1', 'b1'] }, n: { $gte: 10 } }, ({ s, n }) => s.join() === 'a1,b1' && n >= 10],
  [{ n: { $gte: 0 }, tag: 'nobody' }, () => false],
];

describe('a vector search beside a filter of which an index finds a part', () => {
  let server: RunningServer;
  let client: DataClient;
  before(async () => {
    server = await startServer({ args: ['--dialect', 'extended'] });
    client = new DataClient(server.url);
    const send = (path: string, command: object) => client.mustSend(`/default_keyspace${path}`, command);
    const columns = {
      id: 'int',
      n: 'int',
      tag: 'text',
      s: { type: 'set', valueType: 'text' },
      v: { type: 'vector', dimension: 4 },
    };
    await send('', { createTable: { name: 'rows', definition: { columns, primaryKey: 'id' } } });
    for (const column of ['n', 's'])
      await send('/rows', { createIndex: { name: `by_${column}`, definition: { column } } });
    const options = { metric: 'euclidean' };
    await send('/rows', { createVectorIndex: { name: 'by_v', definition: { column: 'v', options } } });
    for (let from = 0; from < count; from += 100)
      await send('/rows', { insertMany: { documents: made.slice(from, from + 100) } });
  });
  after(async () => {
    client.close();
    await server.stop();
  });

  const find = async (filter: object, limit: number) => {
    const command = { find: { filter, sort: { v: query }, projection: { id: 1 }, options: { limit } } };
    const { data } = await client.mustSend('/default_keyspace/rows', command);
    return (data?.documents ?? []).map(({ id }) => Number(id));
  };

  for (const [filter, passes] of filters) {
    it(`finds the nearest that pass ${JSON.stringify(filter)}`, async () => {
      const nearest = made.filter(passes).sort((one, other) => distance(one) - distance(other));
      for (const limit of [3, 1_000])
        assert.deepEqual(
          await find(filter, limit),
          nearest.slice(0, limit).map(({ id }) => id),
        );
    });
  }

  for (const [way, sought] of [
    ['an index', { n: { $gte: 0 } }],
    ['an index on members', { s: { $in: ['a0', 'a1', 'a2', 'a3'] } }],
  ] as const) {
    it(`lets other searches be answered while it compares the rows that ${way} finds`, async () => {
      const members = Array.from({ length: 100 }, (_, at) => `x${at}`);
      const others = Array.from({ length: 25 }, (_, at) => ({ s: { $in: [...members, `y${at}`].slice(1) } }));
      const answered = await answeredMeanwhile(
        5,
        async () => assert.deepEqual(await find({ $and: [sought, { $or: others }] }, 1_000), []),
        async () => assert.equal((await find({}, 1)).length, 1),
      );
      assert.equal(answered, 5);
    });
  }
});
