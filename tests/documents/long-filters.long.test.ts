// Filters with as many comparisons and values as the limits allow: each is answered, in every command.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { type InProcessServer, startInProcess } from '../faults/in-process-server.js';

const comparisons = 64;
/** Every list has the number of the document 3 or 5, and 99 values that no document has. */
const list = (number: number, of: number) => [
  ...Array.from({ length: 99 }, (_, at) => (at % 2 === 0 ? 10_000 + of * 100 + at : `t${of} ${at}`)),
  number,
];
const each = (make: (at: number) => object) => Array.from({ length: comparisons }, (_, at) => make(at));
const member = (at: number) => `m${at % 16}`;

/** Documents 0 to 299 have their number at sixteen paths, and as an element of `tags`. */
const made = Array.from({ length: 300 }, (_, number) => ({
  _id: number,
  ...Object.fromEntries(Array.from({ length: 16 }, (_value, at) => [member(at), number])),
  tags: [number, 'all'],
}));

const filters: readonly (readonly [name: string, filter: object, ids: readonly number[]])[] = [
  ['$and of $in', { $and: each((at) => ({ [member(at)]: { $in: list(3, at) } })) }, [3]],
  ['$and of $in, nothing', { $and: each((at) => ({ [member(at)]: { $in: list(at % 2, at) } })) }, []],
  ['$or of $in', { $or: each((at) => ({ [member(at)]: { $in: list(at % 2 === 0 ? 3 : 5, at) } })) }, [3, 5]],
  [
    '$and of $or',
    { $and: [{ m0: 3 }, { $or: each((at) => ({ tags: { $in: list(3, at) } })).slice(1) }] },
    [3],
  ],
  ['$not of $nin', { $not: { $or: each((at) => ({ [member(at)]: { $nin: list(5, at) } })) } }, [5]],
  [
    '$nin',
    { $and: [{ m1: { $in: list(3, 0) } }, ...each((at) => ({ m2: { $nin: list(5, at) } })).slice(1)] },
    [3],
  ],
  ['$all', { $or: each((at) => ({ tags: { $all: at === 9 ? [7, 'all'] : list(3, at) } })) }, [7]],
  ['elements of arrays', { $and: each((at) => ({ 'tags.0': { $in: list(3, at) } })) }, [3]],
  ['many equalities', { $and: each((at) => ({ [member(at)]: 5 })) }, [5]],
  ['many ranges', { $and: each((at) => ({ [member(at)]: at % 2 === 0 ? { $gt: 2 } : { $lt: 4 } })) }, [3]],
  ['unknown paths', { $or: each((at) => ({ [`unknown${at}.0.x`]: { $in: list(3, at) } })) }, []],
];

describe('filters on documents at the limits', () => {
  let server: InProcessServer;
  const send = (command: object) => server.client.mustSend('/default_keyspace/docs', command);
  before(async () => {
    server = await startInProcess(newDataDirectory(), {});
    for (const name of ['docs', 'empty'])
      await server.client.mustSend('/default_keyspace', { createCollection: { name } });
    for (let from = 0; from < made.length; from += 100)
      await send({ insertMany: { documents: made.slice(from, from + 100) } });
  });
  after(() => server.close());

  for (const [name, filter, ids] of filters) {
    it(`finds, counts, updates and deletes by ${name}`, async () => {
      const found = await send({ find: { filter } });
      assert.deepEqual(
        found.data?.documents?.map(({ _id }) => Number(_id)).toSorted((one, other) => one - other),
        ids,
      );
      const { status: counted } = await send({ countDocuments: { filter } });
      assert.equal(counted?.['count'], ids.length);
      const { status: updated } = await send({ updateMany: { filter, update: { $inc: { seen: 1 } } } });
      assert.equal(updated?.['modifiedCount'], ids.length);
      const { status: deleted } = await send({ deleteMany: { filter } });
      assert.equal(deleted?.['deletedCount'], ids.length);
      if (ids.length > 0)
        await send({ insertMany: { documents: made.filter(({ _id }) => ids.includes(_id)) } });
    });

    it(`finds nothing in an empty collection by ${name}`, async () => {
      const reply = await server.client.mustSend('/default_keyspace/empty', { find: { filter } });
      assert.deepEqual(reply.data?.documents, []);
    });
  }
});

describe('filters on tables at the limits', () => {
  it('finds rows by 64 lists of 100 values, of the key, of indexes and of other columns', async () => {
    const server = await startInProcess(newDataDirectory(), {});
    try {
      const columns = Object.fromEntries(['k', 'c', 'a', 'b', 'v'].map((name) => [name, { type: 'int' }]));
      const primaryKey = { partitionBy: ['k'], partitionSort: { c: 1 } };
      const { client } = server;
      await client.mustSend('/default_keyspace', {
        createTable: { name: 't', definition: { columns, primaryKey } },
      });
      for (const column of ['a', 'b'])
        await client.mustSend('/default_keyspace/t', {
          createIndex: { name: `by_${column}`, definition: { column } },
        });
      const documents = Array.from({ length: 100 }, (_, k) => ({ k, c: k, a: k, b: k, v: k }));
      await client.mustSend('/default_keyspace/t', { insertMany: { documents } });
      const numbers = (last: number, of: number) => [
        ...Array.from({ length: 99 }, (_, at) => 1_000 * (of + 1) + at),
        last,
      ];
      const names = ['k', 'c', 'a', 'b', 'v'];
      for (const columnsOf of [['k'], ['c'], ['a'], ['a', 'b'], ['v'], names]) {
        const parts = each((at) => ({
          [columnsOf[at % columnsOf.length] ?? '']: { $in: numbers(at % 2 === 0 ? 3 : 5, at) },
        }));
        const same = each((at) => ({ [columnsOf[at % columnsOf.length] ?? '']: { $in: numbers(3, at) } }));
        for (const [filter, rows] of [
          [{ $and: same }, [3]],
          [{ $or: parts }, [3, 5]],
          [{ $not: { $and: parts.slice(0, 1) } }, documents.map(({ k }) => k).filter((k) => k !== 3)],
        ] as const) {
          const found: unknown[] = [];
          for (let pageState: unknown = null; ; ) {
            const options = pageState === null ? {} : { pageState };
            const { data } = await client.mustSend('/default_keyspace/t', { find: { filter, options } });
            found.push(...(data?.documents ?? []).map(({ k }) => k));
            pageState = data?.nextPageState ?? null;
            if (pageState === null) break;
          }
          assert.deepEqual(
            found.map(Number).toSorted((one, other) => one - other),
            rows,
            JSON.stringify(filter).slice(0, 60),
          );
        }
      }
    } finally {
      await server.close();
    }
  });
});
