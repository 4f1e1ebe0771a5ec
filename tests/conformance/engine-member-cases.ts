// Engine suite of the extended dialect: filters on the members of lists, sets and maps, by indexes and without.
import assert from 'node:assert/strict';
import type { PartName } from '../../src/data-service/column-types/column-type.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { createTable, deleteRows, type EngineCase, insert, rowsByPages, update } from './engine-steps.js';
import { chosenPlan, createMemberIndex, presentTable } from './index-steps.js';

const columns = { id: 'int', l: 'list<text>', s: 'set<int>', m: 'map<text,text>', n: 'map<int,text>' };
const rows = [
  '{"id":1,"l":["apple","orange"],"s":[1,2],"m":{"UK":"London","CHINA":"Beijing"},"n":[[1,"a"],[2,"b"]]}',
  '{"id":2,"l":["banana","grape"],"s":[3],"m":{"USA":"Washington","CANADA":"Ottawa"},"n":[[1,"b"]]}',
  '{"id":3,"l":["kiwi","melon","mongo","kiwi"],"s":[2,3,4],"m":{"FRANCE":"Paris","GERMANY":"Berlin"}}',
  '{"id":4}',
];
/** Filter → the rows that match. */
const filters: readonly (readonly [filter: string, ids: readonly number[]])[] = [
  ['{"l":{"$in":["apple","orange"]}}', [1]],
  ['{"l":{"$in":["apple","kiwi","grape","kiwi"]}}', [1, 2, 3]],
  ['{"l":{"$in":[]}}', []],
  ['{"l":{"$nin":["apple"]}}', [2, 3, 4]],
  ['{"l":{"$nin":[]}}', [1, 2, 3, 4]],
  ['{"l":{"$all":["kiwi","melon","mongo"]}}', [3]],
  ['{"$not":{"l":{"$all":["apple","orange"]}}}', [2, 3, 4]],
  ['{"s":{"$in":[2,3]}}', [1, 2, 3]],
  ['{"s":{"$all":[2,3]}}', [3]],
  ['{"s":{"$in":[2],"$nin":[4]}}', [1]],
  ['{"m":{"$in":[["USA","Washington"],["CHINA","Beijing"],["UK","Paris"]]}}', [1, 2]],
  ['{"m":{"$nin":[["USA","Washington"],["CHINA","Beijing"]]}}', [3, 4]],
  ['{"m":{"$all":[["USA","Washington"],["CANADA","Ottawa"]]}}', [2]],
  ['{"m":{"$keys":{"$in":["USA","FRANCE"]}}}', [2, 3]],
  ['{"m":{"$keys":{"$all":["GERMANY","FRANCE"]}}}', [3]],
  ['{"m":{"$values":{"$in":["Washington","London"]}}}', [1, 2]],
  ['{"m":{"$values":{"$all":["Washington","London"]}}}', []],
  ['{"m":{"$values":{"$nin":["Washington","London"]}}}', [3, 4]],
  ['{"m":{"$keys":{"$in":["UK","USA"]},"$values":{"$in":["Ottawa","Paris"]}}}', [2]],
  ['{"n":{"$in":[[1,"a"],[2,"a"]]}}', [1]],
  ['{"n":{"$keys":{"$in":[1]}}}', [1, 2]],
  ['{"l":{"$in":["kiwi","apple"]},"s":{"$in":[2]}}', [1, 3]],
  ['{"$or":[{"l":{"$in":["apple"]}},{"s":{"$all":[3]}}]}', [1, 2, 3]],
  ['{"$or":[{"m":{"$keys":{"$in":["UK","USA"]}}},{"id":{"$in":[2,4]}}]}', [1, 2, 4]],
  ['{"id":{"$in":[1,2,4]},"s":{"$in":[1,2,3]}}', [1, 2]],
];
const indexed: readonly (readonly [column: string, part: PartName])[] = [
  ['l', 'elements'],
  ['s', 'elements'],
  ['m', 'entries'],
  ['m', 'keys'],
  ['m', 'values'],
  ['n', 'entries'],
];

/** The ids of the rows of a filter, page by page, ascending: engines give them in orders of their own. */
async function idsOf(engine: Engine, table: Table, filter: string): Promise<readonly number[]> {
  const plan = chosenPlan(table, filter, { limit: 2 });
  const ids = (await rowsByPages(engine, plan)).map((row) => Number(JSON.parse(row).id));
  return ids.sort((left, right) => left - right);
}

async function createIndexes(engine: Engine, before: Table): Promise<Table> {
  let table = before;
  for (const [column, part] of indexed) table = await createMemberIndex(engine, table, column, part);
  return table;
}

const ways: readonly (readonly [name: string, make: (engine: Engine) => Promise<Table>])[] = [
  [
    'without indexes',
    async (engine) => {
      const table = await createTable(engine, { columns });
      await insert(engine, table, ...rows);
      return table;
    },
  ],
  [
    'by indexes that were made before the rows',
    async (engine) => {
      const table = await createIndexes(engine, await createTable(engine, { columns }));
      await insert(engine, table, ...rows);
      return table;
    },
  ],
  [
    'by indexes that were made behind the rows',
    async (engine) => {
      const table = await createTable(engine, { columns });
      await insert(engine, table, ...rows);
      return createIndexes(engine, table);
    },
  ],
];

/** Finds rows, also in pages of two. */
export const memberCases: readonly EngineCase[] = [
  ...ways.map(([name, make]): EngineCase => {
    return {
      name: `finds rows by their members, ${name}`,
      run: async (engine) => {
        const table = await make(engine);
        for (const [filter, ids] of filters)
          assert.deepEqual(await idsOf(engine, table, filter), ids, filter);
      },
    };
  }),
  {
    name: 'gives rows that have several of the members once, over all pages',
    run: async (engine) => {
      const bare = await createTable(engine, {
        columns: { p: 'int', id: 'int', s: 'set<int>' },
        ...byPartition,
      });
      const table = await createMemberIndex(engine, bare, 's', 'elements');
      const all = Array.from({ length: 60 }, (_, id) => [id % 3, (id * 7) % 5, 5 + (id % 4)]);
      await insert(engine, table, ...all.map((s, id) => JSON.stringify({ p: id % 2, id, s })));
      const having = (members: readonly number[]) =>
        all.flatMap((s, id) => (s.some((each) => members.includes(each)) ? [id] : []));
      for (const members of [[0, 1, 2], [4, 3], [5, 0, 6, 4], [9], [2, 9]])
        assert.deepEqual(
          await idsOf(engine, table, JSON.stringify({ s: { $in: members } })),
          having(members),
        );
    },
  },
  {
    name: 'finds rows by the members that they have behind updates and deletes',
    run: async (engine) => {
      const table = await createIndexes(engine, await createTable(engine, { columns }));
      await insert(engine, table, ...rows);
      await update(engine, table, '{"id":1}', '{"$push":{"l":"kiwi","s":9,"m":{"USA":"Paris"}}}');
      await update(engine, table, '{"id":3}', '{"$pullAll":{"l":["kiwi"],"s":[2,3],"m":["FRANCE"]}}');
      await update(engine, table, '{"id":4}', '{"$set":{"l":["grape"],"n":[[1,"z"]]}}');
      await update(engine, table, '{"id":2}', '{"$unset":{"s":""},"$set":{"l":[]}}');
      const found: readonly (readonly [filter: string, ids: readonly number[]])[] = [
        ['{"l":{"$in":["kiwi","grape"]}}', [1, 4]],
        ['{"s":{"$in":[2,3,9]}}', [1]],
        ['{"m":{"$values":{"$in":["Paris"]}}}', [1]],
        ['{"m":{"$keys":{"$in":["USA","FRANCE"]}}}', [1, 2]],
        ['{"n":{"$in":[[1,"z"],[1,"b"]]}}', [2, 4]],
      ];
      for (const [filter, ids] of found) assert.deepEqual(await idsOf(engine, table, filter), ids, filter);
      await deleteRows(engine, table, '{"id":1}');
      assert.deepEqual(await idsOf(engine, table, '{"l":{"$in":["kiwi","grape"]}}'), [4]);
    },
  },
  {
    name: 'compares texts as the index of their part folds them',
    run: async (engine) => {
      const bare = await createTable(engine, { columns: { id: 'int', l: 'list<text>' } });
      const table = await createMemberIndex(engine, bare, 'l', 'elements', { caseSensitive: false });
      await insert(
        engine,
        table,
        '{"id":1,"l":["Apple"]}',
        '{"id":2,"l":["APPLE","b"]}',
        '{"id":3,"l":["c"]}',
      );
      assert.deepEqual(await idsOf(engine, table, '{"l":{"$in":["apple"]}}'), [1, 2]);
      assert.deepEqual(await idsOf(engine, table, '{"l":{"$all":["aPPLE","B"]}}'), [2]);
      assert.deepEqual(await idsOf(engine, table, '{"l":{"$nin":["apple"]}}'), [3]);
    },
  },
  {
    name: 'finds rows by the members of frozen lists and maps',
    run: async (engine) => {
      const frozen = { id: 'int', l: 'frozen<list<int>>', m: 'frozen<map<text,int>>' };
      const table = await presentTable(engine, await createTable(engine, { columns: frozen }));
      await insert(engine, table, '{"id":1,"l":[1,2],"m":{"a":1}}', '{"id":2,"l":[3]}');
      assert.deepEqual(await idsOf(engine, table, '{"l":{"$in":[2,3]}}'), [1, 2]);
      assert.deepEqual(await idsOf(engine, table, '{"m":{"$keys":{"$all":["a"]}}}'), [1]);
      assert.deepEqual(await idsOf(engine, table, '{"m":{"$nin":[["a",1]]}}'), [2]);
    },
  },
];

const byPartition = { partitionKey: ['p'], clustering: { id: 1 } } as const;
