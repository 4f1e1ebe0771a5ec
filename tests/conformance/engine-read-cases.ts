// Engine suite: what reads find: by key, partition, slice, whole table and any filter.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { matchAll } from '../../src/data-service/query/filter.js';
import type { Table } from '../../src/data-service/schema/table.js';
import {
  askAsCommandsDo,
  createTable,
  deleteRows,
  type EngineCase,
  insert,
  planWith,
  read,
  readPlan,
  rowsOf,
  rowText,
} from './engine-steps.js';

interface Row {
  readonly p: number;
  readonly q: number;
  readonly c: number;
  readonly v: number | undefined;
}

/** Every third row has no v. */
const rows: readonly Row[] = [1, 2, 3].flatMap((p) =>
  [1, 2].flatMap((q) => [1, 2, 3, 4].map((c) => ({ p, q, c, v: (p + q + c) % 3 === 0 ? undefined : p * c }))),
);

/** Filter → the rows it must find; `v` of a row without one is undefined, which compares false with everything. */
const filters: readonly (readonly [filter: string, finds: (row: Row) => boolean])[] = [
  ['{}', () => true],
  ['{"p":2,"q":1,"c":3}', ({ p, q, c }) => p === 2 && q === 1 && c === 3],
  ['{"c":3,"p":2,"q":1}', ({ p, q, c }) => p === 2 && q === 1 && c === 3],
  ['{"p":2,"q":1,"c":9}', () => false],
  ['{"p":2,"q":2}', ({ p, q }) => p === 2 && q === 2],
  ['{"p":2,"q":2,"c":{"$gt":2}}', ({ p, q, c }) => p === 2 && q === 2 && c > 2],
  ['{"p":2,"q":2,"c":{"$gte":2,"$lt":4}}', ({ p, q, c }) => p === 2 && q === 2 && c >= 2 && c < 4],
  ['{"p":2,"q":2,"c":{"$gt":2,"$lt":2}}', () => false],
  ['{"p":2,"q":2,"c":{"$gt":1,"$gte":3}}', ({ p, q, c }) => p === 2 && q === 2 && c >= 3],
  ['{"p":2,"q":2,"c":{"$in":[4,1,4]}}', ({ p, q, c }) => p === 2 && q === 2 && (c === 1 || c === 4)],
  ['{"p":{"$in":[3,1]},"q":2}', ({ p, q }) => p !== 2 && q === 2],
  ['{"p":{"$in":[3,1]},"q":{"$in":[2,1]},"c":1}', ({ p, c }) => p !== 2 && c === 1],
  ['{"p":{"$gt":1}}', ({ p }) => p > 1],
  ['{"q":2}', ({ q }) => q === 2],
  ['{"c":{"$lte":2}}', ({ c }) => c <= 2],
  ['{"p":1,"c":2}', ({ p, c }) => p === 1 && c === 2],
  ['{"p":{"$eq":1,"$in":[1,2]},"q":1}', ({ p, q }) => p === 1 && q === 1],
  ['{"$and":[{"p":1},{"p":2}]}', () => false],
  [
    '{"$and":[{"p":1,"q":1},{"c":{"$gt":1}},{"c":{"$ne":3}}]}',
    ({ p, q, c }) => p * q === 1 && c > 1 && c !== 3,
  ],
  ['{"v":4}', ({ v }) => v === 4],
  ['{"v":{"$ne":4}}', ({ v }) => v !== undefined && v !== 4],
  ['{"v":{"$nin":[4,2]}}', ({ v }) => v !== undefined && v !== 4 && v !== 2],
  ['{"v":{"$nin":[]}}', ({ v }) => v !== undefined],
  ['{"v":{"$in":[]}}', () => false],
  ['{"p":{"$nin":[]}}', () => true],
  ['{"p":{"$nin":[1,3]},"q":{"$ne":1}}', ({ p, q }) => p === 2 && q === 2],
  ['{"$not":{"v":4}}', ({ v }) => v !== undefined && v !== 4],
  ['{"$not":{"v":{"$gt":4}}}', ({ v }) => v !== undefined && v <= 4],
  ['{"$not":{"$not":{"v":4}}}', ({ v }) => v === 4],
  ['{"$not":{"v":4,"p":2}}', ({ v, p }) => (v !== undefined && v !== 4) || p !== 2],
  ['{"$not":{"$or":[{"v":4},{"p":2}]}}', ({ v, p }) => v !== undefined && v !== 4 && p !== 2],
  ['{"$or":[{"p":1},{"c":4,"q":2},{"v":6}]}', ({ p, q, c, v }) => p === 1 || (c === 4 && q === 2) || v === 6],
  ['{"$or":[{"p":1,"q":1,"c":1}]}', ({ p, q, c }) => p * q * c === 1],
  ['{"$or":[{"p":1},{}]}', () => true],
  ['{"$and":[{}],"p":1}', ({ p }) => p === 1],
  ['{"$or":[{"v":{"$in":[]}},{"v":{"$lt":3}}]}', ({ v }) => v !== undefined && v < 3],
  ['{"$not":{}}', () => false],
  ['{"$or":[{"$not":{}},{"p":1}]}', ({ p }) => p === 1],
  ['{"$not":{"$or":[{},{"p":1}]}}', () => false],
  ['{"p":1,"$not":{"$and":[{}]}}', () => false],
];

/** Reads. */
export const readCases: readonly EngineCase[] = [
  ...filters.map(([filter, finds]) => ({
    name: `finds the rows of ${filter}`,
    run: async (engine: Engine) => {
      const table = await filledTable(engine);
      assert.deepEqual(await rowsOf(engine, table, filter), rows.filter(finds).map(textOf));
    },
  })),
  {
    name: 'finds the same by any of 64 comparisons',
    run: async (engine) => {
      const table = await filledTable(engine);
      const branches = Array.from({ length: 64 }, (_, at) => `{"v":${at}}`).join(',');
      assert.deepEqual(
        await rowsOf(engine, table, `{"$or":[${branches}]}`),
        rows.filter(({ v }) => v !== undefined).map(textOf),
      );
      const nested = Array.from({ length: 60 }, (_, at) => at).reduce(
        (inner, at) =>
          at % 2 === 0 ? `{"$or":[{"v":${at}},${inner}]}` : `{"$and":[{"v":{"$gte":0}},${inner}]}`,
        '{"v":1}',
      );
      assert.deepEqual(
        await rowsOf(engine, table, nested),
        rows.filter(({ v }) => v !== undefined && (v === 1 || v % 2 === 0)).map(textOf),
      );
    },
  },
  {
    name: 'follows a filter through 300 levels',
    run: async (engine) => {
      const table = await filledTable(engine);
      const levels = ['{"$and":[', '{"$or":[', '{"$not":{"$not":'];
      const ends = [']}', ']}', '}}'];
      let filter = '{"v":4}';
      for (let level = 0; level < 300; level += 1) filter = `${levels[level % 3]}${filter}${ends[level % 3]}`;
      assert.deepEqual(await rowsOf(engine, table, filter), rows.filter(({ v }) => v === 4).map(textOf));
    },
  },
  {
    name: 'takes a hundred values in 60 lists',
    run: async (engine) => {
      const table = await filledTable(engine);
      const values = Array.from({ length: 100 }, (_, at) => at).join(',');
      const lists = Array.from({ length: 60 }, () => `{"v":{"$in":[${values}]}}`).join(',');
      assert.equal((await rowsOf(engine, table, `{"$and":[${lists}]}`)).length, 16);
    },
  },
  {
    name: 'gives the first of many matching rows also where only others of its columns are wanted',
    run: async (engine) => {
      const shape = { columns: { id: 'decimal', mark: 'int', name: 'text' }, partitionKey: ['id'] };
      const table = await createTable(engine, shape);
      // Those that come first by the key were stored last, one after many that do not match.
      const ids = Array.from({ length: 60 }, (_, at) => 60 - at);
      for (const id of ids) await insert(engine, table, `{"id":${id}.5,"mark":${id % 7},"name":"n${id}"}`);
      const columns = table.columns.filter(({ name }) => name === 'name');
      for (const limit of [1, 2, 3]) {
        const all = await rowsOf(engine, table, '{"mark":3}');
        const plan = readPlan(table, '{"mark":3}', { columns, limit });
        const found = (await read(engine, plan)).rows.map((row) => rowText(plan, row));
        assert.deepEqual(
          found,
          all.slice(0, limit).map((row) => row.replace(/^.*(?="name")/, '{')),
        );
      }
    },
  },
  {
    name: 'gives the wanted columns in their order, also none of them',
    run: async (engine) => {
      const table = await filledTable(engine);
      const choices = [['v', 'p'], ['c'], [], ['v', 'c', 'q', 'p']];
      for (const filter of ['{"p":1,"q":1,"c":2}', '{"p":1,"q":1}', '{"c":2}', '{}']) {
        for (const choice of choices) {
          const columns = choice.flatMap((name) => table.columnsByName.get(name) ?? []);
          const all = readPlan(table, filter);
          const plan = planWith(all, { columns, kind: choice.length % 2 === 1 ? 'paged' : 'single' });
          const expected = (await read(engine, all)).rows.map((row) =>
            columns.map((column) => row[table.columns.indexOf(column)]),
          );
          const { rows: found, next } = await read(engine, plan);
          assert.deepEqual(
            found.map((row) => rowText(plan, row)),
            expected.map((row) => rowText(plan, row)),
          );
          assert.equal(next, null);
        }
      }
    },
  },
  {
    name: 'orders by any columns that distinguish rows',
    run: async (engine) => {
      const table = await filledTable(engine);
      for (const direction of [1, -1] as const) {
        const reversed = table.keyOrder.map(({ column, direction: own }) => ({
          column,
          direction: (own * direction) as 1 | -1, // a product of ones
        }));
        const order = [...reversed].reverse();
        const { rows: found } = await read(engine, readPlan(table, '{}', { order }));
        const expected = [...rows].sort((left, right) => {
          const difference = left.c - right.c || left.q - right.q || left.p - right.p;
          return difference * direction;
        });
        assert.deepEqual(
          found.map((row) => rowText({ columns: table.columns }, row)),
          expected.map(textOf),
        );
      }
    },
  },
  {
    name: 'stops at the limit',
    run: async (engine) => {
      const table = await filledTable(engine);
      for (const filter of ['{}', '{"p":1,"q":1}', '{"c":{"$gt":1}}']) {
        const all = await rowsOf(engine, table, filter);
        for (const limit of [1, 2, all.length - 1, all.length, all.length + 1]) {
          const { rows: found } = await read(engine, readPlan(table, filter, { limit }));
          assert.equal(found.length, Math.min(limit, all.length));
        }
      }
    },
  },
  {
    name: 'may be read in part and left',
    run: async (engine) => {
      const table = await makeFilledTable(engine);
      const plan = readPlan(table, '{"v":{"$gt":0}}');
      const outcome = await askAsCommandsDo(engine, async () => {
        const begun = await engine.readRows(plan);
        for await (const _ of begun.chunks) break;
        return begun;
      });
      assert.ok(plan.columns.every((column) => outcome.columns.includes(column)));
      await deleteRows(engine, table, '{}');
      assert.deepEqual(await rowsOf(engine, table), []);
    },
  },
  {
    name: 'finds nothing in an empty table',
    run: async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', v: 'int' } });
      for (const filter of ['{}', '{"id":1}', '{"v":1}', '{"id":{"$in":[1]}}']) {
        assert.deepEqual(await rowsOf(engine, table, filter), []);
      }
      assert.deepEqual(await rowsOf(engine, table, matchAll), []);
    },
  },
];

const filledTables = new WeakMap<Engine, Promise<Table>>();

/** One table for all cases that only read. */
function filledTable(engine: Engine): Promise<Table> {
  const known = filledTables.get(engine);
  if (known !== undefined) return known;
  const made = makeFilledTable(engine);
  filledTables.set(engine, made);
  return made;
}

async function makeFilledTable(engine: Engine): Promise<Table> {
  const table = await createTable(engine, {
    columns: { v: 'int', c: 'int', p: 'int', q: 'int' },
    partitionKey: ['p', 'q'],
    clustering: { c: 1 },
  });
  await insert(engine, table, ...rows.map(textOf).toReversed());
  return table;
}

function textOf({ p, q, c, v }: Row): string {
  const members = `"c":${c},"p":${p},"q":${q}}`;
  return v === undefined ? `{${members}` : `{"v":${v},${members}`;
}
