// User-defined types of the extended dialect: the commands for types, columns of types, and their values.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skippedUnlessOnCluster } from '../acceptance/server-args.js';
import { useWireServer } from './wire-server.js';

const { at, send, cql, restart } = useWireServer({ args: ['--dialect', 'extended'] });
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const failed = (error: string) => `{"status":{"ok":0},"errors":[<REQUEST ${error}>]}`;
const supported = '"createTable":true,"insert":true,"read":true,"filter":false';
const none = '"createTable":false,"insert":false,"read":false,"filter":false';

describe('createType', () => {
  const create = (name: string, fields: string) =>
    `{"createType":{"name":"${name}","definition":{"fields":${fields}}}}`;

  it('creates a type, with fields in short and long form', async () => {
    await keyspace(create('created', '{"street":"text","zip":{"type":"int"},"x-y $":"uuid"}'), ok);
    await keyspace(
      '{"listTypes":{"options":{"explain":true}}}',
      '{"status":{"types":[{"type":"userDefined","udtName":"created","definition":{"fields":' +
        '{"street":{"type":"text"},"zip":{"type":"int"},"x-y $":{"type":"uuid"}}},' +
        `"apiSupport":{${supported},"cqlDefinition":"default_keyspace.created"}}]}}`,
    );
    await keyspace('{"listTypes":{}}', '{"status":{"types":["created"]}}');
  });

  it('refuses the name of a type that exists, unless ifNotExists is set', async () => {
    await keyspace(create('twice', '{"a":"int"}'), ok);
    await keyspace(
      create('twice', '{"b":"int"}'),
      failed('SCHEMA CANNOT_ADD_EXISTING_TYPE: Type exists'),
      'twice',
    );
    const again = '"definition":{"fields":{"b":"int"}},"options":{"ifNotExists":true}';
    await keyspace(`{"createType":{"name":"twice",${again}}}`, ok);
  });

  it('refuses a type without fields, and fields of other types than scalars, all at once', async () => {
    const empty = 'SCHEMA MISSING_FIELDS_FOR_TYPE_CREATION: Type without fields';
    await keyspace(create('empty', '{}'), failed(empty), 'empty');
    await keyspace(
      create('nested', '{"a":{"type":"list","valueType":"int"},"b":"int","c":"counter","d":"timeuuid"}'),
      failed('SCHEMA UNSUPPORTED_TYPE_FIELDS: Types of fields not supported'),
      'a(list<int>), c(counter), d(timeuuid)',
    );
    await keyspace(
      create(
        'nested',
        '{"a":{"type":"userDefined","udtName":"created"},"v":{"type":"vector","dimension":3}}',
      ),
      failed('SCHEMA UNSUPPORTED_TYPE_FIELDS: Types of fields not supported'),
      'a(created), v(vector<float,3>)',
    );
  });

  it('refuses bad names, unknown types and unknown members', async () => {
    await keyspace(
      create('bad-name', '{"a":"int"}'),
      failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported'),
    );
    await keyspace(
      create('t', '{"a":"integer"}'),
      failed('SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown'),
    );
    await keyspace(
      create('t', '{"a":{"type":"money"}}'),
      failed('SCHEMA UNKNOWN_DATA_TYPE: Column type unknown'),
    );
    await keyspace(
      create('t', '{"a":{"type":"userDefined"}}'),
      failed('SCHEMA INVALID_USER_DEFINED_TYPE_NAME: Name of the user-defined type missing'),
    );
  });
});

describe('alterType', () => {
  const rows = at('/v1/default_keyspace/altered');

  it('renames and adds fields, also of rows that are stored', async () => {
    await keyspace(
      '{"createType":{"name":"place","definition":{"fields":{"street":"text","zip":"int"}}}}',
      ok,
    );
    const place = '{"type":"userDefined","udtName":"place"}';
    const columns = `"id":"int","p":${place},"l":{"type":"list","valueType":${place}}`;
    await keyspace(
      `{"createTable":{"name":"altered","definition":{"columns":{${columns}},"primaryKey":"id"}}}`,
      ok,
    );
    const stored = '{"id":1,"p":{"zip":7,"street":"A"},"l":[{"zip":1},{"street":"B"},{}]}';
    await rows(`{"insertOne":{"document":${stored}}}`, inserted);
    const change = '"rename":{"fields":{"zip":"postcode"}},"add":{"fields":{"zip":"text","country":"text"}}';
    await keyspace(`{"alterType":{"name":"place",${change}}}`, ok);
    assert.deepEqual(await documentOf('altered', 1), {
      id: 1,
      p: { street: 'A', postcode: 7 },
      l: [{ postcode: 1 }, { street: 'B' }, {}],
    });
    const update = '"update":{"$set":{"p":{"postcode":8,"country":"X"}},"$push":{"l":{"zip":"new"}}}';
    await rows(
      `{"updateOne":{"filter":{"id":1},${update}}}`,
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    const after = {
      id: 1,
      p: { postcode: 8, country: 'X' },
      l: [{ postcode: 1 }, { street: 'B' }, {}, { zip: 'new' }],
    };
    assert.deepEqual(await documentOf('altered', 1), after);
    await restart();
    assert.deepEqual(await documentOf('altered', 1), after);
    await rows(
      '{"updateOne":{"filter":{"id":1},"update":{"$pullAll":{"l":[{"street":"B"},{}]}}}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    assert.deepEqual(await documentOf('altered', 1), { ...after, l: [{ postcode: 1 }, { zip: 'new' }] });
  });

  it('alterType: refuses what cannot be changed, and then changes nothing', async () => {
    const alter = (change: string) => `{"alterType":{"name":"place",${change}}}`;
    for (const nothing of ['"rename":{}', '"add":{"fields":{}}', '"rename":null'])
      await keyspace(
        alter(nothing),
        failed('SCHEMA MISSING_ALTER_TYPE_OPERATIONS: Nothing to change'),
        'place',
      );
    await keyspace(
      alter('"rename":{"fields":{"street":"road","nothing":"x"}}'),
      failed('SCHEMA CANNOT_RENAME_UNKNOWN_TYPE_FIELD: Field to rename does not exist'),
      'no field nothing',
    );
    await keyspace(
      alter('"rename":{"fields":{"street":"zip"}}'),
      failed('SCHEMA CANNOT_ADD_EXISTING_FIELD: Field exists'),
      'already has a field zip',
    );
    await keyspace(
      alter('"rename":{"fields":{"street":"$road"}}'),
      failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported'),
      '$road',
    );
    await keyspace(
      alter('"add":{"fields":{"street":"text"}}'),
      failed('SCHEMA CANNOT_ADD_EXISTING_FIELD: Field exists'),
    );
    await keyspace(
      alter('"add":{"fields":{"more":{"type":"set","valueType":"int"}}}'),
      failed('SCHEMA UNSUPPORTED_TYPE_FIELDS: Types of fields not supported'),
    );
    await keyspace(
      '{"alterType":{"name":"nowhere","add":{"fields":{"a":"int"}}}}',
      failed('SCHEMA UNKNOWN_USER_DEFINED_TYPE: User-defined type does not exist'),
      'created, place, twice',
    );
    await keyspace(alter('"options":{}'), failed('COMMAND_FIELD_UNKNOWN: Command field unknown'));
  });
});

describe('dropType', () => {
  it('drops a type that no column uses', async () => {
    await keyspace(
      '{"dropType":{"name":"place"}}',
      failed('SCHEMA CANNOT_DROP_TYPE_USED_BY_TABLE: Type in use'),
      'altered',
    );
    await keyspace('{"dropTable":{"name":"altered"}}', ok);
    await keyspace('{"dropType":{"name":"place"}}', ok);
    await keyspace(
      '{"dropType":{"name":"place"}}',
      failed('SCHEMA CANNOT_DROP_UNKNOWN_TYPE: Type to drop does not exist'),
    );
    await keyspace('{"dropType":{"name":"place","options":{"ifExists":true}}}', ok);
  });
});

describe('columns of user-defined types', () => {
  const person = '{"type":"userDefined","udtName":"person"}';
  const fields = '{"name":{"type":"text"},"age":{"type":"varint"},"id":{"type":"uuid"}}';
  const rows = at('/v1/default_keyspace/people');

  it('are defined alone and inside lists, sets and maps', async () => {
    await keyspace(
      '{"createType":{"name":"person","definition":{"fields":{"name":"text","age":"varint","id":"uuid"}}}}',
      ok,
    );
    await keyspace(
      `{"createTable":{"name":"people","definition":{"primaryKey":"id","columns":{"id":"int","p":${person},
        "l":{"type":"list","valueType":${person}},"s":{"type":"set","valueType":${person}},
        "m":{"type":"map","keyType":"varint","valueType":${person}}}}}}`,
      ok,
    );
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    const own = '"type":"userDefined","udtName":"person"';
    for (const part of [
      `"p":{${own},"apiSupport":{${supported},"cqlDefinition":"default_keyspace.person"}}`,
      `"l":{"type":"list","valueType":{${own}}}`,
      `"m":{"type":"map","keyType":"varint","valueType":{${own}}}`,
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
  });

  it('are refused where their type is missing or cannot stand', async () => {
    const create = (column: string, key = 'id') =>
      `{"createTable":{"name":"bad","definition":{"columns":{"id":"int","c":${column}},"primaryKey":"${key}"}}}`;
    const refusals: readonly (readonly [column: string, error: string, key?: string])[] = [
      ['"person"', 'UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown'],
      ['{"type":"userDefined"}', 'INVALID_USER_DEFINED_TYPE_NAME: Name of the user-defined type missing'],
      [
        '{"type":"userDefined","udtName":" "}',
        'INVALID_USER_DEFINED_TYPE_NAME: Name of the user-defined type missing',
      ],
      [
        '{"type":"userDefined","udtName":"nobody"}',
        'UNKNOWN_USER_DEFINED_TYPE: User-defined type does not exist',
      ],
      [
        `{"type":"map","keyType":${person},"valueType":"int"}`,
        'UNSUPPORTED_MAP_DEFINITION: Map definition not supported',
      ],
      [person, 'UNSUPPORTED_PRIMARY_KEY_TYPES: Column types not supported in the primary key', 'c'],
    ];
    for (const [column, error, key] of refusals)
      await keyspace(create(column, key), failed(`SCHEMA ${error}`));
    await keyspace('{"createType":{"name":"lasting","definition":{"fields":{"d":"duration"}}}}', ok);
    const lasting = '{"type":"userDefined","udtName":"lasting"}';
    await keyspace(
      create(`{"type":"set","valueType":${lasting}}`),
      failed('SCHEMA UNSUPPORTED_SET_DEFINITION: Set definition not supported'),
      'lasting, which has a field without an order (duration)',
    );
  });

  it('take objects and pairs with any of the fields, and return those with values', async () => {
    const big = '1234567890123456789012345678901234567890';
    const id = '"2c6a4d1e-7a1b-4b52-9d0c-5b1f0c2f3a11"';
    await rows(
      `{"insertOne":{"document":{"id":1,"p":{"age":${big},"name":"A","id":null},
        "l":[{"name":"x"},[["age",1],["name","y"]],{}],"s":[{"age":2},{"age":1,"name":null},{"age":1},{}],
        "m":[[${big},{"id":${id}}],[1,{"name":"one"}]]}}}`,
      inserted,
    );
    await rows(
      '{"findOne":{"filter":{"id":1}}}',
      `{"data":{"document":{"id":1,"p":{"name":"A","age":${big}},"l":[{"name":"x"},{"name":"y","age":1},{}],` +
        `"s":[{},{"age":1},{"age":2}],"m":[[1,{"name":"one"}],[${big},{"id":${id}}]]}},` +
        `"status":{"projectionSchema":{"id":{"type":"int"},"p":{"type":"userDefined","udtName":"person",` +
        `"definition":{"fields":${fields}},"apiSupport":{${supported},"cqlDefinition":"default_keyspace.person"}},` +
        `"l":{"type":"list","valueType":{"type":"userDefined","udtName":"person","definition":{"fields":${fields}}}},` +
        `"s":{"type":"set","valueType":{"type":"userDefined","udtName":"person","definition":{"fields":${fields}}}},` +
        `"m":{"type":"map","keyType":"varint","valueType":{"type":"userDefined","udtName":"person",` +
        `"definition":{"fields":${fields}}}}}}}`,
    );
  });

  it('are null where all fields are', async () => {
    await rows('{"insertOne":{"document":{"id":2,"p":{}}}}', inserted.replace('1', '2'));
    await rows('{"insertOne":{"document":{"id":2,"p":{"name":null}}}}', inserted.replace('1', '2'));
    assert.deepEqual(await documentOf('people', 2), { id: 2 });
  });

  it('refuse values that do not fit', async () => {
    const bad: readonly (readonly [column: string, value: string, reason: string])[] = [
      ['p', '"A"', 'expected an object with fields'],
      ['p', '[]', 'expected an object with fields'],
      ['p', '{"nobody":1}', 'is not a field of the type person'],
      ['p', '{"name":"A","nobody":1}', 'is not a field of the type person'],
      ['p', '{"age":"7"}', 'the field \\"age\\"'],
      ['p', '[[1,"A"]]', 'the field name must be a string'],
      ['l', '["A"]', 'element 1'],
      ['m', '{"1":{"name":"A"}}', 'the key'],
      ['m', '[]', 'an empty map is written {}'],
      ['m', '[[1,{"nobody":1}]]', 'is not a field of the type person'],
    ];
    for (const [column, value, reason] of bad) {
      const { text } = await send({
        path: '/v1/default_keyspace/people',
        body: `{"insertOne":{"document":{"id":9,"${column}":${value}}}}`,
      });
      assert.match(text, /"errorCode":"INVALID_COLUMN_VALUES"/, `${value}: ${text}`);
      assert.ok(text.includes(reason), `${value}: ${text}`);
    }
  });

  it('are replaced as a whole, and cannot be changed in parts', async () => {
    const update = (clause: string) => `{"updateOne":{"filter":{"id":1},"update":${clause}}}`;
    await rows(update('{"$set":{"p":{"name":"B"}}}'), '{"status":{"matchedCount":1,"modifiedCount":1}}');
    for (const entry of [
      '[2,[["age",2],["name","two"]]]',
      '{"$each":[[3,{"name":"three"}],[4,[["age",4]]]]}',
    ])
      await rows(update(`{"$push":{"m":${entry}}}`), '{"status":{"matchedCount":1,"modifiedCount":1}}');
    const { m } = (await documentOf('people', 1)) as { m: readonly unknown[] };
    assert.deepEqual(m.slice(1, -1), [
      [2, { name: 'two', age: 2 }],
      [3, { name: 'three' }],
      [4, { age: 4 }],
    ]);
    await rows(
      update('{"$push":{"m":[[2,{}],[3,{}]]}}'),
      '{"errors":[<REQUEST UPDATE INVALID_PUSH_OPERATOR_USAGE: Operand of $push not well-formed>]}',
    );
    const { p } = (await documentOf('people', 1)) as { p: unknown };
    assert.deepEqual(p, { name: 'B' });
    const unknown = '{"errors":[<REQUEST UPDATE UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}';
    await rows(update('{"$set":{"p.name":"C"}}'), unknown);
    const operator =
      '{"errors":[<REQUEST UPDATE UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the column>]}';
    await rows(update('{"$push":{"p":{"name":"C"}}}'), operator);
    await rows(update('{"$unset":{"p":""}}'), '{"status":{"matchedCount":1,"modifiedCount":1}}');
    assert.equal('p' in ((await documentOf('people', 1)) as object), false);
  });

  it('cannot be filtered or sorted', async () => {
    const codeOf = async (clauses: string) => {
      const { text } = await send({ path: '/v1/default_keyspace/people', body: `{"find":{${clauses}}}` });
      return /"errorCode":"(\w+)"/.exec(text)?.[1];
    };
    assert.equal(await codeOf('"filter":{"p":{"name":"A"}}'), 'FILTER_UNSUPPORTED_DATA_TYPE');
    assert.equal(await codeOf('"filter":{"p":{"$eq":{"name":"A"}}}'), 'FILTER_UNSUPPORTED_DATA_TYPE');
    assert.equal(await codeOf('"filter":{"p":{"$ne":{}}}'), 'FILTER_UNSUPPORTED_DATA_TYPE');
    assert.equal(await codeOf('"filter":{"p":"A"}'), 'INVALID_FILTER_EXPRESSION');
    assert.equal(await codeOf('"filter":{"p":{"$in":[{"name":"A"}]}}'), 'INVALID_FILTER_EXPRESSION');
    assert.equal(await codeOf('"filter":{"p.name":"A"}'), 'UNKNOWN_TABLE_COLUMNS');
    assert.equal(await codeOf('"sort":{"p":1}'), 'INVALID_REGULAR_SORT_EXPRESSION');
  });

  it('a user-defined type in a dropped column: keeps the name of the column (embedded)', async () => {
    const change = (operation: string) => `{"alterTable":{"operation":${operation}}}`;
    await rows(change(`{"add":{"columns":{"q":${person}}}}`), ok);
    await rows(change('{"drop":{"columns":["q"]}}'), ok);
    await rows(
      change(`{"add":{"columns":{"q":${person}}}}`),
      failed('SCHEMA CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN: Column was dropped with another type'),
    );
  });
});

const inserted = '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}';

async function documentOf(table: string, id: number): Promise<unknown> {
  const body = `{"findOne":{"filter":{"id":${id}}}}`;
  const { text } = await send({ path: `/v1/default_keyspace/${table}`, body });
  return JSON.parse(text).data.document;
}

describe('a frozen column of a user-defined type', () => {
  const frozen = at('/v1/default_keyspace/frozen');
  const find = (filter: string) => ({
    path: '/v1/default_keyspace/frozen',
    body: `{"find":{"filter":${filter}}}`,
  });

  it('shows no apiSupport, and its fields beside rows', async () => {
    await keyspace('{"createType":{"name":"box","definition":{"fields":{"w":"int","h":"decimal"}}}}', ok);
    await cql('CREATE TABLE default_keyspace.frozen (id int PRIMARY KEY, f frozen<box>)');
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    assert.ok(text.includes('"f":{"type":"userDefined","udtName":"box"}}'), text);
    await frozen('{"insertOne":{"document":{"id":1,"f":{"w":1}}}}', inserted);
    await keyspace('{"alterType":{"name":"box","add":{"fields":{"d":"int"}}}}', ok);
    for (const document of ['{"id":2,"f":{"w":1,"h":2.50}}', '{"id":3,"f":{"w":1,"d":3}}', '{"id":4}'])
      await send({ path: '/v1/default_keyspace/frozen', body: `{"insertOne":{"document":${document}}}` });
    const { text: read } = await send(find('{"id":1}'));
    const fields = '{"w":{"type":"int"},"h":{"type":"decimal"},"d":{"type":"int"}}';
    const shown = `"f":{"type":"userDefined","udtName":"box","definition":{"fields":${fields}}}}`;
    assert.ok(read.includes(shown), read);
  });

  it('has a value without any field, which is not null', async () => {
    for (const [id, value] of [
      [5, '{}'],
      [6, '{"w":null}'],
    ] as const) {
      await send({
        path: '/v1/default_keyspace/frozen',
        body: `{"insertOne":{"document":{"id":${id},"f":${value}}}}`,
      });
      assert.deepEqual(await documentOf('frozen', id), { id, f: {} });
    }
    const { text } = await send(find('{"f":{"$in":[{}]}}'));
    assert.deepEqual(
      JSON.parse(text)
        .data.documents.map(({ id }: { id: number }) => id)
        .sort(),
      [5, 6],
    );
    await send({
      path: '/v1/default_keyspace/frozen',
      body: '{"updateOne":{"filter":{"id":5},"update":{"$set":{"f":null}}}}',
    });
    assert.deepEqual(await documentOf('frozen', 5), { id: 5 });
    await send({
      path: '/v1/default_keyspace/frozen',
      body: '{"deleteMany":{"filter":{"id":{"$in":[5,6]}}}}',
    });
  });

  it('frozen columns of user-defined types: are filtered by $in and $nin, by the whole value', async () => {
    const idsOf = async (filter: string) => {
      const { text } = await send(find(filter));
      assert.ok(text.includes('"errorCode":"MISSING_INDEX"'), text);
      return (JSON.parse(text).data.documents as { id: number }[]).map(({ id }) => id).sort();
    };
    assert.deepEqual(await idsOf('{"f":{"$in":[{"w":1}]}}'), [1]);
    assert.deepEqual(await idsOf('{"f":{"$in":[{"w":1},{"h":2.5,"w":1},[["d",3],["w",1]]]}}'), [1, 2, 3]);
    assert.deepEqual(await idsOf('{"f":{"$in":[{"w":2}]}}'), []);
    assert.deepEqual(await idsOf('{"f":{"$nin":[{"w":1,"d":null}]}}'), [2, 3]);
    assert.deepEqual(await idsOf('{"$not":{"f":{"$in":[{"w":1}]}}}'), [2, 3]);
  });

  it('refuses other operators and values', async () => {
    const codeOf = async (filter: string) => /"errorCode":"(\w+)"/.exec((await send(find(filter))).text)?.[1];
    for (const filter of ['{"f":{"w":1}}', '{"f":{"$eq":{"w":1}}}', '{"f":{"$ne":{"w":1}}}'])
      assert.equal(await codeOf(filter), 'FILTER_UNSUPPORTED_DATA_TYPE', filter);
    for (const filter of ['{"f":"A"}', '{"f":{"$gt":1}}', '{"f":{"$match":"a"}}', '{"f":{"$in":[null]}}'])
      assert.equal(await codeOf(filter), 'INVALID_FILTER_EXPRESSION', filter);
    for (const value of ['1', '"A"', '[]', '{"no":1}', '{"w":"x"}'])
      assert.equal(await codeOf(`{"f":{"$in":[${value}]}}`), 'INVALID_FILTER_COLUMN_VALUES', value);
  });
});

describe('user-defined types of a cluster', { skip: skippedUnlessOnCluster() }, () => {
  const refused = 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid';
  it('names of user-defined types on a cluster: those of its own types are refused', async () => {
    for (const name of ['text', 'list', 'frozen'])
      await keyspace(
        `{"createType":{"name":"${name}","definition":{"fields":{"a":"int"}}}}`,
        failed(refused),
        `a type ${name} of its own`,
      );
    await keyspace('{"createType":{"name":"Text","definition":{"fields":{"Int":"int"}}}}', ok);
    const column = '{"type":"userDefined","udtName":"Text"}';
    await keyspace(
      `{"createTable":{"name":"quoted","definition":{"columns":{"id":"int","t":${column}},"primaryKey":"id"}}}`,
      ok,
    );
    await at('/v1/default_keyspace/quoted')('{"insertOne":{"document":{"id":1,"t":{"Int":7}}}}', inserted);
    assert.deepEqual(await documentOf('quoted', 1), { id: 1, t: { Int: 7 } });
  });

  it('alterType on a cluster: what is done before a refusal stays', async () => {
    await cql('CREATE TYPE default_keyspace.part (a int)');
    await cql('CREATE TABLE default_keyspace.keyed (k frozen<part> PRIMARY KEY, v frozen<part>)');
    const alter = (change: string) => `{"alterType":{"name":"part",${change}}}`;
    await keyspace(alter('"add":{"fields":{"b":"int"}}'), failed(refused), 'partition key');
    const fails = '{"status":{"ok":0},"errors":[<SERVER DATABASE FAILED_WRITE_REQUEST: Write failed>]}';
    await keyspace(alter('"rename":{"fields":{"a":"c"}},"add":{"fields":{"b":"int"}}'), fails);
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTypes":{"options":{"explain":true}}}',
    });
    assert.ok(text.includes('"udtName":"part","definition":{"fields":{"c":{"type":"int"}}}'), text);
    const row = '"document":{"k":{"c":1},"v":{"c":2}}';
    await send({ path: '/v1/default_keyspace/keyed', body: `{"insertOne":{${row}}}` });
    const { text: read } = await send({ path: '/v1/default_keyspace/keyed', body: '{"findOne":{}}' });
    assert.ok(read.includes(row), read);
  });

  it('of others are listed, and kept while anything uses them', async () => {
    await cql('CREATE TYPE default_keyspace.inner (a int)');
    await cql('CREATE TYPE default_keyspace.outer (i frozen<inner>)');
    await cql(
      'CREATE TABLE default_keyspace.outers (id int PRIMARY KEY, t frozen<tuple<int, frozen<outer>>>)',
    );
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTypes":{"options":{"explain":true}}}',
    });
    const shown = `{"type":"UNSUPPORTED","apiSupport":{${none},"cqlDefinition":"default_keyspace.outer"}}`;
    assert.ok(text.includes(shown), text);
    const column = '{"type":"userDefined","udtName":"outer"}';
    await keyspace(
      `{"createTable":{"name":"no","definition":{"columns":{"id":"int","t":${column}},"primaryKey":"id"}}}`,
      failed('SCHEMA UNSUPPORTED_DATA_TYPE_TABLE_CREATION: Column types not supported in createTable'),
      't(outer)',
    );
    for (const name of ['inner', 'outer'])
      await keyspace(
        `{"dropType":{"name":"${name}"}}`,
        failed('SCHEMA CANNOT_DROP_TYPE_USED_BY_TABLE: Type in use'),
        name === 'inner' ? 'outer' : 'outers',
      );
  });
});

describe('the strict dialect', () => {
  const strict = useWireServer();

  it('has no commands for types, and no columns of them', async () => {
    const types = strict.at('/v1/default_keyspace');
    await types('{"listTypes":{}}', '{"status":{"types":[]}}');
    const { text } = await strict.send({
      path: '/v1/default_keyspace',
      body: '{"createType":{"name":"t","definition":{"fields":{"a":"int"}}}}',
    });
    assert.match(text, /"errorCode":"COMMAND_UNKNOWN"/);
    assert.ok(!text.includes(none));
  });
});
