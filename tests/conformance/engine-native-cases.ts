// Engine suite: statements of the native query language that commands cannot replace.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { NativeQueryRefused } from '../../src/data-service/engine/native-result.js';
import { runNativeQuery } from '../../src/data-service/native-query/run-native-query.js';
import { type EngineCase, findTable, insert, keyspace, makeKeyspace, rowsOf } from './engine-steps.js';

const nothing = { columns: [], rows: [] };

async function run(engine: Engine, ...queries: readonly string[]): Promise<void> {
  await makeKeyspace(engine);
  for (const query of queries) assert.deepEqual(await runNativeQuery(engine, query), nothing, query);
}

/** Native queries. */
export const nativeCases: readonly EngineCase[] = [
  {
    name: 'makes a table that the schema holds and plans reach',
    run: async (engine) => {
      await run(
        engine,
        `CREATE TABLE ${keyspace}.native_made (a int, b timeuuid, c varchar, d frozen<map<text, int>>, e tuple<int>, ` +
          'PRIMARY KEY ((a), b)) WITH CLUSTERING ORDER BY (b DESC)',
        `DROP TABLE IF EXISTS ${keyspace}.native_other`,
      );
      const table = await findTable(engine, 'native_made');
      assert.ok(table);
      assert.deepEqual(
        table.columns.map(({ name, type }) => [name, type.name]),
        [
          ['a', 'int'],
          ['b', 'timeuuid'],
          ['c', 'text'],
          ['d', 'frozen<map<text,int>>'],
          ['e', 'unsupported frozen<tuple<int>>'],
        ],
      );
      assert.deepEqual(
        table.readableColumns.map(({ name }) => name),
        ['a', 'b', 'c'],
      );
      assert.deepEqual(
        table.clustering.map(({ column, direction }) => [column.name, direction]),
        [['b', -1]],
      );
      const first = '13814000-1dd2-11b2-8000-000000000001';
      const second = '13814000-1dd2-11b2-8000-000000000002';
      await insert(engine, table, `{"a":1,"b":"${first}","c":"x"}`);
      await run(engine, `INSERT INTO ${keyspace}.native_made (a, b, d) VALUES (1, ${second}, {'k': 1})`);
      const names = ['a', 'b', 'c', 'd', 'e'];
      const types = ['int', 'timeuuid', 'text', 'map<text, int>', 'tuple<int>'];
      const { columns, rows } = await runNativeQuery(
        engine,
        `SELECT * FROM ${keyspace}.native_made WHERE a = 1`,
      );
      // The protocol of a cluster does not say what is frozen.
      const unfrozen = columns.map(({ name, type }) => ({
        name,
        type: type.replace(/^frozen<(.*)>$/, '$1'),
      }));
      assert.deepEqual(
        unfrozen,
        names.map((name, at) => ({ name, type: types[at] })),
      );
      assert.deepEqual(rows, [
        ['1', `"${second}"`, 'null', '{"k":1}', 'null'],
        ['1', `"${first}"`, '"x"', 'null', 'null'],
      ]);
    },
  },
  {
    name: 'counts by statements',
    run: async (engine) => {
      await run(engine, `CREATE TABLE ${keyspace}.native_counts (id int PRIMARY KEY, n counter)`);
      const update = `UPDATE ${keyspace}.native_counts SET n = n + 2 WHERE id = 1`;
      await Promise.all(Array.from({ length: 20 }, () => runNativeQuery(engine, update)));
      const table = await findTable(engine, 'native_counts');
      assert.ok(table);
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"n":40}']);
      await run(engine, `DELETE n FROM ${keyspace}.native_counts WHERE id = 1`);
      assert.deepEqual(await rowsOf(engine, table), []);
    },
  },
  {
    name: 'refuses a statement that it does not know, or that does not fit, and does nothing',
    run: async (engine) => {
      await run(engine, `CREATE TABLE ${keyspace}.native_refused (id int PRIMARY KEY, v int)`);
      for (const query of [
        '',
        'TRUNCATE a.b',
        `INSERT INTO ${keyspace}.native_refused (id, v) VALUES (1, 'x')`,
        `UPDATE ${keyspace}.native_refused SET v = v + 1 WHERE id = 1`,
        `DROP TABLE ${keyspace}.nowhere`,
      ]) {
        await assert.rejects(runNativeQuery(engine, query), NativeQueryRefused, query);
      }
      const table = await findTable(engine, 'native_refused');
      assert.ok(table);
      assert.deepEqual(await rowsOf(engine, table), []);
    },
  },
  {
    name: 'makes a table once when two statements ask at the same time',
    run: async (engine) => {
      await makeKeyspace(engine);
      const create = `CREATE TABLE ${keyspace}.native_once (id int PRIMARY KEY)`;
      const results = await Promise.allSettled([
        runNativeQuery(engine, create),
        runNativeQuery(engine, create),
      ]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected'],
      );
      const [, refusal] = results;
      assert.ok(refusal?.status === 'rejected' && refusal.reason instanceof NativeQueryRefused);
    },
  },
];
