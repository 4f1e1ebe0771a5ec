// createTable, dropTable and listTables.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const { at, send } = useWireServer();
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const mismatch = failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch');
const unknownField = failed('COMMAND_FIELD_UNKNOWN: Command field unknown');
const badValue = failed('COMMAND_FIELD_VALUE_INVALID: Command field value invalid');

function create(name: string, columns: string, primaryKey: string, options = '{}'): string {
  return (
    `{"createTable":{"name":"${name}","definition":{"columns":${columns},"primaryKey":${primaryKey}},` +
    `"options":${options}}}`
  );
}

describe('createTable', () => {
  it('takes columns in short and long form and a single column as key', async () => {
    await keyspace(create('short', '{"id":"uuid","n":{"type":"int"}}', '"id"'), ok);
    await keyspace(
      '{"listTables":{"options":{"explain":true}}}',
      `{"status":{"tables":[{"name":"short","definition":{"columns":{"id":{"type":"uuid"},"n":{"type":"int"}},
        "primaryKey":{"partitionBy":["id"],"partitionSort":{}}}}]}}`,
    );
    await keyspace('{"dropTable":{"name":"short"}}', ok);
  });

  it('keeps the order of key columns, their directions, and names of any kind', async () => {
    const columns = '{"b":"int","A-1":"text","_":"date"," ":"ascii","10":"blob","9":"inet","":"text"}';
    const key = '{"partitionBy":["b","A-1"],"partitionSort":{"9":-1,"_":1,"10":-1}}';
    await keyspace(create('wide', columns, key), badValue, 'a column needs a name');
    await keyspace(create('wide', columns.replace(',"":"text"', ''), key), ok);
    await keyspace(
      '{"listTables":{"options":{"explain":true}}}',
      `{"status":{"tables":[{"name":"wide","definition":{"columns":{"b":{"type":"int"},"A-1":{"type":"text"},
        "_":{"type":"date"}," ":{"type":"ascii"},"10":{"type":"blob"},"9":{"type":"inet"}},
        "primaryKey":{"partitionBy":["b","A-1"],"partitionSort":{"9":-1,"_":1,"10":-1}}}}]}}`,
    );
    await keyspace('{"dropTable":{"name":"wide"}}', ok);
  });

  it('takes every type that can be created', async () => {
    const types = [
      ...['ascii', 'bigint', 'blob', 'boolean', 'date', 'decimal', 'double', 'duration', 'float', 'inet'],
      ...['int', 'smallint', 'text', 'time', 'timestamp', 'tinyint', 'uuid', 'varint'],
    ];
    const columns = types.map((type) => `"${type}":"${type}"`).join(',');
    await keyspace(create('every', `{${columns}}`, '{"partitionBy":["text"]}'), ok);
    await keyspace('{"dropTable":{"name":"every"}}', ok);
  });

  it('needs a name and a definition', async () => {
    const twice = badValue.replace(/\[(.*)\]/, '[$1,$1]');
    await keyspace('{"createTable":{}}', twice, '"command.name"', '"command.definition"');
    await keyspace('{"createTable":{"name":"t","definition":null}}', badValue, '"command.definition"');
    await keyspace('{"createTable":{"name":"t","definition":[]}}', mismatch, 'command.definition');
    await keyspace(
      '{"createTable":{"name":"t","definition":{"cols":{}}}}',
      unknownField,
      'columns, primaryKey',
    );
    await keyspace('{"createTable":{"name":"t","definition":{}}}', mismatch, 'command.definition.columns');
  });

  it('refuses a name with other characters than letters, digits and underscore, or of more than 48', async () => {
    const refused = failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported');
    for (const name of ['a-b', 'a b', 'ü', 'x'.repeat(49)]) {
      await keyspace(
        create(name, '{"id":"int"}', '"id"'),
        refused,
        `"${name}" cannot be the name of a table`,
      );
    }
    await keyspace(create('x'.repeat(48), '{"id":"int"}', '"id"'), ok);
    await keyspace(`{"dropTable":{"name":"${'x'.repeat(48)}"}}`, ok);
  });

  it('refuses a table that exists, unless ifNotExists is set; then it compares nothing', async () => {
    await keyspace(create('twice', '{"id":"int"}', '"id"'), ok);
    await keyspace(
      create('twice', '{"id":"int"}', '"id"'),
      failed('SCHEMA CANNOT_ADD_EXISTING_TABLE: Table exists'),
      'default_keyspace already has a table twice',
    );
    await keyspace(
      create('twice', '{"id":"int"}', '"id"', '{"ifNotExists":false}').replace('{}', 'null'),
      failed('SCHEMA CANNOT_ADD_EXISTING_TABLE: Table exists'),
    );
    await keyspace(create('twice', '{"other":"text"}', '"other"', '{"ifNotExists":true}'), ok);
    await keyspace(create('Twice', '{"id":"int"}', '"id"'), ok);
    await keyspace('{"listTables":{}}', '{"status":{"tables":["twice","Twice"]}}');
    await keyspace('{"dropTable":{"name":"twice"}}', ok);
    await keyspace('{"dropTable":{"name":"Twice"}}', ok);
  });

  it('needs a keyspace that exists', () =>
    at('/v1/nowhere')(
      create('t', '{"id":"int"}', '"id"'),
      failed('SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown'),
      'There is no keyspace "nowhere"',
    ));
});

describe('a column definition', () => {
  const column = (definition: string) => create('t', `{"id":"int","c":${definition}}`, '"id"');
  const cases: readonly (readonly [definition: string, reply: string, fact: string])[] = [
    [
      '"nonsense"',
      failed('SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown'),
      'c has the unknown type "nonsense"',
    ],
    ['"Text"', failed('SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown'), '"Text"'],
    [
      '"nothing"',
      failed('SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown'),
      'timestamp, duration.\nTypes in object form, {"type": …}: also list, set, map, vector.',
    ],
    ...[
      '{"type": "list", "valueType": "text"}',
      '{"type": "set", "valueType": "text"}',
      '{"type": "map", "keyType": "text", "valueType": "text"}',
      '{"type": "vector", "dimension": 384}',
    ].map(
      (form) =>
        [
          JSON.stringify(JSON.parse(form).type),
          failed('SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown'),
          `has parts, which a string cannot name.\nGive it in object form: ${form}`,
        ] as const,
    ),
    [
      '{"type":"nonsense"}',
      failed('SCHEMA UNKNOWN_DATA_TYPE: Column type unknown'),
      'c has the unknown type "nonsense".\nTypes: text, ascii',
    ],
    [
      '{"type":"udt"}',
      failed('SCHEMA UNKNOWN_DATA_TYPE: Column type unknown'),
      'timestamp, duration, list, set, map, vector.',
    ],
    ['{"type":"text","size":3}', unknownField, 'dimension, keyType, service, type, udtName, valueType'],
    ['{}', mismatch, 'command.definition.columns.c.type'],
    ['{"type":null}', mismatch, 'command.definition.columns.c.type'],
    ['{"type":5}', mismatch, 'is the number 5'],
    ['null', mismatch, 'command.definition.columns.c'],
    ['5', mismatch, 'but is the number 5.\nExample: "text" or {"type": "text"}'],
    ['["int"]', mismatch, 'command.definition.columns.c'],
  ];
  for (const [definition, reply, fact] of cases) {
    it(`cannot be ${definition}`, () => keyspace(column(definition), reply, fact));
  }

  const notCreated = failed(
    'SCHEMA UNSUPPORTED_DATA_TYPE_TABLE_CREATION: Column types not supported in createTable',
  );
  for (const type of ['"timeuuid"', '"counter"', '{"type":"counter"}']) {
    it(`has a type that can be created, unlike ${type}`, () =>
      keyspace(column(type), notCreated, 'Types for new tables'));
  }
  it('`varchar` in createTable or added: refused', () =>
    keyspace(column('"varchar"'), notCreated, 'c(varchar)'));
  it('user-defined types: not offered', () =>
    keyspace(column('{"type":"userDefined","udtName":"address"}'), notCreated, 'c(userDefined)'));
});

describe('the name of a column', () => {
  const refused = failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported');
  it('names that begin with `$` (columns): refused, in createTable and alterTable', async () => {
    await keyspace(create('named', '{"id":"int"}', '"id"'), ok);
    const table = at('/v1/default_keyspace/named');
    for (const name of ['$', '$set', '$similarity']) {
      const fact = `"${name}" cannot be the name of a column.`;
      await keyspace(create('other', `{"id":"int","${name}":"int"}`, '"id"'), refused, fact);
      await table(`{"alterTable":{"operation":{"add":{"columns":{"${name}":"int"}}}}}`, refused, fact);
    }
    await keyspace('{"dropTable":{"name":"named"}}', ok);
  });

  it('may hold $ behind its beginning', async () => {
    await keyspace(create('named', '{"id":"int","a$":"int"}', '"id"'), ok);
    await keyspace('{"dropTable":{"name":"named"}}', ok);
  });
});

describe('a primary key', () => {
  const keyed = (primaryKey: string, columns = '{"a":"int","b":"text","c":"date"}') =>
    create('t', columns, primaryKey);
  const unknownPartition = failed('SCHEMA UNKNOWN_PARTITION_COLUMNS: Partition columns unknown');
  const cases: readonly (readonly [primaryKey: string, reply: string, fact: string])[] = [
    ['null', mismatch, 'command.definition.primaryKey'],
    ['5', mismatch, 'is the number 5'],
    ['["a"]', mismatch, 'is an array of 1 element'],
    ['{}', mismatch, 'command.definition.primaryKey.partitionBy'],
    ['{"partitionBy":"a"}', mismatch, 'an array of column names'],
    ['{"partitionBy":[1]}', mismatch, 'partitionBy[0]'],
    ['{"partitionBy":["a"],"partitionSort":["b"]}', mismatch, 'partitionSort'],
    ['{"partitionBy":["a"],"sort":{}}', unknownField, 'Known fields: partitionBy, partitionSort.'],
    ...['0', '2', '1.0', '"asc"', 'true', 'null', '"1"'].map(
      (direction) =>
        [
          `{"partitionBy":["a"],"partitionSort":{"b":${direction}}}`,
          mismatch,
          'partitionSort.b must be a direction',
        ] as const,
    ),
    [
      '{"partitionBy":[]}',
      failed('SCHEMA MISSING_PARTITION_COLUMNS: Partition columns missing'),
      'Columns of the definition: a, b, c.',
    ],
    ['"x"', unknownPartition, 'unknown columns: x.'],
    ['{"partitionBy":["a","x","y"]}', unknownPartition, 'unknown columns: x, y.'],
    [
      '{"partitionBy":["a"],"partitionSort":{"x":1}}',
      failed('SCHEMA UNKNOWN_PARTITION_SORT_COLUMNS: Partition sort columns unknown'),
      '"partitionSort" names unknown columns: x.',
    ],
  ];
  for (const [primaryKey, reply, fact] of cases) {
    it(`cannot be ${primaryKey}`, () => keyspace(keyed(primaryKey), reply, fact));
  }

  it('needs columns', () =>
    keyspace(keyed('"a"', '{}'), unknownPartition, 'Columns of the definition: none.'));

  for (const key of ['{"partitionBy":["a","a"]}', '{"partitionBy":["a"],"partitionSort":{"a":1}}']) {
    it(`a column twice in a key; bad replication options: refused is ${key}`, () =>
      keyspace(keyed(key), badValue, '"command.definition.primaryKey"', 'twice'));
  }

  it('duration, vector, counter, list, set, map in a key: refused is what can be created', async () => {
    const refused = failed(
      'SCHEMA UNSUPPORTED_PRIMARY_KEY_TYPES: Column types not supported in the primary key',
    );
    const columns = '{"a":"int","d":"duration"}';
    await keyspace(keyed('"d"', columns), refused, 'd(duration)', 'Types for keys: text');
    await keyspace(keyed('{"partitionBy":["a"],"partitionSort":{"d":-1}}', columns), refused, 'd(duration)');
  });
});

describe('tables changed at the same time', () => {
  it('DDL under way: of many equal createTable commands one makes the table, the others find it', async () => {
    const command = create('raced', '{"id":"int"}', '"id"');
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => send({ path: '/v1/default_keyspace', body: command })),
    );
    const texts = replies.map(({ text }) => shortened(text)).sort();
    const exists = failed('SCHEMA CANNOT_ADD_EXISTING_TABLE: Table exists');
    assert.deepEqual(texts, [...Array.from({ length: 11 }, () => exists), ok].sort());
    await keyspace('{"dropTable":{"name":"raced"}}', ok);
  });
});

describe('dropTable', () => {
  const missing = failed('SCHEMA CANNOT_DROP_UNKNOWN_TABLE: Table to drop does not exist');

  it('drops the table with its rows', async () => {
    const table = at('/v1/default_keyspace/gone');
    await keyspace(create('gone', '{"id":"int"}', '"id"'), ok);
    await table(
      '{"insertOne":{"document":{"id":1}}}',
      '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await keyspace('{"dropTable":{"name":"gone"}}', ok);
    await table(
      '{"findOne":{"filter":{"id":1}}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown>]}',
      ' "gone".\nIts tables: none.',
    );
    await keyspace(create('gone', '{"id":"int"}', '"id"'), ok);
    await table(
      '{"findOne":{"filter":{"id":1}}}',
      '{"data":{"document":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
    );
    await keyspace('{"dropTable":{"name":"gone"}}', ok);
  });

  it('refuses a table that does not exist, unless ifExists is set', async () => {
    await keyspace('{"dropTable":{"name":"nothing"}}', missing, 'has no table "nothing"');
    await keyspace('{"dropTable":{"name":"nothing","options":{"ifExists":false}}}', missing);
    await keyspace('{"dropTable":{"name":"a-b"}}', missing);
    await keyspace('{"dropTable":{"name":"nothing","options":{"ifExists":true}}}', ok);
  });

  it('takes true or false for ifExists and a name that is not empty', async () => {
    await keyspace('{"dropTable":{"name":"nothing","options":{"ifExists":"yes"}}}', mismatch, 'ifExists');
    await keyspace('{"dropTable":{"name":""}}', badValue, '"command.name"');
  });
});

describe('listTables', () => {
  it('gives names by default, definitions with explain', async () => {
    await keyspace(create('one', '{"id":"int"}', '"id"'), ok);
    await keyspace(
      create('two', '{"id":"text","n":"int"}', '{"partitionBy":["id"],"partitionSort":{"n":1}}'),
      ok,
    );
    const names = '{"status":{"tables":["one","two"]}}';
    await keyspace('{"listTables":{}}', names);
    await keyspace('{"listTables":{"options":{"explain":false}}}', names);
    await keyspace('{"listTables":{"options":{"explain":null}}}', names);
    await keyspace(
      '{"listTables":{"options":{"explain":true}}}',
      `{"status":{"tables":[
        {"name":"one","definition":{"columns":{"id":{"type":"int"}},
          "primaryKey":{"partitionBy":["id"],"partitionSort":{}}}},
        {"name":"two","definition":{"columns":{"id":{"type":"text"},"n":{"type":"int"}},
          "primaryKey":{"partitionBy":["id"],"partitionSort":{"n":1}}}}]}}`,
    );
  });

  it('needs a keyspace that exists', () =>
    at('/v1/nowhere')(
      '{"listTables":{}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown>]}',
    ));
});
