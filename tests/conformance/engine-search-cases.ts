// Engine suite: vector searches find the most similar rows, by every metric, under filters, while rows come and go.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ReadPlan } from '../../src/data-service/query/read.js';
import { similarityColumn } from '../../src/data-service/query/vector-search.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { vectorMetrics } from '../../src/descriptions/vector-metrics.js';
import { seededRandom } from '../seeded-random.js';
import {
  change,
  createTable,
  deleteRows,
  type EngineCase,
  insert,
  type PlanChanges,
  read,
  readPlan,
  refuses,
  rowsOf,
  rowText,
} from './engine-steps.js';
import { createIndex, createVectorIndex, dropIndex, presentTable, vectorIndexOf } from './index-steps.js';

const shape = {
  columns: { p: 'int', c: 'int', n: 'int', v: 'vector<float,3>', w: 'vector<float,2>' },
  clustering: { c: -1 },
} as const;

interface Row {
  readonly p: number;
  readonly c: number;
  readonly n: number;
  readonly v: readonly number[] | undefined;
}

/** Vectors of few values, so that many rows are equally similar; every seventh row has none. */
const rows: readonly Row[] = makeRows(120);

function makeRows(count: number): readonly Row[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, at) => {
    const vector = [1, 0, 0].map(() => random.pick([-1.5, -0.25, 0.5, 1]));
    return { p: at % 5, c: at, n: random.below(10), v: at % 7 === 0 ? undefined : vector };
  });
}

const filters: readonly (readonly [filter: string, finds: (row: Row) => boolean])[] = [
  ['{}', () => true],
  ['{"p":2}', ({ p }) => p === 2],
  ['{"p":2,"c":17}', ({ c }) => c === 17],
  ['{"p":2,"c":18}', () => false],
  ['{"p":{"$in":[4,1]},"c":{"$lt":60}}', ({ p, c }) => (p === 1 || p === 4) && c < 60],
  ['{"n":3}', ({ n }) => n === 3],
  ['{"n":{"$gte":8}}', ({ n }) => n >= 8],
  ['{"n":{"$ne":3},"p":1}', ({ n, p }) => n !== 3 && p === 1],
  ['{"$or":[{"n":1},{"c":{"$lte":5}}]}', ({ n, c }) => n === 1 || c <= 5],
  ['{"n":{"$in":[]}}', () => false],
];

/** The formulas of Cassandra, written again: a mistake in the server's own would not be seen by itself. */
const similarities: Readonly<
  Record<VectorMetric, (left: readonly number[], right: readonly number[]) => number>
> = {
  dot_product: (left, right) => (1 + dot(left, right)) / 2,
  cosine: (left, right) =>
    (1 + dot(left, right) / Math.sqrt(dot(left, left)) / Math.sqrt(dot(right, right))) / 2,
  euclidean: (left, right) => {
    const difference = left.map((element, at) => element - (right[at] ?? 0));
    return 1 / (1 + dot(difference, difference));
  },
};

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, element, at) => sum + element * (right[at] ?? 0), 0);
}

/** Under their area in the suite. */
export const searchCases: readonly EngineCase[] = [
  ...vectorMetrics.map((metric) => ({
    name: `finds the most similar rows by ${metric}, equally similar ones in the order of the key`,
    run: (engine: Engine, _: unknown, lackingShare: number) => checkMetric(engine, metric, lackingShare),
  })),
  {
    name: 'finds the best of thousands of rows',
    run: async (engine, _, lackingShare) => {
      const many = makeRows(5_000);
      const table = await searchableTable(engine, 'cosine', many);
      const search = { metric: 'cosine', query: [1, -0.25, 0.5], lackingShare } as const;
      await checkSearch(engine, table, { ...search, filter: '{}', limit: 1_000 }, many);
      const sevens = many.filter(({ n }) => n === 7);
      await checkSearch(engine, table, { ...search, filter: '{"n":7}', limit: 30 }, sevens);
    },
  },
  {
    name: 'gives of a found row what is wanted and nothing else',
    run: async (engine) => {
      const table = await searchableTable(engine, 'euclidean', rows.slice(0, 9));
      const [p, , n] = table.columns;
      assert.ok(p && n);
      const wanted: readonly (readonly [columns: ReadPlan['columns'], row: string])[] = [
        [[], '{}'],
        [[n, p], `{"n":${rows[4]?.n},"p":4}`],
        [[similarityColumn], '{"$similarity":1.0}'],
        [[p, similarityColumn], '{"p":4,"$similarity":1.0}'],
      ];
      for (const [columns, row] of wanted) {
        // No more rows are there: then a search lacks none.
        const plan = searchPlan(table, rows[4]?.v ?? [], '{}', { columns, limit: 9 });
        const [first, ...others] = await found(engine, plan);
        assert.equal(first, row);
        assert.equal(others.length, 6);
      }
    },
  },
  {
    name: 'finds what was written before, and nothing that was taken away',
    run: async (engine) => {
      const table = await searchableTable(engine, 'dot_product', rows.slice(0, 20));
      const best = async () =>
        found(engine, searchPlan(table, [1, 1, 1], '{}', { columns: keysOf(table), limit: 1 }));
      await insert(engine, table, '{"p":1,"c":500,"v":[50,50,50]}');
      assert.deepEqual(await best(), ['{"p":1,"c":500}']);
      await change(engine, table, '{"p":9,"c":9}', '{"v":[60,60,60]}');
      assert.deepEqual(await best(), ['{"p":9,"c":9}']);
      await change(engine, table, '{"p":9,"c":9}', '{"v":[-60,60,0]}');
      assert.deepEqual(await best(), ['{"p":1,"c":500}']);
      await insert(engine, table, '{"p":1,"c":500,"v":null}', '{"p":1,"c":501,"v":[40,40,40]}');
      assert.deepEqual(await best(), ['{"p":1,"c":501}']);
      await change(engine, table, '{"p":9,"c":9}', '{"v":[61,60,0],"n":1}');
      await deleteRows(engine, table, '{"p":1}');
      assert.deepEqual(await best(), ['{"p":9,"c":9}']);
      await change(engine, table, '{"p":9,"c":9}', '{"v":null,"n":null}');
      assert.notDeepEqual(await best(), ['{"p":9,"c":9}']);
    },
  },
  {
    name: 'searches while rows are written, and gives no row twice',
    run: async (engine) => {
      const table = await searchableTable(engine, 'cosine', makeRows(3_000));
      const plans = [100, 20].map((limit) =>
        searchPlan(table, [1, 1, 1], '{}', { columns: keysOf(table), limit }),
      );
      const search = () =>
        plans.map(async (plan) => [plan.page.limit, new Set(await found(engine, plan)).size]);
      const searches = [search(), search(), search(), search()].flat();
      const writes = Array.from({ length: 8 }, (_, at) =>
        insert(engine, table, `{"p":${at % 5},"c":${at},"v":[${at + 1},1,1]}`),
      );
      for (const [limit, rows] of await Promise.all(searches)) assert.equal(rows, limit);
      await Promise.all(writes);
    },
  },
  {
    name: 'gives each of many searches at the same time its own rows',
    run: async (engine) => {
      // No two rows as near to a query, and no zero vector.
      const places = Array.from({ length: 600 }, (_, at) => [
        at % 25,
        Math.floor(at / 25),
        1 + ((at * 7) % 11),
      ]);
      const filled = places.map((v, c) => ({ p: c % 5, c, n: 0, v }));
      const table = await searchableTable(engine, 'euclidean', filled);
      const plans = Array.from({ length: 24 }, (_, at) =>
        searchPlan(table, [at + 0.137, 24.291 - at, 6.073], at % 3 === 2 ? `{"p":${at % 5}}` : '{}', {
          columns: keysOf(table),
          limit: at % 4 === 3 ? 100 : 5 + at,
        }),
      );
      const expected: (readonly string[])[] = [];
      for (const plan of plans) expected.push(await found(engine, plan));
      assert.ok(new Set(expected.map(String)).size > 20, 'the searches find the same');
      assert.deepEqual(await Promise.all(plans.map((plan) => found(engine, plan))), expected);
    },
  },
  {
    name: 'makes no cosine index over zero vectors, and names them',
    run: async (engine) => {
      const before = await createTable(engine, shape);
      await insert(
        engine,
        before,
        '{"p":1,"c":1,"v":[0,1,0]}',
        '{"p":1,"c":2}',
        '{"p":3,"c":4,"v":[0,-0.0,0]}',
      );
      const wanted = {
        kind: 'createIndex',
        table: before,
        index: vectorIndexOf(before, 'v', 'cosine'),
      } as const;
      await assert.rejects(engine.changeSchema(wanted), /zero vectors.*\[3,4\]/);
      await refuses('unindexable', engine.changeSchema(wanted));
      assert.equal((await presentTable(engine, before)).version, before.version);
      await insert(engine, before, '{"p":5,"c":6,"v":[0,0,1]}');
      assert.equal((await rowsOf(engine, before)).length, 4);
      const table = await createVectorIndex(engine, before, 'v', 'euclidean');
      const plan = searchPlan(table, [0, 0, 0], '{}', { columns: keysOf(table), limit: 1 });
      assert.deepEqual(await found(engine, plan), ['{"p":3,"c":4}']);
      await createVectorIndex(engine, await dropIndex(engine, table, 'v'), 'w', 'cosine');
    },
  },
];

async function checkMetric(engine: Engine, metric: VectorMetric, lackingShare: number): Promise<void> {
  const table = await searchableTable(engine, metric, rows);
  for (const [at, [filter, finds]] of filters.entries()) {
    const query = at % 2 === 0 ? [1, 0.5, 0.25] : [1e-3, 0, 1e-20];
    const limit = [1_000, 1, 10][at % 3] ?? 0;
    await checkSearch(engine, table, { metric, query, filter, limit, lackingShare }, rows.filter(finds));
  }
  const search = { metric, query: [-1.5, 1, -0.25], filter: '{}', lackingShare } as const;
  await checkSearch(engine, table, { ...search, limit: 40 }, rows);
  // More than there are, and just as many.
  const vectors = rows.filter(({ v }) => v !== undefined).length;
  for (const limit of [vectors + 1, vectors]) await checkSearch(engine, table, { ...search, limit }, rows);
}

interface CheckedSearch {
  readonly metric: VectorMetric;
  readonly query: readonly number[];
  readonly filter: string;
  readonly limit: number;
  readonly lackingShare: number;
}

/** `candidates`: the rows that the filter finds. A search that has room for all of them lacks none, on any engine. */
async function checkSearch(
  engine: Engine,
  table: Table,
  { metric, query, filter, limit, lackingShare }: CheckedSearch,
  candidates: readonly Row[],
): Promise<void> {
  const float32 = [...Float32Array.from(query)];
  const expected = candidates
    .flatMap(({ p, c, v }) =>
      v === undefined ? [] : [{ p, c, similarity: similarities[metric](float32, v) }],
    )
    .sort((left, right) => right.similarity - left.similarity);
  const lacking = limit < expected.length ? Math.ceil(lackingShare * expected.length) : 0;
  const columns = [...keysOf(table), similarityColumn];
  const { rows: given } = await read(engine, searchPlan(table, query, filter, { columns, limit }));
  assert.equal(given.length, Math.min(limit, expected.length), filter);
  let before: readonly unknown[] | undefined;
  for (const [at, row] of given.entries()) {
    const [p, c, similarity] = row;
    const own = expected.find((each) => each.p === p && each.c === c);
    assert.ok(own, `${filter} finds the row ${p}, ${c}`);
    const best = expected[at]?.similarity ?? Number.NaN;
    const least = expected[Math.min(at + lacking, expected.length - 1)]?.similarity ?? Number.NaN;
    assert.ok(
      own.similarity < best + 1e-12 && own.similarity > least - 1e-12,
      `row ${at} of ${filter} is as similar as the ${at}th best, and not below the ${at + lacking}th`,
    );
    assert.ok(
      Math.abs(Number(similarity) - Math.fround(own.similarity)) < 1e-6,
      `${similarity} of ${own.similarity}`,
    );
    if (before !== undefined && before[2] === similarity && own.similarity === expected[at - 1]?.similarity)
      assert.ok(isBehind(before, row), `${before} comes before ${row}`);
    before = row;
  }
}

/** In the order of the key: p rises, c falls. */
function isBehind(before: readonly unknown[], row: readonly unknown[]): boolean {
  const [p, c] = before.map(Number);
  const [ownP = 0, ownC = 0] = row.map(Number);
  return ownP > Number(p) || (ownP === p && ownC < Number(c));
}

async function searchableTable(engine: Engine, metric: VectorMetric, filled: readonly Row[]): Promise<Table> {
  const table = await createTable(engine, shape);
  const texts = filled.map(({ p, c, n, v }) => {
    const vector = v === undefined ? '' : `,"v":[${v.join(',')}]`;
    return `{"p":${p},"c":${c},"n":${n}${vector}}`;
  });
  // Some rows are there before the index, some come later.
  const half = texts.length >> 1;
  await insert(engine, table, ...texts.slice(0, half));
  const indexed = await createIndex(engine, await createVectorIndex(engine, table, 'v', metric), 'n');
  await insert(engine, indexed, ...texts.slice(half));
  return indexed;
}

function searchPlan(table: Table, query: readonly number[], filter: string, changes: PlanChanges): ReadPlan {
  const index = table.indexes.find(({ kind }) => kind === 'vector');
  assert.ok(index?.kind === 'vector');
  const { column, metric } = index;
  const search = { kind: 'vector' as const, column, query: Float32Array.from(query), metric };
  return { ...readPlan(table, filter, changes), search };
}

async function found(engine: Engine, plan: ReadPlan): Promise<readonly string[]> {
  return (await read(engine, plan)).rows.map((row) => rowText(plan, row));
}

function keysOf({ keyColumns }: Table): ReadPlan['columns'] {
  return keyColumns;
}
