// Indexes on the members of lists, sets and maps in the extended dialect: columns, options, listings, drops.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const columns =
  '{"id":"int","part":"int","l":{"type":"list","valueType":"text"},"li":{"type":"list","valueType":"inet"},' +
  '"st":{"type":"set","valueType":"timestamp"},"m":{"type":"map","keyType":"text","valueType":"text"},' +
  '"mb":{"type":"map","keyType":"ascii","valueType":"blob"},"d":{"type":"list","valueType":"duration"},' +
  '"x":"text","v":{"type":"vector","dimension":2}}';
const key = '{"partitionBy":["part"],"partitionSort":{"id":-1}}';
const { at, cql, restart } = useWireServer({
  args: ['--dialect', 'extended'],
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"t","definition":{"columns":${columns},"primaryKey":${key}}}}`,
    ],
  ],
});
const keyspace = at('/v1/default_keyspace');
const t = at('/v1/default_keyspace/t');

const ok = '{"status":{"ok":1}}';
const refused = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const badColumn = refused(
  'SCHEMA INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN: Column of the index not well-formed',
);
const exists = refused('SCHEMA CANNOT_ADD_EXISTING_INDEX: Index exists');
const unindexable = refused('SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index');
const notText = refused(
  'SCHEMA UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES: Text options on a column without text',
);
const ofEntries = refused(
  'SCHEMA CANNOT_ANALYZE_ENTRIES_ON_MAP_COLUMNS: Text options on the entries of a map',
);

const create = (name: string, column: string, options?: string, more = '') =>
  `{"createIndex":{"name":"${name}","definition":{"column":${column}` +
  `${options === undefined ? '' : `,"options":${options}`}}${more}}}`;
const drop = (name: string, more = '') => `{"dropIndex":{"name":"${name}"${more}}}`;
const listed = (...indexes: readonly string[]) => `{"status":{"indexes":[${indexes.join(',')}]}}`;
const described = (name: string, definition: string) =>
  `{"name":"${name}","definition":${definition},"indexType":"regular"}`;
const explain = '{"listIndexes":{"options":{"explain":true}}}';
const allDefaults = '{"ascii":false,"caseSensitive":true,"normalize":false}';

describe('createIndex on lists, sets and maps', () => {
  const kinds: readonly (readonly [what: string, column: string, definition: string])[] = [
    ['the elements of a list', '"li"', '{"column":{"li":"$values"},"options":{}}'],
    ['the elements of a set', '{"st":"$values"}', '{"column":{"st":"$values"},"options":{}}'],
    ['the elements of a list as keys', '{"l":"$keys"}', '{"column":{"l":"$values"},"options":{}}'],
    ['the entries of a map', '"m"', '{"column":"m"}'],
    ['the keys of a map', '{"m":"$keys"}', '{"column":{"m":"$keys"},"options":{}}'],
    ['the values of a map', '{"m":"$VALUES"}', '{"column":{"m":"$values"},"options":{}}'],
    [
      'the keys of a map with values that cannot be indexed',
      '{"mb":"$Keys"}',
      '{"column":{"mb":"$keys"},"options":{}}',
    ],
  ];
  for (const [what, column, definition] of kinds) {
    it(`indexes ${what} once`, async () => {
      await t(create('one', column), ok);
      await t(create('one', column), exists);
      await t(create('two', column), exists, 'already has the index one');
      await t(create('one', column, undefined, ',"options":{"ifNotExists":true}'), ok);
      await t(explain, listed(described('one', definition)));
      await keyspace(drop('one'), ok);
      await keyspace(drop('one'), refused('SCHEMA CANNOT_DROP_UNKNOWN_INDEX: Index to drop does not exist'));
      await keyspace(drop('one', ',"options":{"ifExists":true}'), ok);
      await t(explain, listed());
    });
  }

  it('index on members that exists: refused, whatever form names the part', async () => {
    await t(create('one', '{"l":"$values"}'), ok);
    for (const column of ['"l"', '{"l":"$keys"}', '{"l":"$VALUES"}']) await t(create('two', column), exists);
    await keyspace(drop('one'), ok);
  });

  it('takes an index on the entries, the keys and the values of a map, and stores them', async () => {
    await t(create('e', '"m"', '{}'), ok);
    await t(create('k', '{"m":"$keys"}', '{}'), ok);
    await t(create('v', '{"m":"$values"}', '{"ascii":true}'), ok);
    await t(create('vl', '"l"', '{"caseSensitive":false}'), ok);
    await t(create('vst', '"st"', '{}'), ok);
    const indexes = [
      described('e', '{"column":"m"}'),
      described('k', `{"column":{"m":"$keys"},"options":${allDefaults}}`),
      described(
        'v',
        '{"column":{"m":"$values"},"options":{"ascii":true,"caseSensitive":true,"normalize":false}}',
      ),
      described(
        'vl',
        '{"column":{"l":"$values"},"options":{"ascii":false,"caseSensitive":false,"normalize":false}}',
      ),
      described('vst', '{"column":{"st":"$values"},"options":{}}'),
    ];
    await t(explain, listed(...indexes));
    await restart();
    await t(explain, listed(...indexes));
  });

  it('shows its options in filters on that part', async () => {
    await t('{"insertOne":{"document":{"part":1,"id":1,"l":["Apple"],"m":{"Käse":"Käse"}}}}', inserted(1, 1));
    await t(find('{"l":{"$in":["aPPLE"]}}'), found(1));
    await t(find('{"l":{"$all":["apple","APPLE"]}}'), found(1));
    await t(find('{"l":{"$nin":["apple"]}}'), found());
    await t(find('{"$not":{"l":{"$all":["apple"]}}}'), found());
    await t(find('{"m":{"$values":{"$in":["Kase"]}}}'), found(1));
    await t(find('{"m":{"$keys":{"$in":["Kase"]}}}'), found());
    await t(find('{"m":{"$in":[["Käse","Kase"]]}}'), found());
    await t(find('{"m":{"$in":[["Käse","Käse"]]}}'), found(1));
  });

  it('a dropped column with an index on members: refused, until its indexes are dropped', async () => {
    const indexed = refused('SCHEMA CANNOT_DROP_INDEXED_COLUMNS: Indexed columns cannot be dropped');
    const dropColumns = '{"alterTable":{"operation":{"drop":{"columns":["m"]}}}}';
    await t(dropColumns, indexed, 'e, k, v');
    for (const name of ['e', 'k']) await keyspace(drop(name), ok);
    await t(dropColumns, indexed, 'v');
    await keyspace(drop('v'), ok);
    await t(dropColumns, ok);
    await keyspace('{"dropTable":{"name":"t"}}', ok);
    await keyspace(
      `{"createTable":{"name":"t","definition":{"columns":${columns},"primaryKey":${key}}}}`,
      ok,
    );
    await t(explain, listed());
  });
});

describe('refusals of createIndex on lists, sets and maps', () => {
  const cases: readonly (readonly [body: string, reply: string, ...facts: string[]])[] = [
    [create('i', '{"m":"$entries"}'), badColumn],
    [create('i', '{"m":"keys"}'), badColumn],
    [create('i', '{"m":7}'), badColumn],
    [create('i', '{"m":null}'), badColumn],
    [create('i', '{}'), badColumn],
    [create('i', '{"m":"$keys","l":"$values"}'), badColumn],
    [create('i', '7'), badColumn],
    [create('i', '["m"]'), badColumn],
    [create('i', '{"x":"$keys"}'), badColumn],
    [create('i', '{"x":"$values"}'), badColumn],
    [create('i', '{"nope":"$keys"}'), refused('SCHEMA UNKNOWN_INDEX_COLUMN: Column of the index unknown')],
    [
      '{"createIndex":{"name":"i","definition":{}}}',
      refused('COMMAND_FIELD_VALUE_INVALID: Command field value invalid'),
      'command.definition.column',
    ],
    [create('a b', '"m"'), refused('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported')],
    [create('i', '"m"', '{"ascii":true}'), ofEntries],
    [create('i', '"li"', '{"normalize":true}'), notText],
    [create('i', '"st"', '{"caseSensitive":false}'), notText],
    [create('i', '{"mb":"$values"}', '{"ascii":true}'), notText],
    [create('i', '"v"'), unindexable],
  ];
  for (const [body, reply, ...facts] of cases) it(`refuse ${body}`, () => t(body, reply, ...facts));

  it('index on members of the types blob and duration: refused', async () => {
    await t(create('i', '{"mb":"$values"}'), unindexable, 'its values cannot be indexed');
    await t(create('i', '"mb"'), unindexable, 'its entries cannot be indexed');
    await t(create('i', '"d"'), unindexable);
  });

  it('index on a frozen container: refused', async () => {
    await cql('CREATE TABLE default_keyspace.kept (id int PRIMARY KEY, f frozen<list<int>>)');
    const frozen = refused(
      'SCHEMA UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN: Frozen column cannot have an index',
    );
    await at('/v1/default_keyspace/kept')(create('i', '"f"'), frozen);
    await at('/v1/default_keyspace/kept')(create('i', '{"f":"$values"}'), frozen);
  });
});

describe('an index on rows that exist', () => {
  it('finds them', async () => {
    for (const [part, id, l] of [
      [1, 7, '["a","b"]'],
      [2, 5, '["b","c","b"]'],
      [1, 9, '["c"]'],
      [2, 6, '[]'],
    ] as const)
      await t(`{"insertOne":{"document":{"part":${part},"id":${id},"l":${l}}}}`, inserted(part, id));
    await t(create('l', '"l"'), ok);
    await t(find('{"l":{"$in":["b","c","b"]}}'), found(9, 7, 5));
    await t(find('{"l":{"$all":["b","c"]}}'), found(5));
    await t(find('{"part":1,"l":{"$in":["c","a"]},"id":{"$gt":7}}'), found(9));
    await t('{"findOne":{"filter":{"l":{"$all":["a"]}},"projection":{"id":1}}}', foundOne(7));
  });
});

const keySchema = '{"part":{"type":"int"},"id":{"type":"int"}}';
const inserted = (...values: readonly number[]) =>
  `{"status":{"insertedIds":[[${values.join(',')}]],"primaryKeySchema":${keySchema}}}`;
const find = (filter: string) => `{"find":{"filter":${filter},"projection":{"id":1}}}`;
const found = (...ids: readonly number[]) =>
  `{"data":{"documents":[${ids.map((id) => `{"id":${id}}`).join(',')}],"nextPageState":null},` +
  '"status":{"projectionSchema":{"id":{"type":"int"}}}}';
const foundOne = (id: number) =>
  `{"data":{"document":{"id":${id}}},"status":{"projectionSchema":{"id":{"type":"int"}}}}`;

describe('an index on members of a user-defined type', () => {
  const u = at('/v1/default_keyspace/u');
  const foundBy = async (filter: string) =>
    u(
      `{"find":{"filter":${filter},"projection":{"id":1}}}`,
      '{"data":{"documents":[{"id":1}],"nextPageState":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
    );

  it('finds them by all their fields, also after a change of the type', async () => {
    await keyspace('{"createType":{"name":"a","definition":{"fields":{"s":"text","z":"int"}}}}', ok);
    const type = '{"type":"set","valueType":{"type":"userDefined","udtName":"a"}}';
    const definition = `{"columns":{"id":"int","f":${type}},"primaryKey":"id"}`;
    await keyspace(`{"createTable":{"name":"u","definition":${definition}}}`, ok);
    await u(create('u', '"f"'), ok);
    await u(
      '{"insertOne":{"document":{"id":1,"f":[{"s":"x","z":1},{"s":"y"}]}}}',
      '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await foundBy('{"f":{"$all":[{"z":1,"s":"x"},{"s":"y","z":null}],"$nin":[{"s":"x"}]}}');
    await keyspace(
      '{"alterType":{"name":"a","rename":{"fields":{"z":"p"}},"add":{"fields":{"q":"int"}}}}',
      ok,
    );
    await foundBy('{"f":{"$all":[{"s":"x","p":1},{"s":"y"}]}}');
    const pushed = '{"updateOne":{"filter":{"id":1},"update":{"$push":{"f":{"s":"n","q":7}}}}}';
    await u(pushed, '{"status":{"matchedCount":1,"modifiedCount":1}}');
    await foundBy('{"f":{"$all":[{"s":"n","q":7},{"s":"x","p":1}]}}');
  });
});
