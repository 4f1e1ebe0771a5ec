// Engine suite: deletes of rows, slices, partitions and everything.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { createTable, deleteRows, type EngineCase, insert, rowsOf } from './engine-steps.js';

/** Filter → the rows that stay, as `partition:first,second`. All rows are p, c ∈ 1–3 and d ∈ 1–2. */
const slices: readonly (readonly [filter: string, stays: (p: number, c: number, d: number) => boolean])[] = [
  ['{}', () => false],
  ['{"p":2}', (p) => p !== 2],
  ['{"p":9}', () => true],
  ['{"p":{"$in":[1,3,9]}}', (p) => p === 2],
  ['{"p":{"$in":[]}}', () => true],
  ['{"p":2,"c":1}', (p, c) => !(p === 2 && c === 1)],
  ['{"p":2,"c":{"$gt":1}}', (p, c) => !(p === 2 && c > 1)],
  ['{"p":2,"c":{"$gte":2}}', (p, c) => !(p === 2 && c >= 2)],
  ['{"p":2,"c":{"$lt":2}}', (p, c) => !(p === 2 && c < 2)],
  ['{"p":2,"c":{"$lte":2}}', (p, c) => !(p === 2 && c <= 2)],
  ['{"p":2,"c":{"$gt":1,"$lt":3}}', (p, c) => !(p === 2 && c === 2)],
  ['{"p":2,"c":{"$gte":3,"$lte":1}}', () => true],
  ['{"p":2,"c":{"$in":[1,3]}}', (p, c) => !(p === 2 && c !== 2)],
  ['{"p":{"$in":[1,2]},"c":{"$in":[1,2]},"d":2}', (p, c, d) => !(p < 3 && c < 3 && d === 2)],
  ['{"p":2,"c":2,"d":1}', (p, c, d) => !(p === 2 && c === 2 && d === 1)],
  ['{"p":2,"c":2,"d":{"$gte":2}}', (p, c, d) => !(p === 2 && c === 2 && d === 2)],
  ['{"p":2,"c":2,"d":7}', () => true],
];

export const deleteCases: readonly EngineCase[] = [
  ...slices.map(([filter, stays]) => ({
    name: `deletes ${filter} and nothing else`,
    run: async (engine: Engine) => {
      const table = await filledTable(engine);
      await deleteRows(engine, table, filter);
      const left = await rowsOf(engine, table);
      assert.deepEqual(left, rowsWhere(stays));
    },
  })),
  {
    name: 'takes rows again after everything was deleted',
    run: async (engine) => {
      const table = await filledTable(engine);
      await deleteRows(engine, table, '{}');
      await insert(engine, table, '{"p":1,"c":1,"d":1}');
      assert.deepEqual(await rowsOf(engine, table), ['{"p":1,"c":1,"d":1}']);
    },
  },
  {
    name: 'deletes from its own table only',
    run: async (engine) => {
      const [one, other] = [await filledTable(engine), await filledTable(engine)];
      await deleteRows(engine, one, '{}');
      assert.deepEqual(
        await rowsOf(engine, other),
        rowsWhere(() => true),
      );
    },
  },
];

async function filledTable(engine: Engine): Promise<Table> {
  const table = await createTable(engine, {
    columns: { p: 'int', c: 'int', d: 'int', v: 'text' },
    clustering: { c: -1, d: 1 },
  });
  await insert(engine, table, ...rowsWhere(() => true).toReversed());
  return table;
}

function rowsWhere(accepts: (p: number, c: number, d: number) => boolean): readonly string[] {
  return [1, 2, 3].flatMap((p) =>
    [3, 2, 1].flatMap((c) =>
      [1, 2].flatMap((d) => (accepts(p, c, d) ? [`{"p":${p},"c":${c},"d":${d},"v":"${p}${c}${d}"}`] : [])),
    ),
  );
}
