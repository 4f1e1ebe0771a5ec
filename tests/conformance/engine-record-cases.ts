// Engine suite of the extended dialect: user-defined types, their changes, and static columns.
import assert from 'node:assert/strict';
import type { UserTypeDefinition } from '../../src/data-service/column-types/column-type.js';
import { columnTypeNamed } from '../../src/data-service/column-types/registry.js';
import { userDefinedOf } from '../../src/data-service/column-types/user-types.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Table } from '../../src/data-service/schema/table.js';
import {
  createTable,
  deleteRows,
  type EngineCase,
  insert,
  keyspace,
  makeKeyspace,
  refuses,
  rowsOf,
  update,
} from './engine-steps.js';
import { createMemberIndex, presentTable } from './index-steps.js';

let lastType = 0;

/** `fields`: name → type. */
function definitionOf(name: string, fields: Readonly<Record<string, string>>): UserTypeDefinition {
  const parsed = Object.entries(fields).map(([field, typeName]) => {
    const type = columnTypeNamed(typeName);
    assert.ok(type, `the type ${typeName} exists`);
    return { name: field, type };
  });
  return { keyspace, name, fields: parsed };
}

/** Makes a type with a name of its own. */
async function createType(
  engine: Engine,
  fields: Readonly<Record<string, string>>,
): Promise<UserTypeDefinition> {
  await makeKeyspace(engine);
  lastType += 1;
  const type = definitionOf(`Type_${lastType}`, fields);
  await engine.changeSchema({ kind: 'createType', type });
  return type;
}

async function alterType(
  engine: Engine,
  before: UserTypeDefinition,
  fields: Readonly<Record<string, string>>,
): Promise<UserTypeDefinition> {
  const present = (await engine.readSchema()).keyspaces.get(keyspace)?.userTypes.get(before.name);
  assert.ok(present);
  const after = definitionOf(before.name, fields);
  await engine.changeSchema({ kind: 'alterType', before: present, after });
  return after;
}

/** A table with the type as a column, frozen, and in a list, a set and a map. */
async function createRecords(engine: Engine, type: UserTypeDefinition): Promise<Table> {
  const { name } = userDefinedOf(type);
  return createTable(engine, {
    columns: {
      id: 'int',
      u: name,
      f: `frozen<${name}>`,
      l: `list<${name}>`,
      s: `set<${name}>`,
      m: `map<int,${name}>`,
    },
  });
}

const full = '{"a":1,"b":"x"}';
const whole = `{"id":1,"u":${full},"f":${full},"l":[${full},{"b":"y"},{}],"s":[{},${full}],"m":[[7,{"a":2}]]}`;

/** Values of user-defined types are written and read as wholes. */
export const userTypeCases: readonly EngineCase[] = [
  {
    name: 'keeps values of user-defined types, in columns and in lists, sets and maps',
    run: async (engine) => {
      const table = await createRecords(engine, await createType(engine, { a: 'int', b: 'text' }));
      await insert(engine, table, whole, '{"id":2,"u":{"b":"z"}}', '{"id":3,"u":{}}');
      assert.deepEqual([...(await rowsOf(engine, table))].sort(), [
        whole,
        '{"id":2,"u":{"b":"z"}}',
        '{"id":3}',
      ]);
      await update(
        engine,
        table,
        '{"id":1}',
        '{"$set":{"u":{"b":"new"}},"$unset":{"f":""},"$push":{"l":{"a":3}}}',
      );
      await update(engine, table, '{"id":1}', `{"$pullAll":{"l":[{}],"s":[${full}],"m":[7]}}`);
      assert.deepEqual(await rowsOf(engine, table, '{"id":1}'), [
        `{"id":1,"u":{"b":"new"},"l":[${full},{"b":"y"},{"a":3}],"s":[{}]}`,
      ]);
    },
  },
  {
    name: 'keeps stored values behind renamed and added fields, and removes them from lists',
    run: async (engine) => {
      const type = await createType(engine, { a: 'int', b: 'text' });
      const before = await createRecords(engine, type);
      await insert(engine, before, whole);
      await alterType(engine, type, { n: 'int', b: 'text', c: 'date' });
      const table = await presentTable(engine, before);
      const renamed = whole.replaceAll('"a"', '"n"');
      assert.deepEqual(await rowsOf(engine, table), [renamed]);
      await refuses('schemaChanged', insert(engine, before, '{"id":2,"u":{"a":1}}'));
      await update(engine, table, '{"id":1}', '{"$pullAll":{"l":[{"b":"y"}]}}');
      await update(engine, table, '{"id":1}', '{"$push":{"l":{"c":"2020-02-02"}}}');
      const [row = ''] = await rowsOf(engine, table);
      assert.ok(row.includes('"l":[{"n":1,"b":"x"},{},{"c":"2020-02-02"}]'), row);
    },
  },
  {
    name: 'finds rows by members of user-defined types, also behind a change of the type',
    run: async (engine) => {
      const type = await createType(engine, { a: 'int', b: 'text' });
      let table = await createRecords(engine, type);
      await insert(engine, table, whole, '{"id":2,"l":[{"b":"y"}],"s":[{"a":1}],"m":[[7,{"a":2,"b":"q"}]]}');
      const found = async (filter: string) =>
        (await rowsOf(engine, table, filter)).map((row) => Number(JSON.parse(row).id)).sort();
      const check = async (a: string) => {
        assert.deepEqual(await found('{"l":{"$in":[{"b":"y"}]}}'), [1, 2]);
        assert.deepEqual(await found(`{"s":{"$all":[{},{"${a}":1,"b":"x"}]}}`), [1]);
        assert.deepEqual(await found(`{"s":{"$nin":[{"${a}":1}]}}`), [1]);
        assert.deepEqual(await found(`{"m":{"$in":[[7,{"${a}":2}]]}}`), [1]);
        assert.deepEqual(await found(`{"m":{"$values":{"$in":[{"b":"q","${a}":2}]}}}`), [2]);
        assert.deepEqual(await found(`{"f":{"$in":[{"b":"x","${a}":1}]}}`), [1]);
      };
      await check('a');
      table = await createMemberIndex(engine, table, 'l', 'elements');
      table = await createMemberIndex(engine, table, 'm', 'entries');
      await check('a');
      await alterType(engine, type, { k: 'int', b: 'text', c: 'uuid' });
      table = await presentTable(engine, table);
      await check('k');
      await insert(engine, table, '{"id":3,"l":[{"b":"y"}]}');
      assert.deepEqual(await found('{"l":{"$in":[{"b":"y","c":null}]}}'), [1, 2, 3]);
    },
  },
  {
    name: 'refuses changes of types that are gone or changed, and knows types until they are dropped',
    run: async (engine) => {
      const type = await createType(engine, { a: 'int' });
      await refuses('schemaChanged', engine.changeSchema({ kind: 'createType', type }));
      const other = definitionOf(type.name, { b: 'int' });
      await refuses('schemaChanged', engine.changeSchema({ kind: 'dropType', type: other }));
      const present = (await engine.readSchema()).keyspaces.get(keyspace)?.userTypes.get(type.name);
      assert.ok(present);
      await engine.changeSchema({ kind: 'dropType', type: present });
      assert.equal((await engine.readSchema()).keyspaces.get(keyspace)?.userTypes.has(type.name), false);
    },
  },
];

const shared = { p: 'int', c: 'int', s: 'static<text>', l: 'static<list<int>>', v: 'text' };

/** Values of partitions. */
export const staticCases: readonly EngineCase[] = [
  {
    name: 'shows the last value of a static column with every row of the partition',
    run: async (engine) => {
      const table = await createTable(engine, { columns: shared, partitionKey: ['p'], clustering: { c: 1 } });
      await insert(engine, table, '{"p":1,"c":1,"s":"a","l":[1]}', '{"p":1,"c":2,"v":"x"}', '{"p":2,"c":1}');
      await insert(engine, table, '{"p":1,"c":3,"s":"b"}');
      assert.deepEqual(await rowsOf(engine, table, '{"p":1}'), [
        '{"p":1,"c":1,"s":"b","l":[1]}',
        '{"p":1,"c":2,"s":"b","l":[1],"v":"x"}',
        '{"p":1,"c":3,"s":"b","l":[1]}',
      ]);
      assert.deepEqual(
        await rowsOf(engine, table, '{"s":{"$in":["b","z"]},"l":{"$all":[1]},"c":{"$gt":2}}'),
        ['{"p":1,"c":3,"s":"b","l":[1]}'],
      );
      assert.deepEqual(await rowsOf(engine, table, '{"p":2}'), ['{"p":2,"c":1}']);
    },
  },
  {
    name: 'keeps static values while rows come and go, and removes them with the partition',
    run: async (engine) => {
      const table = await createTable(engine, { columns: shared, partitionKey: ['p'], clustering: { c: 1 } });
      await insert(engine, table, '{"p":1,"c":1,"s":"a"}');
      await update(engine, table, '{"p":1,"c":9}', '{"$set":{"s":"b","l":[2]}}');
      assert.deepEqual(await rowsOf(engine, table), ['{"p":1,"c":1,"s":"b","l":[2]}']);
      await deleteRows(engine, table, '{"p":1,"c":1}');
      assert.deepEqual(await rowsOf(engine, table), []);
      await insert(engine, table, '{"p":1,"c":4}');
      assert.deepEqual(await rowsOf(engine, table), ['{"p":1,"c":4,"s":"b","l":[2]}']);
      await update(engine, table, '{"p":1,"c":4}', '{"$unset":{"s":""}}');
      assert.deepEqual(await rowsOf(engine, table), ['{"p":1,"c":4,"l":[2]}']);
      await deleteRows(engine, table, '{"p":1}');
      await insert(engine, table, '{"p":1,"c":5}');
      assert.deepEqual(await rowsOf(engine, table), ['{"p":1,"c":5}']);
    },
  },
];
