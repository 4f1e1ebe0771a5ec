// Engine suite: changes of the schema, and plans that a change has outdated.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { Table } from '../../src/data-service/schema/table.js';
import {
  assignmentsOf,
  change,
  createTable,
  createTableNamed,
  definitionOf,
  deleteRows,
  dropTable,
  type EngineCase,
  findTable,
  insert,
  keyspace,
  makeKeyspace,
  objectOf,
  refuses,
  rowsOf,
} from './engine-steps.js';

const shape = { columns: { id: 'int', v: 'int' } };

/** Schema changes. */
export const schemaCases: readonly EngineCase[] = [
  {
    name: 'keeps a keyspace with its replication as given',
    run: async (engine) => {
      const replication = objectOf('{"class":"NetworkTopologyStrategy","dc-1":3,"0":1}');
      await engine.changeSchema({ kind: 'createKeyspace', name: 'kept', replication });
      const found = (await engine.readSchema()).keyspaces.get('kept');
      assert.equal(found?.name, 'kept');
      assert.deepEqual([...(found?.replication ?? [])], [...replication]);
      assert.equal(found?.tables.size, 0);
    },
  },
  {
    name: 'leaves a keyspace that exists as it is',
    run: async (engine) => {
      await makeKeyspace(engine, 'twice');
      const replication = objectOf('{"class":"SimpleStrategy","replication_factor":9}');
      await engine.changeSchema({ kind: 'createKeyspace', name: 'twice', replication });
      const found = (await engine.readSchema()).keyspaces.get('twice');
      assert.equal(found?.replication.has('replication_factor'), false);
    },
  },
  {
    name: 'drops a keyspace with its tables and nothing where there is none',
    run: async (engine) => {
      await makeKeyspace(engine, 'dropped');
      await engine.changeSchema({
        kind: 'createTable',
        keyspace: 'dropped',
        definition: definitionOf('t', shape),
      });
      const table = (await engine.readSchema()).keyspaces.get('dropped')?.tables.get('t');
      assert.ok(table);
      await insert(engine, table, '{"id":1}');
      await engine.changeSchema({ kind: 'dropKeyspace', name: 'dropped' });
      await engine.changeSchema({ kind: 'dropKeyspace', name: 'dropped' });
      assert.equal((await engine.readSchema()).keyspaces.has('dropped'), false);
      await refusesOutdated(engine, table);
      await makeKeyspace(engine, 'dropped');
      assert.equal((await engine.readSchema()).keyspaces.get('dropped')?.tables.size, 0);
    },
  },
  {
    name: 'keeps columns, key and directions of a table',
    run: async (engine) => {
      const columns = { a: 'int', 'B ü"\u0000': 'text', '': 'uuid', __proto__x: 'decimal', z: 'boolean' };
      const table = await createTable(engine, {
        columns,
        partitionKey: ['z', 'a'],
        clustering: { '': -1, __proto__x: 1 },
      });
      const found = await findTable(engine, table.name);
      assert.deepEqual(
        found?.columns.map(({ name, type }) => [name, type.name]),
        Object.entries(columns),
      );
      assert.deepEqual(names(found.partitionKey), ['z', 'a']);
      assert.deepEqual(
        found.clustering.map(({ column, direction }) => [column.name, direction]),
        [
          ['', -1],
          ['__proto__x', 1],
        ],
      );
      assert.deepEqual(names(found.keyColumns), ['z', 'a', '', '__proto__x']);
    },
  },
  {
    name: 'distinguishes names by case',
    run: async (engine) => {
      await makeKeyspace(engine);
      await createTableNamed(engine, 'case', { columns: { id: 'int', ID: 'text', Id: 'boolean' } });
      await createTableNamed(engine, 'CASE', shape);
      const [lower, upper] = [await findTable(engine, 'case'), await findTable(engine, 'CASE')];
      assert.ok(lower && upper);
      await insert(engine, lower, '{"id":1,"ID":"a","Id":true}');
      await insert(engine, upper, '{"id":2}');
      assert.deepEqual(await rowsOf(engine, lower), ['{"id":1,"ID":"a","Id":true}']);
      assert.deepEqual(await rowsOf(engine, upper), ['{"id":2}']);
    },
  },
  {
    name: 'lists tables in the order of their creation',
    run: async (engine) => {
      await makeKeyspace(engine);
      for (const name of ['order_b', 'order_a', 'order_c']) await createTableNamed(engine, name, shape);
      const tables = [...((await engine.readSchema()).keyspaces.get(keyspace)?.tables.keys() ?? [])];
      assert.deepEqual(
        tables.filter((name) => name.startsWith('order_')),
        ['order_b', 'order_a', 'order_c'],
      );
    },
  },
  {
    name: 'makes a table once when two ask at the same time',
    run: async (engine) => {
      await makeKeyspace(engine);
      const definition = definitionOf('once', shape);
      const wanted = { kind: 'createTable' as const, keyspace, definition };
      const results = await Promise.allSettled([engine.changeSchema(wanted), engine.changeSchema(wanted)]);
      assert.equal(results[0].status, 'fulfilled');
      assert.equal(results[1].status, 'rejected');
      const [, { reason }] = results as [unknown, { reason?: unknown }]; // checked just now
      assert.ok(reason instanceof EngineError && reason.kind === 'schemaChanged');
    },
  },
  {
    name: 'refuses a table in a keyspace that is gone',
    run: async (engine) => {
      const definition = definitionOf('t', shape);
      await refuses(
        'schemaChanged',
        engine.changeSchema({ kind: 'createTable', keyspace: 'nowhere', definition }),
      );
    },
  },
  {
    name: 'carries changes out in the order of the calls',
    run: async (engine) => {
      const definition = definitionOf('ordered', shape);
      const create = { kind: 'createTable' as const, keyspace: 'queue', definition };
      const drop = { kind: 'dropKeyspace' as const, name: 'queue' };
      const make = { kind: 'createKeyspace' as const, name: 'queue', replication: new Map() };
      const changes = [make, create, drop, create, make, create, create];
      const results = await Promise.allSettled(changes.map((one) => engine.changeSchema(one)));
      assert.deepEqual(
        results.map(({ status }) => status === 'fulfilled'),
        [true, true, true, false, true, true, false],
      );
      assert.deepEqual(
        [...((await engine.readSchema()).keyspaces.get('queue')?.tables.keys() ?? [])],
        ['ordered'],
      );
    },
  },
  {
    name: 'refuses plans for a table that is gone, and does nothing of them',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await dropTable(engine, table);
      await refusesOutdated(engine, table);
    },
  },
  {
    name: 'refuses to drop a table twice',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await engine.changeSchema({ kind: 'dropTable', table });
      await refuses('schemaChanged', engine.changeSchema({ kind: 'dropTable', table }));
    },
  },
  {
    name: 'refuses plans for a table that was made again, and keeps the new one clean',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(engine, table, '{"id":1,"v":1}');
      await dropTable(engine, table);
      const again = await createTableNamed(engine, table.name, shape);
      await refusesOutdated(engine, table);
      await refuses('schemaChanged', engine.changeSchema({ kind: 'dropTable', table }));
      assert.deepEqual(await rowsOf(engine, again), []);
      await insert(engine, again, '{"id":2}');
      assert.deepEqual(await rowsOf(engine, again), ['{"id":2}']);
    },
  },
  {
    name: 'gives no table id twice',
    run: async (engine) => {
      const ids: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const table = await createTable(engine, shape);
        ids.push(table.id);
        await dropTable(engine, table);
      }
      assert.equal(new Set(ids).size, ids.length);
    },
  },
  {
    name: 'refuses plans that arrive behind a drop which is under way',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(engine, table, '{"id":1,"v":1}');
      const dropped = engine.changeSchema({ kind: 'dropTable', table });
      const behind = [
        engine.insertRows({ table, rows: [assignmentsOf(table, '{"id":2}')] }),
        change(engine, table, '{"id":1}', '{"v":2}'),
        deleteRows(engine, table, '{}'),
      ];
      // A read may still see the rows as they were, or be refused: both are true of some moment of the call.
      const read = rowsOf(engine, table).catch((error: unknown) => {
        assert.ok(error instanceof EngineError && error.kind === 'schemaChanged');
        return ['{"id":1,"v":1}'];
      });
      const results = await Promise.allSettled(behind);
      await dropped;
      for (const result of results) {
        if (result.status === 'fulfilled') continue; // carried out before the drop
        assert.ok(result.reason instanceof EngineError && result.reason.kind === 'schemaChanged');
      }
      for (const row of await read) assert.match(row, /^\{"id":[12]/);
      await refusesOutdated(engine, table);
    },
  },
  {
    name: 'acknowledges nothing that a drop and a new table of the name would lose',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      const definition = definitionOf(table.name, shape);
      const changes = [
        engine.changeSchema({ kind: 'dropTable', table }),
        engine.changeSchema({ kind: 'createTable', keyspace, definition }),
      ];
      await Promise.all(changes);
      await refuses('schemaChanged', engine.insertRows({ table, rows: [assignmentsOf(table, '{"id":9}')] }));
      const again = await findTable(engine, table.name);
      assert.ok(again && again.id !== table.id);
      assert.deepEqual(await rowsOf(engine, again), []);
    },
  },
  {
    name: 'takes tables of many columns',
    run: async (engine) => {
      const names = Array.from({ length: 300 }, (_, at) => `column ${at}`);
      const columns = Object.fromEntries(names.map((name) => [name, 'int']));
      const table = await createTable(engine, { columns });
      const row = `{${names.map((name, at) => `"${name}":${at}`).join(',')}}`;
      await insert(engine, table, row);
      assert.deepEqual(await rowsOf(engine, table), [row]);
    },
  },
];

/** Every kind of plan is refused. */
async function refusesOutdated(engine: Engine, table: Table): Promise<void> {
  await refuses('schemaChanged', engine.insertRows({ table, rows: [assignmentsOf(table, '{"id":1}')] }));
  await refuses('schemaChanged', change(engine, table, '{"id":1}', '{"v":1}'));
  await refuses('schemaChanged', change(engine, table, '{"id":1}', '{"v":null}'));
  await refuses('schemaChanged', deleteRows(engine, table, '{"id":1}'));
  await refuses('schemaChanged', rowsOf(engine, table, '{"id":1}'));
  await refuses('schemaChanged', rowsOf(engine, table, '{"v":1}'));
  await refuses('schemaChanged', rowsOf(engine, table));
}

function names(columns: readonly { readonly name: string }[]): readonly string[] {
  return columns.map(({ name }) => name);
}
