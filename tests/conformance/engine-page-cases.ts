// Engine suite: orders, and pages that resume behind a position.

import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ReadPage, ReadResult } from '../../src/data-service/query/read.js';
import { OutdatedPosition, type Position, type RowOrder } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import {
  createTable,
  deleteRows,
  type EngineCase,
  insert,
  planWith,
  read,
  readPlan,
  rowsByPages,
  rowsOf,
  rowText,
} from './engine-steps.js';

type Direction = 1 | -1;

/** One to three clustering columns in all directions. */
const directions: readonly (readonly Direction[])[] = [
  ...[[1], [-1]],
  ...[
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
  ],
  ...[
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
    [-1, -1, 1],
    [-1, 1, -1],
    [-1, -1, -1],
  ],
] as readonly (readonly Direction[])[]; // literals above are nothing else

function pagesIn(order: readonly Direction[]): string {
  return `orders and pages by clustering columns in the directions ${order.join(', ')}`;
}

/** The directions of three clustering columns, but one: a reason to leave each out. */
export function withoutMostDirections(reason: string): Readonly<Record<string, string>> {
  const [, ...left] = directions.filter((order) => order.length === 3);
  return Object.fromEntries(left.map((order) => [pagesIn(order), reason]));
}

const filters = [
  ...[
    '{}',
    '{"p":1}',
    '{"p":{"$in":[2,1]}}',
    '{"p":1,"c0":2}',
    '{"p":1,"c0":{"$gte":2}}',
    '{"p":2,"c0":{"$lt":3}}',
  ],
  ...[
    '{"p":1,"c0":{"$gt":1,"$lte":3}}',
    '{"c0":{"$in":[1,3]}}',
    '{"v":{"$gt":20}}',
    '{"v":{"$ne":111},"p":2}',
  ],
  ...['{"$or":[{"p":1},{"c0":2}]}', '{"p":9}', '{"$not":{"c0":2}}'],
];

/** Orders and pages. */
export const pageCases: readonly EngineCase[] = [
  ...['{}', '{"n":{"$lt":30}}', '{"n":{"$gt":20}}', '{"p":1,"n":{"$ne":3}}'].map((filter) => ({
    name: `ends pages that grow too large, and loses no row of ${filter} between them`,
    run: async (engine: Engine) => {
      const table = await createTable(engine, {
        columns: { p: 'int', c: 'int', n: 'int', note: 'text' },
        clustering: { c: -1 },
      });
      // Neither in the order of the key nor against it, and of different sizes.
      const numbers = Array.from({ length: 40 }, (_, at) => (at * 27) % 40);
      const rows = numbers.map(
        (n) => `{"p":${n % 3},"c":${n},"n":${(n * 7) % 40},"note":"${'x'.repeat((n * 11) % 50)}"}`,
      );
      await insert(engine, table, ...rows);
      const all = await rowsOf(engine, table, filter);
      assert.ok(all.length > 10, `${all.length} rows`);
      for (const maxBytes of [0, 100, 400]) {
        const paged: string[] = [];
        let after: Position | null = null;
        do {
          const plan = readPlan(table, filter, { limit: 25, after, kind: 'paged', maxBytes });
          const page: ReadResult = await read(engine, plan);
          paged.push(...page.rows.map((row) => rowText(plan, row)));
          after = page.next;
        } while (after !== null);
        assert.deepEqual(paged, all);
      }
    },
  })),
  ...directions.map((order) => ({
    name: pagesIn(order),
    run: async (engine: Engine) => {
      const table = await filledTable(engine, order);
      const all = orderedRows(order);
      assert.deepEqual(await rowsOf(engine, table), all);
      for (const filter of filters) {
        const expected = await rowsOf(engine, table, filter);
        assert.deepEqual(expected, inOrderOf(all, expected));
        for (let limit = 1; limit <= Math.min(expected.length + 1, 12); limit += 1) {
          const pages = await rowsByPages(engine, readPlan(table, filter, { limit }));
          assert.deepEqual(pages, expected, `${filter} by ${limit}`);
        }
      }
    },
  })),
  {
    name: 'gives a position only when there are more rows, and only when asked',
    run: async (engine) => {
      const table = await filledTable(engine, [1]);
      for (const filter of ['{"p":1}', '{"v":{"$gt":0},"p":1}']) {
        const rows = (await rowsOf(engine, table, filter)).length;
        const nextOf = async (limit: number, kind: ReadPage['kind']) =>
          (await read(engine, readPlan(table, filter, { limit, kind }))).next;
        assert.equal(await nextOf(rows, 'paged'), null);
        assert.equal(await nextOf(rows - 1, 'single'), null);
        const next = await nextOf(rows - 1, 'paged');
        assert.ok(next !== null);
        const behind = await read(engine, readPlan(table, filter, { after: next }));
        assert.deepEqual(
          behind.rows.map(([p, c0]) => [p, c0]),
          [[1, rows]],
        );
      }
    },
  },
  {
    name: 'names the position also when the wanted columns lack the key',
    run: async (engine) => {
      const table = await filledTable(engine, [-1, 1]);
      const columns = table.columns.filter(({ name }) => name === 'v');
      const all = await rowsByPages(engine, readPlan(table, '{}', { columns, limit: 5 }));
      assert.deepEqual(
        all,
        orderedRows([-1, 1]).map((row) => row.replace(/.*,"v"/, '{"v"')),
      );
    },
  },
  {
    name: 'has nothing behind the last row of a filter',
    run: async (engine) => {
      const table = await filledTable(engine, [1]);
      const plan = readPlan(table, '{"p":1,"c0":{"$in":[1,2]}}', { limit: 1, kind: 'paged' });
      const { next: after } = await read(engine, plan);
      assert.ok(after !== null);
      await deleteRows(engine, table, '{"p":1,"c0":2}');
      const { rows, next, isCut } = await read(engine, planWith(plan, { after }));
      assert.deepEqual({ rows, next, isCut }, { rows: [], next: null, isCut: false });
    },
  },
  {
    name: 'continues behind every row it gave, and repeats and skips none',
    run: async (engine) => {
      const table = await filledTable(engine, [1, -1]);
      for (const order of [...ordersOf(table), null]) {
        for (const filter of ['{}', '{"p":1}', '{"p":2,"c0":{"$gte":2}}', '{"v":{"$gt":120}}']) {
          const plan = readPlan(table, filter, { order });
          const { rows: all } = await read(engine, plan);
          for (let limit = 1; limit < all.length; limit += 1) {
            const { next: after } = await read(engine, planWith(plan, { limit, kind: 'paged' }));
            assert.ok(after !== null);
            for (const rest of [all.length, 1]) {
              const { rows } = await read(engine, planWith(plan, { after, limit: rest, kind: 'paged' }));
              assert.deepEqual(rows, all.slice(limit, limit + rest), `${filter} behind ${limit} rows`);
            }
          }
        }
      }
    },
  },
  {
    name: 'refuses a position of another order',
    run: async (engine) => {
      const table = await filledTable(engine, [1, -1]);
      const orders = ordersOf(table);
      for (const order of orders) {
        const plan = readPlan(table, '{"p":1}', { order, limit: 2, kind: 'paged' });
        const { next: after } = await read(engine, plan);
        assert.ok(after !== null);
        for (const other of orders.filter((each) => each !== order))
          await assert.rejects(read(engine, planWith(plan, { after, order: other })), OutdatedPosition);
      }
    },
  },
  {
    name: 'continues behind a row that is gone',
    run: async (engine) => {
      const table = await filledTable(engine, [-1]);
      const plan = readPlan(table, '{}', { limit: 2, kind: 'paged' });
      const { rows, next } = await read(engine, plan);
      assert.deepEqual(rows.at(-1)?.slice(0, 2), [1, 2]);
      await deleteRows(engine, table, '{"p":1,"c0":2}');
      const rest = await rowsByPages(engine, planWith(plan, { after: next }));
      assert.deepEqual(rest, orderedRows([-1]).slice(2));
    },
  },
  {
    name: 'gives rows that stay exactly once when others come and go between pages',
    run: async (engine) => {
      const table = await filledTable(engine, [1, -1]);
      const seen: string[] = [];
      const stay = orderedRows([1, -1]).filter((row) => row.includes('"c1":2'));
      let plan = readPlan(table, '{}', { limit: 3, kind: 'paged' });
      for (let page = 0; ; page += 1) {
        const { rows, next } = await read(engine, plan);
        seen.push(...rows.map((row) => row.join()));
        if (next === null) break;
        plan = planWith(plan, { after: next });
        await deleteRows(engine, table, `{"p":${1 + (page % 3)},"c0":${1 + (page % 2)},"c1":3}`);
        await insert(engine, table, `{"p":${page},"c0":0,"c1":${page},"v":0}`);
      }
      assert.equal(new Set(seen).size, seen.length);
      for (const row of stay)
        assert.ok(seen.includes(row.replace(/[^\d,]/g, '').replace(/(\d),\d(\d),\d(\d),/, '$1,$2,$3,')));
    },
  },
  {
    name: 'reads a table of thousands of rows whole, in part and by pages',
    run: async (engine) => {
      const table = await createTable(engine, {
        columns: { p: 'int', c: 'int', v: 'int' },
        clustering: { c: -1 },
      });
      const rows = Array.from({ length: 5000 }, (_, at) => `{"p":${at % 50},"c":${at},"v":${at % 7}}`);
      for (let at = 0; at < rows.length; at += 1000)
        await insert(engine, table, ...rows.slice(at, at + 1000));
      const all = await rowsOf(engine, table);
      assert.equal(all.length, 5000);
      assert.equal(all[0], '{"p":0,"c":4950,"v":1}');
      assert.deepEqual(await rowsByPages(engine, readPlan(table, '{}', { limit: 777 })), all);
      const sparse = all.filter((row) => row.endsWith('"v":3}'));
      assert.deepEqual(await rowsOf(engine, table, '{"v":3}'), sparse);
      assert.deepEqual(await rowsByPages(engine, readPlan(table, '{"v":3}', { limit: 100 })), sparse);
      assert.deepEqual(await rowsOf(engine, table, '{"v":9}'), []);
    },
  },
];

/** That of the key, its reverse, and one by a column outside the key. */
function ordersOf({ keyOrder, columns }: Table): readonly RowOrder[] {
  const reverse = keyOrder.map(
    ({ column, direction }) => ({ column, direction: direction === 1 ? -1 : 1 }) as const,
  );
  const byValue = columns
    .filter(({ name }) => name === 'v')
    .map((column) => ({ column, direction: -1 }) as const);
  return [keyOrder, reverse, [...byValue, ...keyOrder]];
}

async function filledTable(engine: Engine, order: readonly Direction[]): Promise<Table> {
  const names = order.map((_, at) => `c${at}`);
  const table = await createTable(engine, {
    columns: { p: 'int', ...Object.fromEntries(names.map((name) => [name, 'int'])), v: 'int' },
    clustering: Object.fromEntries(names.map((name, at) => [name, order[at] ?? 1])),
  });
  // Neither the order nor its reverse.
  const rows = orderedRows(order);
  const mixed = [
    ...rows.filter((_, at) => at % 3 === 1),
    ...rows.filter((_, at) => at % 3 !== 1).toReversed(),
  ];
  await insert(engine, table, ...mixed);
  return table;
}

/** All rows with p ∈ 1–2 and clustering columns ∈ 1–3, in the order of the directions; v holds their digits. */
function orderedRows(order: readonly Direction[]): readonly string[] {
  let keys = ['1', '2'];
  for (const direction of order) {
    const values = direction === 1 ? ['1', '2', '3'] : ['3', '2', '1'];
    keys = keys.flatMap((key) => values.map((value) => key + value));
  }
  return keys.map((key) => {
    const members = [...key].map((digit, at) => (at === 0 ? `"p":${digit}` : `"c${at - 1}":${digit}`));
    return `{${members.join(',')},"v":${key}}`;
  });
}

function inOrderOf(all: readonly string[], some: readonly string[]): readonly string[] {
  return all.filter((row) => some.includes(row));
}
