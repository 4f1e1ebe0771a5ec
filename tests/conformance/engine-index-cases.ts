// Engine suite: indexes find what a read without them finds, in the order of their column, while rows come and go.

import assert from 'node:assert/strict';
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import { columnTypes } from '../../src/data-service/column-types/registry.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { ReadPlan, ReadResult, RowValues } from '../../src/data-service/query/read.js';
import { compareByOrder, type Position, type RowOrder } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { isSampleType } from './engine-column-type-cases.js';
import {
  askAsCommandsDo,
  change,
  createTable,
  createTables,
  deleteRows,
  dropTable,
  type EngineCase,
  finishedRead,
  insert,
  planWith,
  read,
  readPlan,
  refuses,
  rowsByPages,
  rowsOf,
  rowText,
  type UnsortedRows,
} from './engine-steps.js';
import { chosenPlan, createIndex, dropIndex, indexOf, presentTable } from './index-steps.js';

const shape = {
  columns: { p: 'int', q: 'int', c: 'int', v: 'int', w: 'text', n: 'int' },
  partitionKey: ['p', 'q'],
  clustering: { c: -1 },
} as const;
/** Every third row has no v, every fifth no w. */
const rows = [2, 1, 3].flatMap((p) =>
  [2, 1].flatMap((q) =>
    [3, 1, 4, 2].map((c, at) => {
      const n = p * 100 + q * 10 + c;
      const v = n % 3 === 0 ? '' : `,"v":${(p * q * c) % 5}`;
      const w = n % 5 === 0 ? '' : `,"w":"${['a', 'A', 'b', 'Ä'][(p + q + at) % 4]}"`;
      return `{"p":${p},"q":${q},"c":${c}${v}${w},"n":${n}}`;
    }),
  ),
);

/** Filter → the columns that rows are ordered by. */
const servedFilters: readonly (readonly [filter: string, order: string])[] = [
  ['{"v":2}', 'v p q c'],
  ['{"v":9}', 'v p q c'],
  ['{"v":{"$gt":1}}', 'v p q c'],
  ['{"v":{"$gte":1,"$lt":4}}', 'v p q c'],
  ['{"v":{"$gt":0,"$gte":2}}', 'v p q c'],
  ['{"v":{"$lte":3}}', 'v p q c'],
  ['{"v":{"$in":[3,1,3,9]}}', 'v p q c'],
  ['{"v":{"$in":[]}}', 'v p q c'],
  ['{"v":{"$in":[1,2,3],"$gt":1}}', 'v p q c'],
  ['{"v":{"$eq":1,"$in":[1,2]}}', 'v p q c'],
  ['{"$and":[{"v":1},{"v":2}]}', 'v p q c'],
  ['{"v":2,"p":1}', 'v p q c'],
  ['{"v":{"$gt":1},"n":{"$gt":200}}', 'v p q c'],
  ['{"v":{"$gte":1},"q":2}', 'q p c'],
  ['{"v":{"$gt":0},"c":{"$lt":3}}', 'v p q c'],
  ['{"c":2}', 'c p q'],
  ['{"c":{"$gte":2}}', 'c p q'],
  ['{"c":{"$in":[4,1]}}', 'c p q'],
  ['{"v":{"$gt":0},"c":2}', 'c p q'],
  ['{"p":2,"c":{"$lt":4}}', 'c p q'],
  ['{"q":1}', 'q p c'],
  ['{"q":{"$in":[2,1]},"v":{"$gte":0}}', 'q p c'],
  ['{"p":2,"q":1}', 'p q c'],
  ['{"p":2,"q":1,"v":{"$gt":0}}', 'p q c'],
  ['{"p":2,"q":1,"c":{"$in":[2,4]}}', 'p q c'],
  ['{"v":{"$ne":1}}', 'p q c'],
  ['{"v":{"$nin":[1,2]}}', 'p q c'],
  ['{"v":{"$ne":1},"c":{"$gt":1}}', 'c p q'],
  ['{"$or":[{"v":1},{"c":2}]}', 'p q c'],
  ['{"$or":[{"v":1}]}', 'v p q c'],
  ['{"$not":{"v":{"$gt":2}}}', 'v p q c'],
  ['{"n":111}', 'p q c'],
];

const wantsAnyCase = { caseSensitive: false };
/** Filter on a column whose index folds → the letters that are found. */
const foldedFilters: readonly (readonly [filter: string, finds: (letter: string) => boolean])[] = [
  ['{"w":"A"}', (letter) => 'aA'.includes(letter)],
  ['{"w":"ä"}', (letter) => letter === 'Ä'],
  ['{"w":{"$in":["B","ä"]}}', (letter) => 'bÄ'.includes(letter)],
  ['{"w":{"$ne":"A"}}', (letter) => 'bÄ'.includes(letter)],
  ['{"w":{"$nin":["A","B"]}}', (letter) => letter === 'Ä'],
  ['{"w":{"$gt":"A"}}', (letter) => letter !== 'A'],
  ['{"w":{"$lte":"A"}}', (letter) => letter === 'A'],
  ['{"w":"a","v":{"$gte":0}}', (letter) => 'aA'.includes(letter)],
  ['{"w":"A","$and":[{"w":{"$gte":"a"}}]}', (letter) => letter === 'a'],
  ['{"$or":[{"w":"A"},{"w":"B"}]}', (letter) => letter !== 'Ä'],
];

const indexedTypes = columnTypes.filter(({ traits }) => traits.creatable && traits.index !== 'none');

function examplesOf({ name }: ColumnType): string {
  return `finds and orders every example of ${name} by an index`;
}

/** The cases that read every example of a type by an index, each with a reason why an engine differs. */
export function examplesByIndex(reason: string): Readonly<Record<string, string>> {
  return Object.fromEntries(indexedTypes.map((type) => [examplesOf(type), reason]));
}

/** Leaves out all types but some, each with a reason. */
export function withoutExamplesByIndexOfMostTypes(reason: string): Readonly<Record<string, string>> {
  const left = indexedTypes.filter((type) => !isSampleType(type));
  return Object.fromEntries(left.map((type) => [examplesOf(type), reason]));
}

export const indexCases: readonly EngineCase[] = [
  {
    name: 'finds by indexes what it finds without, page by page',
    run: async (engine, unsorted) => {
      const bare = await filledTable(engine);
      const unindexed: ReadResult['rows'][] = [];
      for (const [filter] of servedFilters) unindexed.push((await read(engine, readPlan(bare, filter))).rows);
      let table = bare;
      for (const column of ['v', 'c', 'q']) table = await createIndex(engine, table, column);
      for (const [at, [filter, order]] of servedFilters.entries()) {
        const plan = chosenPlan(table, filter);
        const { order: came } = await askAsCommandsDo(engine, () => engine.readRows(plan));
        unsorted.order(came, order, filter);
        const valuesOf = (row: RowValues) =>
          came?.map(({ column }) => row[table.columns.indexOf(column)]) ?? [];
        const found = unindexed[at]?.toSorted((left, right) =>
          compareByOrder(came ?? [], valuesOf(left), valuesOf(right)),
        );
        await givesByPages(engine, plan, found?.map((row) => rowText(bare, row)) ?? [], unsorted);
      }
    },
  },
  {
    name: 'compares texts as their index folds them',
    run: async (engine, unsorted) => {
      const table = await createIndex(engine, await filledTable(engine), 'w', wantsAnyCase);
      const all = await rowsOf(engine, table);
      for (const [filter, finds] of foldedFilters) {
        const expected = all.filter((row) => {
          const letter = /"w":"(.)"/.exec(row)?.[1];
          const hasV = row.includes('"v"') || !filter.includes('"v"');
          return letter !== undefined && finds(letter) && hasV;
        });
        assert.ok(expected.length > 0, filter);
        await givesByPages(engine, chosenPlan(table, filter), expected, unsorted);
      }
    },
  },
  {
    name: 'finds rows of a folded key column that differ in nothing else',
    run: async (engine, unsorted) => {
      const columns = { p: 'text', q: 'int', c: 'text' };
      let table = await createTable(engine, { columns, partitionKey: ['p', 'q'], clustering: { c: 1 } });
      for (const column of ['p', 'c']) table = await createIndex(engine, table, column, wantsAnyCase);
      const keys = ['A', 'a', 'b'].flatMap((p) =>
        ['A', 'B', 'a'].map((c) => `{"p":"${p}","q":1,"c":"${c}"}`),
      );
      await insert(engine, table, ...keys.toReversed());
      const having = (part: RegExp) => keys.filter((key) => part.test(key));
      const finds = (filter: string, part: RegExp) =>
        givesByPages(engine, chosenPlan(table, filter), having(part), unsorted);
      await finds('{"c":"a"}', /"c":"a"/i);
      await finds('{"p":"a"}', /"p":"a"/i);
      await finds('{"p":"a","c":"A"}', /"p":"a".*"c":"a"/i);
      // Inside one partition the key is compared as it is.
      await finds('{"p":"a","q":1,"c":"a"}', /"p":"a".*"c":"a"/);
    },
  },
  {
    name: 'keeps indexes with their rows: inserted, changed, emptied and deleted',
    run: async (engine, unsorted) => {
      let table = await createTable(engine, { columns: { p: 'int', v: 'int', w: 'text' } });
      await insert(engine, table, '{"p":1,"v":1,"w":"x"}');
      table = await createIndex(engine, table, 'v');
      table = await createIndex(engine, table, 'w', wantsAnyCase);
      await insert(engine, table, '{"p":2,"v":1,"w":"X"}', '{"p":3,"v":2,"w":"x"}', '{"p":4,"v":1}');
      const finds = async (filter: string, ...keys: readonly number[]) => {
        const plan = chosenPlan(table, filter, { columns: table.keyColumns });
        const found = (await read(engine, plan)).rows.map((row) => rowText(plan, row));
        unsorted.rows(
          found,
          keys.map((key) => `{"p":${key}}`),
          filter,
        );
      };
      await finds('{"v":1}', 1, 2, 4);
      await finds('{"w":"X"}', 1, 2, 3);
      await change(engine, table, '{"p":1}', '{"v":2,"w":"y"}');
      await change(engine, table, '{"p":2}', '{"v":null,"w":null}');
      await deleteRows(engine, table, '{"p":3}');
      await insert(engine, table, '{"p":4,"v":3,"w":"X"}');
      await finds('{"v":1}');
      await finds('{"v":{"$gte":2}}', 1, 4);
      await finds('{"w":"x"}', 4);
      await deleteRows(engine, table, '{}');
      await finds('{"v":{"$gte":2}}');
    },
  },
  {
    name: 'gives rows that stay exactly once, read by an index while others come and go between pages',
    run: async (engine) => {
      let table = await createTable(engine, {
        columns: { p: 'int', c: 'int', v: 'int' },
        clustering: { c: -1 },
      });
      const row = (p: number, c: number) => `{"p":${p},"c":${c},"v":${(p + c) % 3}}`;
      const all = [1, 2, 3].flatMap((p) => [1, 2, 3, 4, 5, 6].map((c) => [p, c] as const));
      await insert(engine, table, ...all.map(([p, c]) => row(p, c)));
      table = await createIndex(engine, table, 'v');
      for (const filter of ['{"v":{"$gte":0}}', '{"v":{"$in":[2,0,1]}}', '{"v":{"$gte":0},"c":{"$lt":90}}']) {
        const seen: string[] = [];
        let after: Position | null = null;
        for (let page = 0; ; page += 1) {
          const plan = chosenPlan(table, filter, { after, limit: 2, kind: 'paged' });
          const { rows: found, next } = await read(engine, plan);
          seen.push(...found.map(([p, c]) => `${p}/${c}`));
          if (next === null) break;
          after = next;
          const [p, c] = (found.at(-1) ?? []).map(Number);
          // The row where the read stands, one before it and one behind it; c odd stays.
          await deleteRows(engine, table, `{"p":${p},"c":${Number(c) % 2 === 0 ? c : 100}}`);
          await insert(engine, table, `{"p":${page - 9},"c":20,"v":0}`, `{"p":${page + 9},"c":20,"v":2}`);
        }
        const staying = all.filter(([, c]) => c % 2 === 1).map(([p, c]) => `${p}/${c}`);
        assert.deepEqual(
          seen.toSorted().filter((key, at, list) => key === list[at - 1]),
          [],
          filter,
        );
        assert.deepEqual(
          staying.filter((key) => !seen.includes(key)),
          [],
          filter,
        );
        await deleteRows(engine, table, '{}');
        await insert(engine, table, ...all.map(([p, c]) => row(p, c)));
      }
    },
  },
  {
    name: 'makes an index while rows are written and read: none fails, none is lost',
    run: async (engine, unsorted) => {
      const table = await createTable(engine, {
        columns: { p: 'int', c: 'int', v: 'int' },
        clustering: { c: 1 },
      });
      await insert(engine, table, ...Array.from({ length: 1000 }, (_, c) => `{"p":0,"c":${c},"v":${c % 7}}`));
      const made = createIndex(engine, table, 'v');
      const writing = Array.from({ length: 50 }, async (_, c) => {
        const row = `{"p":1,"c":${c},"v":${c % 7}}`;
        await asPlannedNow(engine, table, (present) => insert(engine, present, row));
        const { rows: found } = await asPlannedNow(engine, table, (present) =>
          finishedRead(engine, chosenPlan(present, `{"v":${c % 7}}`)),
        );
        assert.ok(found.some(([p, key]) => p === 1 && key === c));
      });
      await Promise.all([made, ...writing]);
      const indexed = await presentTable(engine, table);
      assert.equal(indexed.indexes.length, 1);
      for (let v = 0; v < 7; v += 1) {
        const expected = (await rowsOf(engine, indexed)).filter((text) => text.endsWith(`"v":${v}}`));
        unsorted.rows(await rowsByPages(engine, chosenPlan(indexed, `{"v":${v}}`, { limit: 60 })), expected);
      }
    },
  },
  {
    name: 'takes one of two indexes that want the same name in a keyspace at the same time',
    run: async (engine) => {
      const [one, other] = await createTables(engine, [
        { columns: { p: 'int', v: 'int' } },
        { columns: { p: 'int', v: 'int' } },
      ]);
      assert.ok(one && other);
      const make = (table: Table) =>
        engine.changeSchema({
          kind: 'createIndex',
          table,
          index: indexOf(table, 'v', {}, `${one.name}_same`),
        });
      const [first, second] = await Promise.allSettled([make(one), make(other)]);
      assert.equal(first.status, 'fulfilled');
      assert.ok(second.status === 'rejected' && second.reason instanceof EngineError);
      assert.equal(second.reason.kind, 'schemaChanged');
      assert.equal((await presentTable(engine, other)).indexes.length, 0);
    },
  },
  {
    name: 'continues without an index that was dropped, and takes its name and its column again',
    run: async (engine, unsorted) => {
      const indexed = await createIndex(engine, await filledTable(engine), 'v');
      const stale = chosenPlan(indexed, '{"v":2}');
      const expected = (await rowsOf(engine, indexed)).filter((row) => row.includes('"v":2,'));
      const bare = await dropIndex(engine, indexed, 'v');
      await refuses('schemaChanged', read(engine, stale));
      await givesByPages(engine, chosenPlan(bare, '{"v":2}'), expected, unsorted);
      const again = await createIndex(engine, bare, 'v');
      await givesByPages(engine, chosenPlan(again, '{"v":2}'), expected, unsorted);
      await dropTable(engine, again);
    },
  },
  ...indexedTypes.map((type) => ({
    name: examplesOf(type),
    run: async (engine: Engine, unsorted: UnsortedRows) => {
      const plain = await createTable(engine, { columns: { p: 'int', v: type.name } });
      const examples = type.examples.accepts.filter((example) => !/e-?\d{5}/i.test(example));
      const inserted = examples.map((example, at) => `{"p":${(at * 7919) % 10_007},"v":${example}}`);
      await insert(engine, plain, ...inserted, '{"p":20000}');
      const filters = examples.flatMap((one, at) => {
        const list = [one, examples[(at * 3 + 1) % examples.length], examples[0]].join();
        return [`{"v":${one}}`, `{"v":{"$gt":${one}}}`, `{"v":{"$lte":${one}}}`, `{"v":{"$in":[${list}]}}`];
      });
      const expected: (readonly string[])[] = [];
      for (const filter of filters) expected.push(await inOrder(engine, plain, filter));
      const indexed = await createIndex(engine, plain, 'v');
      for (const [at, filter] of filters.entries()) {
        const plan = chosenPlan(indexed, filter, { limit: 3 });
        unsorted.rows(await rowsByPages(engine, plan), expected[at] ?? [], filter);
        // A wanted order is kept by every engine, whatever finishes it.
        const sorted = readPlan(indexed, filter, { order: byValue(indexed) });
        const { rows: found } = await read(engine, sorted);
        assert.deepEqual(
          found.map((row) => rowText(sorted, row)),
          expected[at],
          filter,
        );
      }
    },
  })),
];

/** The rows of a filter on `v` by (v, key), found without an index and sorted by the type's own comparison. */
async function inOrder(engine: Engine, table: Table, filter: string): Promise<readonly string[]> {
  const plan = readPlan(table, filter);
  const { rows: found } = await read(engine, plan);
  return found
    .toSorted((left, right) => compareByOrder(byValue(table), [left[1], left[0]], [right[1], right[0]]))
    .map((row) => rowText(plan, row));
}

/** By `v`, then by the key `p`. */
function byValue({ columns: [p, v] }: Table): RowOrder {
  assert.ok(p && v);
  return [v, p].map((column) => ({ column, direction: 1 }));
}

async function filledTable(engine: Engine): Promise<Table> {
  const table = await createTable(engine, shape);
  await insert(engine, table, ...rows);
  return table;
}

/** Expects these rows, in pages of every length. */
async function givesByPages(
  engine: Engine,
  plan: ReadPlan,
  expected: readonly string[],
  unsorted: UnsortedRows,
): Promise<void> {
  for (let limit = 1; limit <= Math.min(expected.length + 1, 8); limit += 1) {
    unsorted.rows(await rowsByPages(engine, planWith(plan, { limit })), expected, `pages of ${limit}`);
  }
}

/** Plans again if the schema changed in between, which commands do, too. */
async function asPlannedNow<Result>(
  engine: Engine,
  before: Table,
  work: (table: Table) => Promise<Result>,
): Promise<Result> {
  for (let table = before; ; table = await presentTable(engine, table)) {
    try {
      return await work(table);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'schemaChanged') throw error;
      await engine.readSchema(true); // it met a change that is not acknowledged yet
    }
  }
}
