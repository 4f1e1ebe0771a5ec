// Engine suite: inserts, and that what was acknowledged is there.
import assert from 'node:assert/strict';
import {
  assignmentsOf,
  createTable,
  definitionOf,
  type EngineCase,
  findTable,
  insert,
  keyspace,
  read,
  readPlan,
  rowsOf,
} from './engine-steps.js';

const shape = { columns: { id: 'int', a: 'text', b: 'int' } };

export const insertCases: readonly EngineCase[] = [
  {
    name: 'keeps the columns that a later insert does not name',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(engine, table, '{"id":1,"a":"x","b":1}');
      await insert(engine, table, '{"id":1,"b":2}');
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"a":"x","b":2}']);
      await insert(engine, table, '{"id":1}');
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"a":"x","b":2}']);
    },
  },
  {
    name: 'removes a value for null',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(engine, table, '{"id":1,"a":"x","b":1}', '{"id":2,"a":null,"b":null}');
      await insert(engine, table, '{"id":1,"a":null}');
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"b":1}', '{"id":2}']);
    },
  },
  {
    name: 'lets the last row of one key win column by column',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(
        engine,
        table,
        ...['{"id":1,"a":"first","b":1}', '{"id":2,"a":"other"}', '{"id":1,"a":"second"}'],
        ...['{"id":1,"b":3}', '{"id":1,"a":null,"b":4}', '{"id":1,"a":"last"}'],
      );
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"a":"last","b":4}', '{"id":2,"a":"other"}']);
    },
  },
  {
    name: 'gives one outcome per row for a hundred rows of many forms',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      const forms = ['{"id":#}', '{"id":#,"a":"#"}', '{"b":#,"id":#}', '{"a":null,"b":#,"id":#}'];
      const rows = Array.from({ length: 100 }, (_, id) =>
        (forms[id % forms.length] ?? '').replaceAll('#', String(id)),
      );
      const outcome = await engine.insertRows({ table, rows: rows.map((row) => assignmentsOf(table, row)) });
      assert.deepEqual(
        outcome.rows,
        rows.map(() => null),
      );
      const stored = await rowsOf(engine, table);
      assert.equal(stored.length, 100);
      assert.deepEqual(stored.slice(4, 8), [
        '{"id":4}',
        '{"id":5,"a":"5"}',
        '{"id":6,"b":6}',
        '{"id":7,"b":7}',
      ]);
    },
  },
  {
    name: 'takes columns in any order',
    run: async (engine) => {
      const table = await createTable(engine, {
        columns: { a: 'int', b: 'int', c: 'int', d: 'int' },
        partitionKey: ['c', 'a'],
        clustering: { b: -1 },
      });
      await insert(
        engine,
        table,
        '{"d":4,"b":2,"a":1,"c":3}',
        '{"c":3,"a":1,"b":2,"d":5}',
        '{"a":1,"b":3,"c":3}',
      );
      assert.deepEqual(await rowsOf(engine, table), ['{"a":1,"b":3,"c":3}', '{"a":1,"b":2,"c":3,"d":5}']);
    },
  },
  {
    name: 'stores rows in a table of key columns only',
    run: async (engine) => {
      const table = await createTable(engine, { columns: { p: 'text', c: 'int' }, clustering: { c: 1 } });
      await insert(engine, table, '{"p":"a","c":2}', '{"p":"a","c":1}', '{"p":"a","c":2}');
      assert.deepEqual(await rowsOf(engine, table), ['{"p":"a","c":1}', '{"p":"a","c":2}']);
    },
  },
  {
    name: 'leaves its plans as they were',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      const plan = { table, rows: [assignmentsOf(table, '{"id":1,"b":null,"a":"x"}')] };
      const before = structuredClone(plan.rows.map(({ values }) => values));
      await engine.insertRows(plan);
      assert.deepEqual(
        plan.rows.map(({ values }) => values),
        before,
      );
    },
  },
  {
    name: 'shows every row to the read behind its acknowledgement',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      for (let id = 0; id < 1000; id += 1) {
        await insert(engine, table, `{"id":${id},"b":${id}}`);
        assert.deepEqual(await rowsOf(engine, table, `{"id":${id}}`), [`{"id":${id},"b":${id}}`]);
      }
      assert.equal((await rowsOf(engine, table)).length, 1000);
    },
  },
  {
    name: 'keeps inserts, reads and schema changes apart when they run at the same time',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      const tasks = Array.from({ length: 20 }, async (_, worker) => {
        for (let round = 0; round < 15; round += 1) {
          const id = worker * 100 + round;
          await insert(engine, table, `{"id":${id},"b":${worker}}`);
          assert.deepEqual(await rowsOf(engine, table, `{"id":${id}}`), [`{"id":${id},"b":${worker}}`]);
          if (round % 5 === 0) {
            const plan = readPlan(table, `{"b":${worker}}`, { columns: table.keyColumns });
            assert.equal((await read(engine, plan)).rows.length, round + 1);
          }
          // A cluster takes a second for each of these changes.
          if (worker % 4 === 0 && round % 7 === 0) await makeAndDrop(worker, round);
        }
      });
      const makeAndDrop = async (worker: number, round: number) => {
        const name = `busy_${worker}_${round}`;
        await engine.changeSchema({ kind: 'createTable', keyspace, definition: definitionOf(name, shape) });
        const made = await findTable(engine, name);
        assert.ok(made);
        await insert(engine, made, '{"id":1}');
        assert.deepEqual(await rowsOf(engine, made), ['{"id":1}']);
        await engine.changeSchema({ kind: 'dropTable', table: made });
      };
      await Promise.all(tasks);
      assert.equal((await rowsOf(engine, table)).length, 300);
    },
  },
  {
    name: 'carries writes of one row out in the order of the calls',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      const writes = Array.from({ length: 200 }, (_, at) => insert(engine, table, `{"id":1,"b":${at}}`));
      await Promise.all(writes);
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"b":199}']);
    },
  },
];
