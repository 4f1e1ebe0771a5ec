// Engine suite: columns that are added to tables with rows and dropped from them, and embedding services of columns.
import assert from 'node:assert/strict';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ColumnEmbeddingService } from '../../src/data-service/schema/embedding-service.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import {
  change,
  createTable,
  definitionOf,
  deleteRows,
  type EngineCase,
  insert,
  refuses,
  rowsOf,
} from './engine-steps.js';
import { presentTable } from './index-steps.js';

const shape = { columns: { id: 'int', a: 'text', b: 'int' } };

/** Adds a column to the table; gives the table with it. */
async function add(engine: Engine, table: Table, name: string, type: string): Promise<Table> {
  const { columns } = definitionOf('added', { columns: { [name]: type } });
  await engine.changeSchema({ kind: 'addColumns', table, columns });
  return presentTable(engine, table);
}

/** Drops columns of the table; gives the table without them. */
async function drop(engine: Engine, table: Table, ...names: readonly string[]): Promise<Table> {
  const columns = names.map((name) => columnOf(table, name));
  await engine.changeSchema({ kind: 'dropColumns', table, columns });
  return presentTable(engine, table);
}

function columnOf({ columnsByName }: Table, name: string): Column {
  const column = columnsByName.get(name);
  assert.ok(column, `the column ${name} exists`);
  return column;
}

/** Changes of columns. */
export const columnCases: readonly EngineCase[] = [
  {
    name: 'adds columns, which stored rows have no values of',
    run: async (engine) => {
      const before = await createTable(engine, shape);
      await insert(engine, before, '{"id":1,"a":"x","b":1}');
      const table = await add(engine, before, 'added', 'int');
      assert.deepEqual(
        table.columns.map(({ name, type }) => [name, type.name]),
        [...Object.entries(shape.columns), ['added', 'int']],
      );
      await refuses('schemaChanged', insert(engine, before, '{"id":2}'));
      await refuses('schemaChanged', rowsOf(engine, before));
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"a":"x","b":1}']);
      await insert(engine, table, '{"id":2,"added":2}');
      await change(engine, table, '{"id":1}', '{"added":1}');
      assert.deepEqual(await rowsOf(engine, table, '{"added":{"$gt":0}}'), [
        '{"id":1,"a":"x","b":1,"added":1}',
        '{"id":2,"added":2}',
      ]);
    },
  },
  {
    name: 'drops columns with their values, also from a column of the same name',
    run: async (engine) => {
      const before = await createTable(engine, shape);
      await insert(engine, before, '{"id":1,"a":"x","b":1}', '{"id":2,"b":2}');
      const without = await drop(engine, before, 'b');
      await refuses('schemaChanged', deleteRows(engine, before, '{}'));
      assert.deepEqual(await rowsOf(engine, without), ['{"id":1,"a":"x"}', '{"id":2}']);
      const table = await add(engine, without, 'b', 'int');
      await insert(engine, table, '{"id":3,"b":3}');
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"a":"x"}', '{"id":2}', '{"id":3,"b":3}']);
    },
  },
  {
    name: 'drops with the columns the rows that only updates made and that have no other values',
    run: async (engine) => {
      const before = await createTable(engine, shape);
      await insert(engine, before, '{"id":1,"b":1}');
      await change(engine, before, '{"id":2}', '{"b":2}');
      await change(engine, before, '{"id":3}', '{"a":"x","b":3}');
      const table = await drop(engine, before, 'b');
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1}', '{"id":3,"a":"x"}']);
    },
  },
  {
    name: 'changes the embedding service of a column, unless a row has a vector of another one',
    run: async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', v: 'vector<float,2>' } });
      const service: ColumnEmbeddingService = {
        ...{ provider: 'colonnade', modelName: 'hashed-ngrams' },
        ...{ authentication: {}, parameters: {}, isEnabled: true },
      };
      const column = columnOf(table, 'v');
      const wanted = {
        kind: 'changeEmbeddingServices',
        table,
        services: new Map([[column, service]]),
        withoutVectors: [column],
      } as const;
      await insert(engine, table, '{"id":1,"v":[1,2]}');
      await refuses('holdsVectors', engine.changeSchema(wanted));
      assert.equal(columnOf(await presentTable(engine, table), 'v').service, undefined);
      await change(engine, table, '{"id":1}', '{"v":null}');
      await engine.changeSchema(wanted);
      assert.deepEqual(columnOf(await presentTable(engine, table), 'v').service, service);
    },
  },
];
