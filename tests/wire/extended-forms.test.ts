// Forms of the extended dialect that the other files of the dialect do not send: names, markers, literals, places.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, send, cql } = useWireServer({
  args: ['--dialect', 'extended'],
  prepare: [
    [
      '/v1/default_keyspace',
      '{"createType":{"name":"addr","definition":{"fields":{"street":"text","zip":"int"}}}}',
    ],
  ],
});
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const inserted = (id: number) =>
  `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`;
const addr = '{"type":"userDefined","udtName":"addr"}';

const table = async (name: string, columns: string) =>
  keyspace(
    `{"createTable":{"name":"${name}","definition":{"columns":{"id":"int",${columns}},"primaryKey":"id"}}}`,
    ok,
  );
const textOf = async (path: string, body: string) => (await send({ path, body })).text;
const codeOf = async (path: string, body: string) =>
  /"errorCode":"(\w+)"/.exec(await textOf(path, body))?.[1];
const documentOf = async (name: string, id: number) => {
  const text = await textOf(`/v1/default_keyspace/${name}`, `{"findOne":{"filter":{"id":${id}}}}`);
  return /^\{"data":\{"document":(.*)\},"status":/.exec(text)?.[1];
};

describe('type commands', () => {
  const create = (parts: string) => `{"createType":{${parts}}}`;
  const cases: readonly (readonly [what: string, body: string, code: string | undefined])[] = [
    ['definition absent', create('"name":"t"'), 'COMMAND_FIELD_VALUE_INVALID'],
    ['definition null', create('"name":"t","definition":null'), 'COMMAND_FIELD_VALUE_INVALID'],
    ['empty name', create('"name":"","definition":{"fields":{"a":"int"}}'), 'COMMAND_FIELD_VALUE_INVALID'],
    [
      'unknown member of the definition',
      create('"name":"t","definition":{"fields":{"a":"int"},"x":1}'),
      'COMMAND_FIELD_UNKNOWN',
    ],
    [
      'unknown option',
      create('"name":"t","definition":{"fields":{"a":"int"}},"options":{"ifExists":true}'),
      'COMMAND_FIELD_UNKNOWN',
    ],
    [
      'a name of 49 characters',
      create(`"name":"${'n'.repeat(49)}","definition":{"fields":{"a":"int"}}`),
      'UNSUPPORTED_SCHEMA_NAME',
    ],
    [
      'a bad name before a definition without fields',
      create('"name":"a b","definition":{"fields":{}}'),
      'UNSUPPORTED_SCHEMA_NAME',
    ],
    ['fields absent', create('"name":"t","definition":{}'), 'MISSING_FIELDS_FOR_TYPE_CREATION'],
    ['alterType: both absent', '{"alterType":{"name":"addr"}}', 'MISSING_ALTER_TYPE_OPERATIONS'],
    [
      'alterType: an operation wrapper',
      '{"alterType":{"name":"addr","operation":{"add":{"fields":{"a":"int"}}}}}',
      'COMMAND_FIELD_UNKNOWN',
    ],
    ['dropType: empty name', '{"dropType":{"name":""}}', 'COMMAND_FIELD_VALUE_INVALID'],
    ['listTypes: explain null', '{"listTypes":{"options":{"explain":null}}}', undefined],
  ];
  for (const [what, body, code] of cases)
    it(`${what}`, async () => assert.equal(await codeOf('/v1/default_keyspace', body), code));

  it('keeps the case of names and quotes them in cqlDefinition where CQL needs it', async () => {
    for (const command of ['createKeyspace', 'createKeyspace'])
      await at('/v1')(`{"${command}":{"name":"kS"}}`, ok);
    await at('/v1/kS')(create('"name":"T","definition":{"fields":{"B":"int","b":"text"}}'), ok);
    await at('/v1/kS')(create('"name":"t","definition":{"fields":{"a":"int"}}'), ok);
    const text = await textOf('/v1/kS', '{"listTypes":{"options":{"explain":true}}}');
    assert.ok(text.includes('"cqlDefinition":"\\"kS\\".\\"T\\""'), text);
    assert.ok(text.includes('"cqlDefinition":"\\"kS\\".t"'), text);
    assert.ok(text.indexOf('"udtName":"T"') < text.indexOf('"udtName":"t"'), text);
  });

  it('dropKeyspace removes types', async () => {
    await at('/v1')('{"dropKeyspace":{"name":"kS"}}', ok);
    await at('/v1')('{"createKeyspace":{"name":"kS"}}', ok);
    await at('/v1/kS')('{"listTypes":{}}', '{"status":{"types":[]}}');
  });

  it('a name freed by a rename can be added in the same command, and renames follow one another', async () => {
    await keyspace(create('"name":"moved","definition":{"fields":{"a":"int","b":"text"}}'), ok);
    await keyspace(
      '{"alterType":{"name":"moved","rename":{"fields":{"a":"c","b":"a"}},"add":{"fields":{"b":"uuid"}}}}',
      ok,
    );
    const text = await textOf('/v1/default_keyspace', '{"listTypes":{"options":{"explain":true}}}');
    const fields = '{"fields":{"c":{"type":"int"},"a":{"type":"text"},"b":{"type":"uuid"}}}';
    assert.ok(text.includes(`"udtName":"moved","definition":${fields}`), text);
  });

  it('are at the path of a keyspace, which the refusal of another path names', async () => {
    for (const path of ['/v1', '/v1/default_keyspace/moved'])
      for (const command of ['createType', 'listTypes']) {
        const text = await textOf(path, `{"${command}":{"name":"x"}}`);
        assert.match(
          text,
          new RegExp(`COMMAND_UNKNOWN.*Send ${command} to /v1/\\{keyspace\\}|UNKNOWN_TABLE`),
        );
      }
  });
});

describe('definitions of columns', () => {
  const cases: readonly (readonly [definition: string, code: string, fact?: string])[] = [
    ['{"type":"userDefined","udtName":""}', 'INVALID_USER_DEFINED_TYPE_NAME'],
    ['{"type":"userDefined","udtName":"ADDR"}', 'UNKNOWN_USER_DEFINED_TYPE', 'addr'],
    ['{"type":"userDefined","udtName":"addr","udtType":"x"}', 'COMMAND_FIELD_UNKNOWN'],
    ['{"type":"userDefined","udtName":"addr","definition":{}}', 'COMMAND_FIELD_UNKNOWN'],
    ['{"type":"userDefined","udtName":"addr","frozen":true}', 'COMMAND_FIELD_UNKNOWN'],
    ['"addr"', 'UNKNOWN_PRIMITIVE_DATA_TYPE', 'userDefined'],
    ['{"type":"udt"}', 'UNKNOWN_DATA_TYPE', 'userDefined'],
    ['{"type":"list","valueType":"addr"}', 'UNSUPPORTED_LIST_DEFINITION', 'userDefined'],
    ['{"type":"list","valueType":{"type":"userDefined"}}', 'INVALID_USER_DEFINED_TYPE_NAME'],
    ['{"type":"set","valueType":{"type":"list","valueType":"int"}}', 'UNSUPPORTED_SET_DEFINITION'],
    ['{"type":"map","keyType":"text","valueType":{"type":"vector"}}', 'UNSUPPORTED_MAP_DEFINITION'],
  ];
  for (const [definition, code, fact] of cases) {
    it(`refuses ${definition}`, async () => {
      const columns = `"id":"int","c":${definition}`;
      const text = await textOf(
        '/v1/default_keyspace',
        `{"createTable":{"name":"bad","definition":{"columns":{${columns}},"primaryKey":"id"}}}`,
      );
      assert.ok(text.includes(`"errorCode":"${code}"`) && text.includes(fact ?? ''), text);
    });
  }

  const add = (columns: string) => `{"alterTable":{"operation":{"add":{"columns":{${columns}}}}}}`;
  const list = `"l":{"type":"list","valueType":${addr}}`;

  it('add takes user-defined types and containers', async () => {
    await table('added', '"x":"text"');
    const added = at('/v1/default_keyspace/added');
    const unknown = failed('SCHEMA UNKNOWN_USER_DEFINED_TYPE: User-defined type does not exist');
    await added(add('"u":{"type":"userDefined","udtName":"no"}'), unknown);
    await added(add(`"u":${addr},${list},"m":{"type":"map","keyType":"uuid","valueType":${addr}}`), ok);
    await keyspace(
      '{"dropType":{"name":"addr"}}',
      failed('SCHEMA CANNOT_DROP_TYPE_USED_BY_TABLE: Type in use'),
      'addr',
      'added',
    );
  });

  it('a dropped list of a user-defined type can be added again (embedded)', async () => {
    await table('dropped', list);
    const dropped = at('/v1/default_keyspace/dropped');
    await dropped('{"alterTable":{"operation":{"drop":{"columns":["l"]}}}}', ok);
    await dropped(add(list), ok);
  });

  it('a vector takes its dimension as digits', async () => {
    await table('vectors', '"v":{"type":"vector","dimension":"2"}');
    const text = await textOf('/v1/default_keyspace', '{"listTables":{"options":{"explain":true}}}');
    assert.ok(text.includes('"v":{"type":"vector","dimension":2'), text);
  });
});

describe('indexes', () => {
  const on = at('/v1/default_keyspace/indexed');
  const name = failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported');

  it('have names of 1 to 100 letters, digits and underscores', async () => {
    await table('indexed', '"l":{"type":"list","valueType":"text"},"v":{"type":"vector","dimension":2}');
    for (const bad of ['', ' ', 'a-b', 'n'.repeat(101)])
      await on(`{"createIndex":{"name":"${bad}","definition":{"column":"l"}}}`, name);
    const long = 'n'.repeat(100);
    await on(`{"createIndex":{"name":"${long}","definition":{"column":"l"},"indexType":"REGULAR"}}`, ok);
    await on('{"listIndexes":{}}', `{"status":{"indexes":["${long}"]}}`);
  });

  it('take their type and their metric in any case', async () => {
    const options = '"options":{"metric":"EUCLIDEAN"}';
    await on(
      `{"createVectorIndex":{"name":"v","definition":{"column":"v",${options}},"indexType":"Vector"}}`,
      ok,
    );
    const text = await textOf('/v1/default_keyspace/indexed', '{"listIndexes":{"options":{"explain":true}}}');
    assert.ok(text.includes('"metric":"euclidean"'), text);
  });

  it('refuse parts that a column does not have', async () => {
    for (const column of ['"v"', '{"v":"$values"}', '{"l":""}', 'true'])
      assert.match(
        (await codeOf(
          '/v1/default_keyspace/indexed',
          `{"createIndex":{"name":"x","definition":{"column":${column}}}}`,
        )) ?? '',
        column === '"v"'
          ? /^UNSUPPORTED_INDEXING_FOR_DATA_TYPES$/
          : /^INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN$/,
      );
  });
});

describe('literals of maps', () => {
  const rows = at('/v1/default_keyspace/maps');
  const types = ['varint', 'double', 'boolean', 'blob', 'uuid', 'inet', 'timestamp', 'text'];
  const accepted: readonly (readonly [column: string, literal: string, shown: string])[] = [
    ['varint', `[[${'9'.repeat(68)},"a"],[1,"b"],[1.0,"c"]]`, `[[1,"c"],[${'9'.repeat(68)},"a"]]`],
    ['double', '[["NaN","n"],[1.5,"a"],["-Infinity","i"]]', '[["-Infinity","i"],[1.5,"a"],["NaN","n"]]'],
    ['double', '{"NaN":"a","Infinity":"b"}', '[["Infinity","b"],["NaN","a"]]'],
    ['boolean', '[[true,"a"],[false,"b"]]', '[[false,"b"],[true,"a"]]'],
    ['blob', '[[{"$binary":"AQ=="},"a"]]', '[[{"$binary":"AQ=="},"a"]]'],
    ['inet', '{"127.1":"a","::1":"b"}', '[["0:0:0:0:0:0:0:1","b"],["127.0.0.1","a"]]'],
    ['timestamp', '[[{"$date":5},"a"]]', '[["1970-01-01T00:00:00.005Z","a"]]'],
    ['text', '[["b","1"],["a","2"],["b","3"]]', '{"a":"2","b":"3"}'],
    ['lasting', '[["b","1h"],["a","P2W"]]', '{"a":"P14D","b":"PT1H"}'],
  ];
  const refusedLiterals: readonly (readonly [column: string, literal: string])[] = [
    ['double', '{"1.5":"a"}'],
    ['boolean', '{"true":"a"}'],
    ['blob', '{"AQ==":"a"}'],
    ['varint', '{"1":"a"}'],
    ['text', '[["a",null]]'],
    ['text', '[[null,"a"]]'],
    ['text', '[["a"]]'],
    ['text', '[]'],
  ];

  it('literals of maps: each form is accepted, and shown in the order of the keys', async () => {
    const columns = types.map((type) => `"${type}":{"type":"map","keyType":"${type}","valueType":"text"}`);
    await table('maps', `${columns},"lasting":{"type":"map","keyType":"text","valueType":"duration"}`);
    for (const [at, [column, literal, shown]] of accepted.entries()) {
      await rows(`{"insertOne":{"document":{"id":${at},"${column}":${literal}}}}`, inserted(at));
      assert.equal(await documentOf('maps', at), `{"id":${at},"${column}":${shown}}`);
    }
  });

  for (const [column, literal] of refusedLiterals) {
    it(`refuses ${literal} for keys of the type ${column}, in rows and in $set`, async () => {
      const path = '/v1/default_keyspace/maps';
      const insert = `{"insertOne":{"document":{"id":99,"${column}":${literal}}}}`;
      const set = `{"updateOne":{"filter":{"id":99},"update":{"$set":{"${column}":${literal}}}}}`;
      for (const body of [insert, set]) assert.equal(await codeOf(path, body), 'INVALID_COLUMN_VALUES');
    });
  }
});

describe('an empty frozen list, set or map', () => {
  it('is a value that rows omit, in every way to read them', async () => {
    await cql(
      'CREATE TABLE default_keyspace.empty (id int PRIMARY KEY, l frozen<list<text>>, m frozen<map<int, text>>, ' +
        'o frozen<map<text, int>>, u frozen<set<frozen<addr>>>)',
    );
    const rows = at('/v1/default_keyspace/empty');
    await rows('{"insertOne":{"document":{"id":1,"l":[],"m":{},"o":{},"u":[]}}}', inserted(1));
    await rows('{"insertOne":{"document":{"id":2,"l":["a"],"m":{},"o":{"a":1},"u":[]}}}', inserted(2));
    assert.equal(await documentOf('empty', 1), '{"id":1}');
    const rest = '"projection":{"id":1,"l":1,"o":1,"m":1,"u":1}';
    for (const clauses of [rest, `"sort":{"id":-1},${rest}`, `"filter":{"l":{"$nin":["x"]}},${rest}`]) {
      const text = await textOf('/v1/default_keyspace/empty', `{"find":{${clauses}}}`);
      assert.ok(text.includes('{"id":1}') && text.includes('{"id":2,"l":["a"],"o":{"a":1}}'), text);
    }
    // The row has a value, so it stays when the update that made it is the only one.
    await rows(
      '{"updateOne":{"filter":{"id":3},"update":{"$set":{"l":[]}}}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    assert.equal(await documentOf('empty', 3), '{"id":3}');
  });
});

describe('findRerankingProviders', () => {
  it('is on, and takes each status of models', async () => {
    for (const options of ['{}', ...['SUPPORTED', 'DEPRECATED', 'END_OF_LIFE', ''].map(filteredBy)]) {
      const text = await textOf('/v1', `{"findRerankingProviders":{"options":${options}}}`);
      assert.match(text, /^\{"status":\{"rerankingProviders":\{/);
    }
    const bad = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
    await at('/v1')(`{"findRerankingProviders":{"options":${filteredBy('x')}}}`, bad);
  });
});

function filteredBy(status: string): string {
  return `{"filterModelStatus":"${status}"}`;
}

describe('values of scalar columns', () => {
  const cases: readonly (readonly [column: string, good: Readonly<Record<string, string>>, bad: string])[] = [
    [
      't',
      { '10:15': '10:15:00', '23:59:00.': '23:59:00', '10:15:00.1234567': '10:15:00.123456700' },
      '24:00:00 00:60:00 1:00:00 -01:00:00 23-59-00 10:15:00.1234567890 10:15:00Z 10:15. 10:15:60',
    ],
    [
      's',
      {
        '2020-01-01T00:00:00.123456789Z': '2020-01-01T00:00:00.123Z',
        '2020-01-01t00:00:00z': '2020-01-01T00:00:00.000Z',
        '2020-01-01T00:00:00.1239+01:00': '2019-12-31T23:00:00.123Z',
      },
      '2020-01-01T24:00:00Z 2020-01-01T23:59:60Z 2020-01-01T00:00Z 2020-01-01T00:00:00',
    ],
    ['d', { P2W: 'P14D', 'P0001-00-02T14:20:00': 'P1Y2DT14H20M' }, 'P2W1D P1Y2W P1.5W'],
    [
      'i',
      {
        '127.1': '127.0.0.1',
        '127.0.1': '127.0.0.1',
        '192.168.36095': '192.168.140.255',
        '192.11046143': '192.168.140.255',
        localhost: '127.0.0.1',
        '::ffff:192.168.0.1': '192.168.0.1',
      },
      '[::1] fe80::1%eth0 10.0.0.0/16 10.0.0.1:80 10.10.10.1000 example.org 127.16777216 0x7f.1',
    ],
  ];

  it('values of scalar columns: further forms are accepted and shown in one form', async () => {
    await table('scalars', '"t":"time","s":"timestamp","d":"duration","i":"inet"');
    const scalars = at('/v1/default_keyspace/scalars');
    let id = 0;
    for (const [column, good] of cases)
      for (const [literal, shown] of Object.entries(good)) {
        id += 1;
        await scalars(`{"insertOne":{"document":{"id":${id},"${column}":"${literal}"}}}`, inserted(id));
        assert.equal(await documentOf('scalars', id), `{"id":${id},"${column}":"${shown}"}`);
      }
  });

  for (const [column, , bad] of cases) {
    it(`values of scalar columns: refused forms of ${column} store nothing`, async () => {
      for (const literal of [...bad.split(' '), '']) {
        const body = `{"insertOne":{"document":{"id":99,"${column}":"${literal}"}}}`;
        const code = await codeOf('/v1/default_keyspace/scalars', body);
        assert.equal(code, 'INVALID_COLUMN_VALUES', literal);
      }
      assert.equal(await documentOf('scalars', 99), 'null');
    });
  }
});

describe('the filter `$match` and the kinds of columns', () => {
  const scalars =
    'bigint blob boolean date decimal double duration float inet int smallint time timestamp tinyint uuid varint';
  before(async () => {
    await table(
      'kinds',
      `${['text', 'ascii', ...scalars.split(' ')].map((name) => `"of_${name}":"${name}"`).join(',')},
        "of_vector":{"type":"vector","dimension":2},"of_udt":${addr},
        "of_list":{"type":"list","valueType":"text"},"of_set":{"type":"set","valueType":"text"},
        "of_map":{"type":"map","keyType":"int","valueType":"text"}`,
    );
    await at('/v1/default_keyspace/kinds')(
      '{"createIndex":{"name":"of_text_regular","definition":{"column":"of_text"}}}',
      ok,
    );
    await cql(
      'CREATE TABLE default_keyspace.native_kinds (id int, no int, of_timeuuid timeuuid, of_varchar varchar, ' +
        's_text text STATIC, s_int int STATIC, f_list frozen<list<text>>, f_udt frozen<addr>, of_tuple tuple<text>, ' +
        'PRIMARY KEY (id, no))',
    );
    await cql('CREATE TABLE default_keyspace.counted_kinds (id text PRIMARY KEY, of_counter counter)');
  });
  const codeOfFilter = (name: string, filter: string, command = 'find') =>
    codeOf(`/v1/default_keyspace/${name}`, `{"${command}":{"filter":${filter}}}`);
  const places: readonly (readonly [table: string, columns: readonly string[]])[] = [
    ['kinds', [...scalars.split(' '), 'vector', 'list', 'set', 'map', 'udt'].map((name) => `of_${name}`)],
    ['native_kinds', ['id', 'no', 'of_timeuuid', 's_int', 'f_list', 'f_udt']],
    ['counted_kinds', ['of_counter']],
  ];
  for (const [name, columns] of places) {
    for (const column of columns) {
      it(`is not possible with any operand on ${column} of ${name}`, async () => {
        for (const operand of ['"x"', '""', '7', 'null', '["x"]', '{"x":1}']) {
          const filter = `{"${column}":{"$match":${operand}}}`;
          const places = [
            filter,
            `{"$not":${filter}}`,
            `{"$and":[${filter}]}`,
            `{"$or":[${filter},${filter}]}`,
          ];
          for (const placed of places)
            assert.equal(await codeOfFilter(name, placed), 'INVALID_FILTER_EXPRESSION', placed);
          assert.equal(await codeOfFilter(name, filter, 'findOne'), 'INVALID_FILTER_EXPRESSION', filter);
        }
      });
    }
  }

  it('needs a text index on columns with text, also of the type ascii', async () => {
    for (const [name, column] of [
      ['kinds', 'of_text'],
      ['kinds', 'of_ascii'],
      ['native_kinds', 'of_varchar'],
      ['native_kinds', 's_text'],
      ['counted_kinds', 'id'],
    ] as const) {
      const filter = `{"${column}":{"$match":"x"}}`;
      for (const placed of [filter, `{"$not":${filter}}`])
        assert.equal(await codeOfFilter(name, placed), 'CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS', placed);
      const other = `{"${column}":{"$match":7}}`;
      assert.equal(await codeOfFilter(name, other), 'FILTER_INVALID_EXPRESSION', other);
    }
  });

  it('comes after columns that are unknown or cannot be read', async () => {
    const filter = '{"no":{"$match":"x"},"of_int":{"$match":"x"}}';
    assert.equal(await codeOfFilter('kinds', filter), 'UNKNOWN_TABLE_COLUMNS');
    assert.equal(await codeOfFilter('native_kinds', '{"of_tuple":{"$match":7}}'), 'UNSUPPORTED_COLUMN_TYPES');
  });

  it('comes after the columns that updates and deletes can name', async () => {
    const filter = '"filter":{"id":1,"of_int":{"$match":"x"}}';
    for (const command of [
      `{"updateOne":{${filter},"update":{"$set":{"of_int":1}}}}`,
      `{"deleteOne":{${filter}}}`,
      `{"deleteMany":{${filter}}}`,
    ]) {
      const code = await codeOf('/v1/default_keyspace/kinds', command);
      assert.equal(code, 'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE', command);
    }
    const ofKey = '"filter":{"id":{"$match":"x"}}';
    for (const [command, code] of [
      [
        `{"updateOne":{${ofKey},"update":{"$set":{"of_int":1}}}}`,
        'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE',
      ],
      [`{"deleteOne":{${ofKey}}}`, 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
      [`{"deleteMany":{${ofKey}}}`, 'INVALID_FILTER_EXPRESSION'],
    ] as const)
      assert.equal(await codeOf('/v1/default_keyspace/kinds', command), code, command);
  });

  it('`$match` on a column without text: says which columns can be searched', () =>
    at('/v1/default_keyspace/kinds')(
      '{"find":{"filter":{"of_int":{"$match":"x"}}}}',
      '{"errors":[<REQUEST FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column>]}',
      'of_int(int)',
      '$match needs a column of the type text with a text index',
    ));
});

describe('ranges and other operators on a column of a user-defined type', () => {
  it('are not possible, also with an object', async () => {
    await table('ranged', `"u":${addr}`);
    for (const condition of [
      '{"$gt":{"zip":1}}',
      '{"$lte":1}',
      '{"$exists":true}',
      '{"$exists":{}}',
      '{"$size":{"a":1}}',
    ]) {
      const body = `{"find":{"filter":{"u":${condition}}}}`;
      assert.equal(await codeOf('/v1/default_keyspace/ranged', body), 'INVALID_FILTER_EXPRESSION', condition);
    }
    for (const condition of ['{"zip":1}', '{"$eq":{"zip":1}}', '{"$ne":{}}']) {
      const body = `{"find":{"filter":{"u":${condition}}}}`;
      assert.equal(
        await codeOf('/v1/default_keyspace/ranged', body),
        'FILTER_UNSUPPORTED_DATA_TYPE',
        condition,
      );
    }
  });
});
