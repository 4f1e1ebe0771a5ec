// Sorts of many rows: pages in the order of storage, the bound of what is sorted in memory, and every type's order.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import { useWireServer } from './wire-server.js';

const path = '/v1/default_keyspace/numbers';
const { at, send } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"numbers","definition":{"columns":{"p":"int","c":"int","d":"int","mod":"int"},
        "primaryKey":{"partitionBy":["p"],"partitionSort":{"c":1,"d":-1}}}}}`,
    ],
  ],
});
const table = at(path);
const inMemory =
  '<REQUEST WARNING IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING: Sorted in memory because of other columns>';

/** Stores rows, 100 a command. */
async function insert(to: string, documents: readonly string[]): Promise<void> {
  for (let start = 0; start < documents.length; start += 100) {
    const body = `{"insertMany":{"documents":[${documents.slice(start, start + 100).join(',')}]}}`;
    const { text } = await send({ path: to, body });
    assert.ok(!text.includes('"errors"'), text);
  }
}

/** All rows of a find, page after page, each page full but the last; `show` makes a row out of its document. */
async function allPages<Row>(
  members: string,
  show: (document: Readonly<Record<string, number>>) => Row,
  options = '',
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let state: string | null = '';
  while (state !== null) {
    const body = `{"find":{${members},"options":{${options}"pageState":"${state}"}}}`;
    const { text } = await send({ path, body });
    const reply = JSON.parse(text);
    assert.ok(!('errors' in reply), text);
    assert.ok(!text.includes('IN_MEMORY'), text);
    rows.push(...reply.data.documents.map(show));
    state = reply.data.nextPageState;
    if (state !== null) assert.equal(reply.data.documents.length, 50);
  }
  return rows;
}

/** 5,000 values of `c`, two rows each. */
const keys = Array.from({ length: 10_000 }, (_, row) => ({ c: row >> 1, d: row % 2, mod: row % 7 }));
const inOrder = keys.toSorted((left, right) => left.c - right.c || right.d - left.d);
const keyOf = ({ c, d }: Readonly<Record<string, number>>) => `${c}/${d}`;

describe('a sort of 10,000 rows', () => {
  before(() =>
    insert(
      path,
      keys.map(({ c, d, mod }) => `{"p":1,"c":${c},"d":${d},"mod":${mod}}`),
    ),
  );

  for (const [sort, rows] of [
    ['{"c":1}', inOrder],
    ['{"c":-1}', inOrder.toReversed()],
    ['{"c":-1,"d":1}', inOrder.toReversed()],
  ] as const) {
    it(`goes through pages in the order of storage or its reverse: ${sort}`, async () => {
      const members = `"filter":{"p":1,"c":{"$lt":100}},"sort":${sort}`;
      const wanted = rows.filter(({ c }) => c < 100).map(keyOf);
      assert.deepEqual(await allPages(members, keyOf), wanted);
      assert.deepEqual(await allPages(members, keyOf, '"limit":120,'), wanted.slice(0, 120));
      const chosen = `"filter":{"p":{"$in":[1]},"c":{"$in":[7,4999,2500]}},"sort":${sort}`;
      const isChosen = ({ c }: { c: number }) => [7, 2500, 4999].includes(c);
      assert.deepEqual(await allPages(chosen, keyOf), rows.filter(isChosen).map(keyOf));
    });

    it(`goes through pages of rows that a filter leaves of many: ${sort}`, async () => {
      const members = `"filter":{"p":1,"mod":3,"c":{"$gte":1000}},"sort":${sort}`;
      const wanted = rows.filter(({ c, mod }) => mod === 3 && c >= 1000).map(keyOf);
      assert.deepEqual(await allPages(members, keyOf), wanted);
    });
  }

  it('is the same with an index on what is filtered', async () => {
    const members = '"filter":{"p":1,"mod":{"$gte":5},"c":{"$gte":4000}}';
    const wanted = inOrder.filter(({ c, mod }) => mod >= 5 && c >= 4000);
    await table('{"createIndex":{"name":"by_mod","definition":{"column":"mod"}}}', '{"status":{"ok":1}}');
    assert.deepEqual(await allPages(`${members},"sort":{"c":-1}`, keyOf), wanted.map(keyOf).reverse());
    assert.deepEqual(await allPages(`${members},"sort":{"c":1,"d":-1}`, keyOf), wanted.map(keyOf));
    const body = `{"find":{${members},"sort":{"d":1}}}`;
    const { data } = JSON.parse((await send({ path, body })).text);
    const byD = wanted.toSorted((left, right) => left.d - right.d);
    assert.deepEqual(data.documents.map(keyOf), byD.slice(0, 50).map(keyOf));
    await at('/v1/default_keyspace')('{"dropIndex":{"name":"by_mod"}}', '{"status":{"ok":1}}');
  });

  it('page state: bound to the sort', async () => {
    const find = (sort: string, state: string) =>
      `{"find":{"filter":{"p":1},"projection":{"c":1},${sort}"options":{"pageState":"${state}"}}}`;
    const refused = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
    const { text } = await send({ path, body: find('"sort":{"c":-1},', '') });
    const state = JSON.parse(text).data.nextPageState;
    await table(find('', state), refused);
    await table(find('"sort":{"c":1},', state), refused);
    const { text: sameOrder } = await send({ path, body: find('"sort":{"c":-1,"d":1},', state) });
    assert.equal(JSON.parse(sameOrder).data.documents[0].c, 4974);
  });

  const find = (command: string, filter: string) =>
    `{"${command}":{"filter":${filter},"sort":{"mod":-1,"c":-1},"projection":{"c":1}${command === 'find' ? ',"options":{"limit":2}' : ''}}}`;
  const projection = '"projectionSchema":{"c":{"type":"int"}}';
  const tooMany = '"errors":[<REQUEST SORT OVERLOADED_SORT_ROW_LIMIT: Too many rows to sort>]';

  it('is done in memory, and refused with one row more', async () => {
    const done = `"status":{${projection},"sortedRowCount":10000,"warnings":[${inMemory}]}}`;
    const last = inOrder
      .filter(({ mod }) => mod === 6)
      .slice(-2)
      .reverse();
    const documents = last.map(({ c }) => `{"c":${c}}`);
    await table(
      find('find', '{"p":1}'),
      `{"data":{"documents":[${documents.join(',')}],"nextPageState":null},${done}`,
    );
    await table(find('findOne', '{"p":1}'), `{"data":{"document":${documents[0]}},${done}`);
    await insert(path, ['{"p":1,"c":5000,"d":0,"mod":0}']);
    for (const command of ['find', 'findOne']) {
      const refused = `{"status":{"warnings":[${inMemory}]},${tooMany}}`;
      await table(find(command, '{"p":1}'), refused, 'must sort more than 10000 rows');
    }
    // What counts is what the filter leaves.
    await table(
      find('find', '{"p":1,"c":{"$lt":5000}}'),
      `{"data":{"documents":[${documents.join(',')}],"nextPageState":null},${done}`,
    );
  });

  it('gives at most 50 of the rows, from anywhere in them', async () => {
    const rows = async (options: string) => {
      const body = `{"find":{"filter":{"p":1,"c":{"$lt":4000}},"sort":{"mod":1},"options":{${options}}}}`;
      const { data, status } = JSON.parse((await send({ path, body })).text);
      assert.deepEqual([data.nextPageState, status.sortedRowCount], [null, 8000]);
      assert.match(
        status.warnings[0].message,
        /\nA reply has at most 50 rows\. Use "skip" to get the next rows\./,
      );
      return data.documents.map(keyOf);
    };
    const sorted = inOrder
      .filter(({ c }) => c < 4000)
      .toSorted((left, right) => left.mod - right.mod)
      .map(keyOf);
    assert.deepEqual(await rows(''), sorted.slice(0, 50));
    assert.deepEqual(await rows('"limit":60'), sorted.slice(0, 50));
    assert.deepEqual(await rows('"skip":4321,"limit":60'), sorted.slice(4321, 4371));
    assert.deepEqual(await rows('"skip":7990'), sorted.slice(7990));
    assert.deepEqual(await rows('"skip":8000'), []);
  });
});

describe('a sort by a column', () => {
  const types = columnTypes.filter(({ traits }) => traits.creatable);
  const examples = '/v1/default_keyspace/examples';
  before(async () => {
    const columns = types.map(({ name }) => `"${name}":"${name}"`).join(',');
    const key = '{"partitionBy":["p"],"partitionSort":{"place":1}}';
    await at('/v1/default_keyspace')(
      `{"createTable":{"name":"examples","definition":{"columns":{"p":"text","place":"int",${columns}},
        "primaryKey":${key}}}}`,
      '{"status":{"ok":1}}',
    );
  });

  for (const {
    name,
    examples: { accepts },
  } of types) {
    it(`follows the order of its type: ${name}`, async () => {
      // Stored neither in their order nor in its reverse: 7 has no divisor in common with the number of places.
      const count = accepts.length % 7 === 0 ? accepts.length + 1 : accepts.length;
      const places = accepts.map((_, at) => (at * 7) % count);
      await insert(examples, [
        ...accepts.map((literal, at) => `{"p":"${name}","place":${places[at]},"${name}":${literal}}`),
        `{"p":"${name}","place":-1}`,
      ]);
      const ascending = [-1, ...places];
      for (const [direction, wanted] of [
        [1, ascending],
        [-1, ascending.toReversed()],
      ] as const) {
        const seen: number[] = [];
        while (seen.length < wanted.length) {
          const body = `{"find":{"filter":{"p":"${name}"},"sort":{"${name}":${direction}},
            "projection":{"place":1},"options":{"skip":${seen.length}}}}`;
          const { text } = await send({ path: examples, body });
          const { data } = JSON.parse(text);
          assert.ok(data?.documents.length > 0, text);
          seen.push(...data.documents.map(({ place }: { place: number }) => place));
        }
        assert.deepEqual(seen, wanted);
      }
    });
  }
});
