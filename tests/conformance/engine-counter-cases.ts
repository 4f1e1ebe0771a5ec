// Engine suite: counters, which additions alone change.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ColumnChange } from '../../src/data-service/query/write.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import { createTable, deleteRows, type EngineCase, rowsOf } from './engine-steps.js';

const shape = { columns: { id: 'int', n: 'counter', m: 'counter' } };

async function withCounters(
  engine: Engine,
  run: (table: Table, n: Column, m: Column) => Promise<void>,
): Promise<void> {
  const table = await createTable(engine, shape);
  const [, n, m] = table.columns;
  assert.ok(n && m);
  await run(table, n, m);
}

const add = (column: Column, value: bigint): ColumnChange => ({ kind: 'add', column, value });

export const counterCases: readonly EngineCase[] = [
  {
    name: 'counts from 0 in a row that an addition makes',
    run: (engine) =>
      withCounters(engine, async (table, n, m) => {
        await engine.changeRow({ table, key: [1], changes: [add(n, 5n)] });
        await engine.changeRow({ table, key: [1], changes: [add(n, -7n), add(m, 0n)] });
        assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"n":-2,"m":0}']);
      }),
  },
  {
    name: 'keeps all digits, and continues at the least number behind the greatest',
    run: (engine) =>
      withCounters(engine, async (table, n) => {
        const most = 2n ** 63n - 1n;
        await engine.changeRow({ table, key: [1], changes: [add(n, 2n ** 53n)] });
        await engine.changeRow({ table, key: [1], changes: [add(n, 1n)] });
        assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"n":9007199254740993}']);
        await engine.changeRow({ table, key: [2], changes: [add(n, most)] });
        await engine.changeRow({ table, key: [2], changes: [add(n, 2n)] });
        await engine.changeRow({ table, key: [3], changes: [add(n, -most)] });
        await engine.changeRow({ table, key: [3], changes: [add(n, -2n)] });
        assert.deepEqual(await rowsOf(engine, table, '{"id":{"$gt":1}}'), [
          `{"id":2,"n":${-most}}`,
          `{"id":3,"n":${most}}`,
        ]);
      }),
  },
  {
    name: 'loses none of many additions at the same time',
    run: (engine) =>
      withCounters(engine, async (table, n, m) => {
        const changes = Array.from({ length: 300 }, (_, at) => [add(at % 3 === 0 ? m : n, BigInt(at))]);
        await Promise.all(changes.map((each) => engine.changeRow({ table, key: [1], changes: each })));
        assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"n":30000,"m":14850}']);
      }),
  },
  {
    name: 'ends a row with its last counter, and counts from 0 again behind that',
    run: (engine) =>
      withCounters(engine, async (table, n, m) => {
        const takeAway = (column: Column): ColumnChange => ({ kind: 'set', column, value: null });
        await engine.changeRow({ table, key: [1], changes: [add(n, 5n), add(m, 6n)] });
        await engine.changeRow({ table, key: [1], changes: [takeAway(n)] });
        assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"m":6}']);
        await engine.changeRow({ table, key: [1], changes: [takeAway(m)] });
        assert.deepEqual(await rowsOf(engine, table), []);
        await engine.changeRow({ table, key: [1], changes: [add(n, 1n)] });
        await deleteRows(engine, table, '{"id":1}');
        await engine.changeRow({ table, key: [1], changes: [add(n, 2n)] });
        assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"n":2}']);
      }),
  },
];
