// createIndex, dropIndex and listIndexes, and the commands for indexes and features that are not offered.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnCluster } from '../acceptance/server-args.js';
import { messagesIn, shortened, useWireServer } from './wire-server.js';

const { at, restart, send } = useWireServer({
  prepare: [
    ['/v1', '{"createKeyspace":{"name":"other"}}'],
    ...['/v1/default_keyspace', '/v1/other'].map(
      (path) =>
        [
          path,
          `{"createTable":{"name":"books","definition":{"columns":{
            "shelf":"int","row":"text","place":"int","no":"int","title":"text","code":"ascii","year":"int","price":"decimal",
            "lent":"boolean","bytes":"blob","wait":"duration","tags":{"type":"set","valueType":"text"},
            "notes":{"type":"map","keyType":"text","valueType":"text"},"A-1":"date","A_1":"date"},
            "primaryKey":{"partitionBy":["shelf","row"],"partitionSort":{"place":-1,"no":1}}}}}`,
        ] as const,
    ),
    ...['single', 'spare'].map(
      (name) =>
        [
          '/v1/default_keyspace',
          `{"createTable":{"name":"${name}","definition":{"columns":{"id":"int","n":"int"},"primaryKey":"id"}}}`,
        ] as const,
    ),
  ],
});
const keyspace = at('/v1/default_keyspace');
const books = at('/v1/default_keyspace/books');
const single = at('/v1/default_keyspace/single');

const ok = '{"status":{"ok":1}}';
const failed = (...problems: readonly string[]) =>
  `{"status":{"ok":0},"errors":[${problems.map((problem) => `<REQUEST ${problem}>`).join(',')}]}`;
const mismatch = failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch');
const unknownField = failed('COMMAND_FIELD_UNKNOWN: Command field unknown');
const badValue = 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid';
const indexExists = failed('SCHEMA CANNOT_ADD_EXISTING_INDEX: Index exists');
const invalidColumn = failed(
  'SCHEMA INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN: Column of the index not well-formed',
);
const unknownColumn = failed('SCHEMA UNKNOWN_INDEX_COLUMN: Column of the index unknown');
const notIndexable = failed('SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index');
const noText = failed(
  'SCHEMA UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES: Text options on a column without text',
);

/** `column` and `more`, members of the command, are JSON. */
const create = (name: string, column: string, more = '', textOptions = '') =>
  `{"createIndex":{"name":"${name}","definition":{"column":${column}${textOptions}}${more}}}`;
const drop = (name: string, more = '') => `{"dropIndex":{"name":"${name}"${more}}}`;
/** A cluster lists indexes by name. */
const inOrder = (names: readonly string[]) => (isOnCluster() ? names.toSorted() : names);
const listed = (...names: readonly string[]) => `{"status":{"indexes":${JSON.stringify(inOrder(names))}}}`;
const noOptions = '"options":{}';
const exact = '"options":{"ascii":false,"caseSensitive":true,"normalize":false}';

/** What listIndexes explains; `parts`: name, column and options as JSON. */
const explained = (...parts: readonly (readonly [name: string, column: string, options: string])[]) => {
  const places = inOrder(parts.map(([name]) => name));
  const ordered = parts.toSorted(([one], [other]) => places.indexOf(one) - places.indexOf(other));
  const entries = ordered.map(
    ([name, column, options]) =>
      `{"name":"${name}","definition":{"column":"${column}",${options}},"indexType":"regular"}`,
  );
  return `{"status":{"indexes":[${entries.join(',')}]}}`;
};

async function dropAll(...names: readonly string[]): Promise<void> {
  for (const name of names) await keyspace(drop(name), ok);
  await books('{"listIndexes":{}}', listed());
}

describe('createIndex', () => {
  it('takes columns of the key and others, texts with their options written out', async () => {
    // A cluster has no options on columns of the key, and no other names of indexed columns.
    const isFolded = !isOnCluster();
    const odd = isOnCluster() ? 'A_1' : 'A-1';
    await books('{"listIndexes":{}}', listed());
    await books(create('by_year', '"year"'), ok);
    await books(create('by_title', '"title"'), ok);
    await books(create('by_code', '"code"', ',"options":{}', ',"options":{"caseSensitive":false}'), ok);
    await books(create('by_place', '"place"', ',"indexType":"Regular"'), ok);
    await books(create('by_no', '"no"', ',"indexType":null,"options":null', ',"options":null'), ok);
    await books(
      create('by_row', '"row"', '', `,"options":{"ascii":${isFolded},"normalize":${isFolded}}`),
      ok,
    );
    await books(create('by_shelf', '"shelf"', ',"options":{"ifNotExists":false}', ',"options":{}'), ok);
    await books(create('A_1', `"${odd}"`), ok);
    const names = ['by_year', 'by_title', 'by_code', 'by_place', 'by_no', 'by_row', 'by_shelf', 'A_1'];
    await books('{"listIndexes":{"options":{"explain":false}}}', listed(...names));
    const all = explained(
      ['by_year', 'year', noOptions],
      ['by_title', 'title', exact],
      ['by_code', 'code', '"options":{"ascii":false,"caseSensitive":false,"normalize":false}'],
      ['by_place', 'place', noOptions],
      ['by_no', 'no', noOptions],
      ['by_row', 'row', `"options":{"ascii":${isFolded},"caseSensitive":true,"normalize":${isFolded}}`],
      ['by_shelf', 'shelf', noOptions],
      ['A_1', odd, noOptions],
    );
    await books('{"listIndexes":{"options":{"explain":true}}}', all);
    await restart();
    await books('{"listIndexes":{"options":{"explain":true}}}', all);
    await dropAll(...names);
    await restart();
    await books('{"listIndexes":{}}', listed());
  });

  it('takes a column of every type that can have one, with null for each of the text options', async () => {
    const types = [
      ...['ascii', 'bigint', 'boolean', 'date', 'decimal', 'double', 'float', 'inet', 'int'],
      ...['smallint', 'text', 'time', 'timestamp', 'tinyint', 'uuid', 'varint'],
    ];
    const columns = types.map((type) => `,"${type}":"${type}"`).join('');
    const definition = `{"columns":{"id":"int"${columns}},"primaryKey":"id"}`;
    await keyspace(`{"createTable":{"name":"every","definition":${definition}}}`, ok);
    const every = at('/v1/default_keyspace/every');
    const nothing = ',"options":{"ascii":null,"caseSensitive":null,"normalize":null}';
    for (const type of types) await every(create(`every_${type}`, `"${type}"`, '', nothing), ok);
    await every('{"listIndexes":{}}', listed(...types.map((type) => `every_${type}`)));
    // The indexes go with their table, and their names are free again.
    await keyspace('{"dropTable":{"name":"every"}}', ok);
    await books(create('every_int', '"year"'), ok);
    await dropAll('every_int');
  });

  it('needs a name and a definition', async () => {
    await books('{"createIndex":{}}', failed(badValue, badValue), '"command.name"', '"command.definition"');
    await books('{"createIndex":{"name":"i","definition":null}}', failed(badValue), '"command.definition"');
    await books('{"createIndex":{"name":"i","definition":"year"}}', mismatch, 'command.definition');
    await books('{"createIndex":{"definition":{"column":"year"}}}', failed(badValue), '"command.name"');
    await books('{"createIndex":{"name":5,"definition":{}}}', mismatch, 'command.name');
    await books(
      create('i', '"year"', ',"unique":true'),
      unknownField,
      'definition, indexType, name, options',
    );
    await books(create('i', '"year"', '', ',"columns":[]'), unknownField, 'Known fields: column, options.');
    await books(
      create('i', '"year"', ',"options":{"ifExists":true}'),
      unknownField,
      'Known fields: ifNotExists.',
    );
    await books(
      create('i', '"year"', ',"options":{"ifNotExists":1}'),
      mismatch,
      'command.options.ifNotExists',
    );
    await books(create('i', '"year"', ',"options":[]'), mismatch, 'command.options');
    await books(create('i', '"year"', ',"indexType":5'), mismatch, 'command.indexType');
    await books(
      create('i', '"title"', '', ',"options":{"analyzer":"standard"}'),
      unknownField,
      'Known fields: ascii, caseSensitive, normalize.',
    );
    await books(
      create('i', '"title"', '', ',"options":{"ascii":"true"}'),
      mismatch,
      'command.definition.options.ascii',
    );
  });

  it('refuses a name with other characters than letters, digits and underscore, or of more than 100', async () => {
    const refused = failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported');
    for (const name of ['', 'a-b', 'a b', 'ü', 'x'.repeat(101)])
      await books(create(name, '"year"'), refused, `"${name}" cannot be the name of an index`, '100');
    for (const name of ['x'.repeat(100), '_', '1']) {
      await books(create(name, '"year"'), ok);
      await dropAll(name);
    }
  });

  it('knows its own type of index only', async () => {
    const unknown = failed('SCHEMA UNKNOWN_INDEX_TYPE: Index type unknown');
    for (const type of ['', 'regular ', 'sai'])
      await books(
        create('i', '"year"', `,"indexType":"${type}"`),
        unknown,
        `"${type}"`,
        'regular, text, vector',
      );
    for (const type of ['text', 'vector']) {
      const another = failed('SCHEMA UNSUPPORTED_INDEX_TYPE: Index type belongs to another command');
      await books(create('i', '"year"', `,"indexType":"${type}"`), another, '"regular"', `not "${type}"`);
    }
  });

  for (const [column, found] of [
    ['5', 'the number 5'],
    ['null', 'null'],
    ['["year"]', 'an array of 1 element'],
    ['{}', 'an object'],
    ['{"year":"$values"}', 'an object'],
    ['{"year":"$keys"}', 'an object'],
    ['{"notes":"$entries"}', 'an object'],
    ['{"notes":1}', 'an object'],
    ['{"notes":"$keys","tags":"$values"}', 'an object'],
  ] as const) {
    it(`refuses the column ${column}`, () => books(create('i', column), invalidColumn, found));
  }

  it('refuses a definition without a column', () =>
    books('{"createIndex":{"name":"i","definition":{}}}', invalidColumn, 'is absent'));

  it('refuses a column that the table does not have', async () => {
    for (const column of ['"x"', '"Year"', '""', '{"x":"$keys"}'])
      await books(create('i', column), unknownColumn, 'shelf(int), row(text), place(int)');
  });

  it('refuses text options for columns that hold no text', async () => {
    for (const column of ['"year"', '"lent"', '"bytes"', '"shelf"']) {
      for (const option of ['"ascii":false', '"caseSensitive":true', '"normalize":true'])
        await books(create('i', column, '', `,"options":{${option}}`), noText, JSON.parse(column));
    }
  });

  const row = 'index on the only partition key column, blob, duration; a second index on a column';
  it(`${row}: refused`, async () => {
    await single(create('i', '"id"'), notIndexable, 'id(int)', 'the only partition column');
    await books(create('i', '"bytes"'), notIndexable, 'bytes(blob)', 'its type cannot be indexed');
    await books(create('i', '"wait"'), notIndexable, 'wait(duration)', 'its type cannot be indexed');
    await books(create('i', '"year"'), ok);
    await books(create('j', '"year"'), indexExists, 'The index j', 'year(int) already has the index i.');
    await books(
      create('j', '"year"', ',"options":{"ifNotExists":true}'),
      indexExists,
      'year(int) already has the index i.',
    );
    await dropAll('i');
  });

  it('list, set, map in createIndex: refused, whole or in parts, whatever the options', async () => {
    for (const column of [
      '"tags"',
      '"notes"',
      '{"notes":"$keys"}',
      '{"notes":"$VALUES"}',
      '{"tags":"$values"}',
    ]) {
      await books(create('i', column), notIndexable, 'its type cannot be indexed');
      await books(create('i', column, '', ',"options":{"ascii":true}'), notIndexable);
    }
  });

  it('has names of its own in every keyspace', async () => {
    await books(create('same', '"year"'), ok);
    await single(
      create('same', '"n"'),
      indexExists,
      'there is already an index same on year(int) of the table books',
      'set the option "ifNotExists"',
    );
    await single(create('Same', '"n"'), ok);
    await at('/v1/other/books')(create('same', '"price"'), ok);
    await at('/v1/other')(
      drop('Same'),
      failed('SCHEMA CANNOT_DROP_UNKNOWN_INDEX: Index to drop does not exist'),
    );
    await at('/v1/other')(drop('same'), ok);
    await books('{"listIndexes":{}}', listed('same'));
    await single('{"listIndexes":{}}', listed('Same'));
    await at('/v1/other/books')('{"listIndexes":{}}', listed());
    await dropAll('same', 'Same');
  });

  it('of another name on the same column is refused, also with ifNotExists, which is then no advice', async () => {
    await books(create('same', '"year"'), ok);
    for (const options of ['{}', '{"ifNotExists":true}']) {
      const body = create('second', '"year"', `,"options":${options}`);
      const { text } = await send({ path: '/v1/default_keyspace/books', body });
      assert.equal(shortened(text), indexExists);
      assert.match(
        messagesIn(text),
        /^The index second cannot be created: year\(int\) already has the index same\.\n/,
      );
      assert.doesNotMatch(messagesIn(text), /ifNotExists/);
    }
    await dropAll('same');
  });

  it('with ifNotExists leaves an index of that name as it is, wherever in the keyspace', async () => {
    await books(create('same', '"year"'), ok);
    await books(create('same', '"year"'), indexExists);
    const ifNotExists = ',"options":{"ifNotExists":true}';
    await books(create('same', '"year"', ifNotExists), ok);
    await books(create('same', '"title"', ifNotExists, ',"options":{"ascii":true}'), ok);
    await single(create('same', '"n"', ifNotExists), ok);
    await books('{"listIndexes":{"options":{"explain":true}}}', explained(['same', 'year', noOptions]));
    await single('{"listIndexes":{}}', listed());
    // What is wrong in itself stays wrong.
    await books(create('same', '"x"', ifNotExists), unknownColumn);
    await dropAll('same');
  });

  it('needs a table that exists', () =>
    at('/v1/default_keyspace/nothing')(
      create('i', '"n"'),
      failed('SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown'),
    ));

  it('DDL under way: of many that want one name on two tables one makes its index', async () => {
    const paths = Array.from(
      { length: 20 },
      (_, n) => `/v1/default_keyspace/${n % 2 === 0 ? 'single' : 'spare'}`,
    );
    const replies = await Promise.all(paths.map((path) => send({ path, body: create('raced', '"n"') })));
    const texts = replies.map(({ text }) => shortened(text));
    assert.deepEqual(texts.toSorted(), [...Array.from({ length: 19 }, () => indexExists), ok].toSorted());
    await dropAll('raced');
  });
});

describe('dropIndex', () => {
  const unknown = failed('SCHEMA CANNOT_DROP_UNKNOWN_INDEX: Index to drop does not exist');

  it('drops an index of any table of its keyspace', async () => {
    await books(create('one', '"year"'), ok);
    await single(create('other', '"n"'), ok);
    await keyspace(drop('other', ',"options":null'), ok);
    await keyspace(drop('other'), unknown, 'default_keyspace has no index "other"', 'Its indexes: one.');
    await keyspace(drop('one', ',"options":{"ifExists":true}'), ok);
    await keyspace(drop('one', ',"options":{"ifExists":false}'), unknown, 'Its indexes: none.');
    await keyspace(drop('one', ',"options":{"ifExists":true}'), ok);
    await keyspace(drop('any-thing', ',"options":{"ifExists":true}'), ok);
  });

  it('needs a name, at the keyspace', async () => {
    await keyspace('{"dropIndex":{}}', failed(badValue), '"command.name"');
    await keyspace('{"dropIndex":{"name":""}}', failed(badValue), '"command.name"');
    await keyspace('{"dropIndex":{"name":["i"]}}', mismatch);
    await keyspace(drop('i', ',"table":"books"'), unknownField, 'Known fields: name, options.');
    await keyspace(drop('i', ',"options":{"ifNotExists":true}'), unknownField, 'Known fields: ifExists.');
    await books(drop('i'), '{"errors":[<REQUEST COMMAND_UNKNOWN: Command unknown>]}');
    await at('/v1/nowhere')(drop('i'), failed('SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown'));
  });
});

describe('an index', () => {
  it('stays when columns are added and others dropped', async () => {
    await keyspace(
      '{"createTable":{"name":"altered","definition":{"columns":{"id":"int","n":"int","m":"int"},"primaryKey":"id"}}}',
      ok,
    );
    const altered = at('/v1/default_keyspace/altered');
    await altered('{"insertOne":{"document":{"id":1,"n":5,"m":6}}}', inserted);
    await altered(create('altered_n', '"n"'), ok);
    await altered('{"alterTable":{"operation":{"drop":{"columns":["m"]}}}}', ok);
    await altered('{"alterTable":{"operation":{"add":{"columns":{"x":"text"}}}}}', ok);
    const finds = () =>
      altered(
        '{"find":{"filter":{"n":5},"projection":{"id":1}}}',
        '{"data":{"documents":[{"id":1}],"nextPageState":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
      );
    await finds();
    await restart();
    await finds();
    await altered(
      '{"alterTable":{"operation":{"drop":{"columns":["n"]}}}}',
      failed('SCHEMA CANNOT_DROP_INDEXED_COLUMNS: Indexed columns cannot be dropped'),
      'n(int)',
      'Drop the indexes first: altered_n.',
    );
    await keyspace(drop('altered_n'), ok);
    await altered('{"alterTable":{"operation":{"drop":{"columns":["n"]}}}}', ok);
  });
  const inserted = '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}';
});

describe('listIndexes', () => {
  it('takes explain, and nothing else', async () => {
    await single('{"listIndexes":{"options":null}}', listed());
    await single('{"listIndexes":{"options":{"explain":null}}}', listed());
    const refused = (problem: string) => `{"errors":[<REQUEST ${problem}>]}`;
    await single(
      '{"listIndexes":{"options":{"explain":"yes"}}}',
      refused('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'),
      'command.options.explain',
    );
    await single(
      '{"listIndexes":{"options":{"all":true}}}',
      refused('COMMAND_FIELD_UNKNOWN: Command field unknown'),
      'Known fields: explain.',
    );
    await at('/v1/default_keyspace/nothing')(
      '{"listIndexes":{}}',
      refused('SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown'),
    );
  });
});

describe('what is not offered', () => {
  it('text search: createTextIndex is refused in every form', async () => {
    const refused = failed('SCHEMA LEXICAL_FEATURE_NOT_ENABLED: Text search not available');
    for (const body of [
      '{"name":"t","definition":{"column":"title"}}',
      '{"name":"t","definition":{"column":"title","options":{"analyzer":"standard"}},"options":{"ifNotExists":true}}',
      '{"name":"t","definition":{"column":"year","options":{"analyzer":5}},"indexType":"text"}',
      '{}',
    ])
      await books(`{"createTextIndex":${body}}`, refused, 'it needs --dialect extended.');
    await books('{"createTextIndex":{"analyzer":"standard"}}', unknownField);
    await books('{"listIndexes":{}}', listed());
  });

  it('reranking: findRerankingProviders has no other members', () =>
    at('/v1')(
      '{"findRerankingProviders":{"provider":"nvidia"}}',
      '{"errors":[<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>]}',
    ));
});
