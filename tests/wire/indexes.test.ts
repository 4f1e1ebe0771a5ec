// createIndex, dropIndex, listIndexes: forms, effects on reads, and every refusal.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const columns =
  '{"org":"text","team":"text","no":"int","name":"text","age":"int","photo":"blob","stay":"duration",' +
  '"tags":{"type":"set","valueType":"text"}}';
const key = '{"partitionBy":["org","team"],"partitionSort":{"no":-1}}';
const rows = [
  '{"org":"a","team":"x","no":1,"name":"\\u00c9lan","age":30}',
  '{"org":"a","team":"x","no":2,"name":"elan","age":20}',
  '{"org":"b","team":"y","no":1,"name":"Zo\\u0065\\u0308","age":20}',
  '{"org":"b","team":"y","no":3}',
];
const { at, restart } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"people","definition":{"columns":${columns},"primaryKey":${key}}}}`,
    ],
    [
      '/v1/default_keyspace',
      '{"createTable":{"name":"plain","definition":{"columns":{"id":"text","n":"int"},"primaryKey":"id"}}}',
    ],
    ['/v1/default_keyspace/people', `{"insertMany":{"documents":[${rows.join(',')}]}}`],
  ],
});
const keyspace = at('/v1/default_keyspace');
const people = at('/v1/default_keyspace/people');
const plain = at('/v1/default_keyspace/plain');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const create = (name: string, definition: string, more = '') =>
  `{"createIndex":{"name":"${name}","definition":${definition}${more}}}`;

const shown = '"status":{"projectionSchema":{"team":{"type":"text"},"no":{"type":"int"}}';
const warned = (warning: string) => `,"warnings":[${warning}]`;
const missingIndex = warned('<REQUEST WARNING MISSING_INDEX: Filter without an index>');
/** The team and number of each row that a filter finds, in order. */
const finds = (filter: string, found: readonly string[], warnings = '') =>
  people(
    `{"find":{"filter":${filter},"projection":{"team":1,"no":1}}}`,
    `{"data":{"documents":[${found
      .map((row) => `{"team":"${row.charAt(0)}","no":${row.slice(1)}}`)
      .join(',')}],"nextPageState":null},${shown}${warnings}}}`,
  );

describe('createIndex refuses', () => {
  const refusals: readonly (readonly [definition: string, more: string, problem: string])[] = [
    ['{"column":"none"}', '', 'SCHEMA UNKNOWN_INDEX_COLUMN: Column of the index unknown'],
    ['{"column":{"none":"$keys"}}', '', 'SCHEMA UNKNOWN_INDEX_COLUMN: Column of the index unknown'],
    [
      '{"column":{"name":"$keys"}}',
      '',
      'SCHEMA INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN: Column of the index not well-formed',
    ],
    [
      '{"column":5}',
      '',
      'SCHEMA INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN: Column of the index not well-formed',
    ],
    ['{"column":"age"}', ',"indexType":"fast"', 'SCHEMA UNKNOWN_INDEX_TYPE: Index type unknown'],
    [
      '{"column":"age"}',
      ',"indexType":"vector"',
      'SCHEMA UNSUPPORTED_INDEX_TYPE: Index type belongs to another command',
    ],
    [
      '{"column":"age","options":{"ascii":true}}',
      '',
      'SCHEMA UNSUPPORTED_TEXT_ANALYSIS_FOR_DATA_TYPES: Text options on a column without text',
    ],
    ...['photo', 'stay', 'tags'].map(
      (column) =>
        [
          `{"column":"${column}"}`,
          '',
          'SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index',
        ] as const,
    ),
  ];
  for (const [definition, more, problem] of refusals) {
    it(`${definition}${more}`, () => people(create('bad', definition, more), failed(problem)));
  }

  it('the only partition column', () =>
    plain(
      create('bad', '{"column":"id"}'),
      failed('SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index'),
      'only partition column',
    ));

  it('a name of other characters', () =>
    people(
      create('no-name', '{"column":"age"}'),
      failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported'),
    ));

  it('an unknown option', () =>
    people(
      create('bad', '{"column":"age","options":{"fast":true}}'),
      failed(' COMMAND_FIELD_UNKNOWN: Command field unknown').replace('<REQUEST  ', '<REQUEST '),
      'ascii, caseSensitive, normalize',
    ));
});

describe('indexes', () => {
  it('are created, once by name in a keyspace and once per column', async () => {
    await people(create('by_age', '{"column":"age"}'), ok);
    await people(create('by_name', '{"column":"name","options":{"ascii":true,"caseSensitive":false}}'), ok);
    await people(create('by_team', '{"column":"team"}'), ok);
    const exists = failed('SCHEMA CANNOT_ADD_EXISTING_INDEX: Index exists');
    await people(create('by_age', '{"column":"age"}'), exists, 'by_age');
    await people(create('again', '{"column":"age"}'), exists, 'by_age');
    await plain(create('by_age', '{"column":"n"}'), exists);
    await people(create('by_age', '{"column":"age"}', ',"options":{"ifNotExists":true}'), ok);
  });

  it('are listed', async () => {
    await people('{"listIndexes":{}}', '{"status":{"indexes":["by_age","by_name","by_team"]}}');
    await people(
      '{"listIndexes":{"options":{"explain":true}}}',
      `{"status":{"indexes":[{"name":"by_age","definition":{"column":"age","options":{}},"indexType":"regular"},
        {"name":"by_name","definition":{"column":"name",
          "options":{"ascii":true,"caseSensitive":false,"normalize":false}},"indexType":"regular"},
        {"name":"by_team","definition":{"column":"team",
          "options":{"ascii":false,"caseSensitive":true,"normalize":false}},"indexType":"regular"}]}}`,
    );
    await plain('{"listIndexes":{"options":{"explain":true}}}', '{"status":{"indexes":[]}}');
  });

  const readsByIndex = async () => {
    await finds('{"age":20}', ['x2', 'y1']);
    await finds('{"age":{"$gte":20}}', ['x2', 'y1', 'x1']);
    await finds('{"age":{"$in":[30,20]}}', ['x2', 'y1', 'x1']);
    await finds('{"age":{"$ne":20}}', ['x1']);
    await finds('{"age":{"$nin":[]}}', ['x2', 'x1', 'y1']);
  };
  it('serve reads, which come by value and primary key', readsByIndex);

  it('index options: act on equality, and on nothing else', async () => {
    await finds('{"name":"ELAN"}', ['x2', 'x1']);
    await finds('{"name":{"$in":["ELAN","ZOE"]}}', ['x2', 'x1']);
    await finds('{"name":{"$gt":"elan"}}', ['x1'], range);
    await finds('{"name":{"$ne":"ELAN"}}', ['y1'], notEqual);
    await finds('{"name":{"$nin":["ELAN"]}}', ['y1'], notIn);
  });
  const range = warned(
    '<REQUEST WARNING COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: Range that an index does not serve everywhere>',
  );
  const notEqual = warned(
    '<REQUEST WARNING NOT_EQUALS_UNSUPPORTED_BY_INDEXING: Inequality that an index does not serve>',
  );
  const notIn = warned(
    '<REQUEST WARNING NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING: Exclusion that an index does not serve>',
  );

  it('are missed where a filtered column has none', () => finds('{"age":20,"stay":"1d"}', [], missingIndex));

  it('keep their columns from being dropped', () =>
    people(
      '{"alterTable":{"operation":{"drop":{"columns":["age"]}}}}',
      failed('SCHEMA CANNOT_DROP_INDEXED_COLUMNS: Indexed columns cannot be dropped'),
      'by_age',
    ));

  it('follow updates and deletes, and survive a restart', async () => {
    const done = '{"status":{"matchedCount":1,"modifiedCount":1}}';
    const row = '{"org":"a","team":"x","no":2}';
    await people(`{"updateOne":{"filter":${row},"update":{"$set":{"age":31}}}}`, done);
    await finds('{"age":{"$gte":20}}', ['y1', 'x1', 'x2']);
    await people(`{"updateOne":{"filter":${row},"update":{"$set":{"age":20}}}}`, done);
    await restart();
    await readsByIndex();
  });

  it('are dropped at the keyspace', async () => {
    await keyspace('{"dropIndex":{"name":"by_age"}}', ok);
    await keyspace(
      '{"dropIndex":{"name":"by_age"}}',
      failed('SCHEMA CANNOT_DROP_UNKNOWN_INDEX: Index to drop does not exist'),
      'by_name, by_team',
    );
    await keyspace('{"dropIndex":{"name":"by_age","options":{"ifExists":true}}}', ok);
    await finds('{"age":20}', ['x2', 'y1'], missingIndex);
  });
});

describe('collections (documents), types, text search', () => {
  it('collections (documents), types, text search: text indexes and reranking are not offered', async () => {
    await people(
      '{"createTextIndex":{"name":"it","definition":{"column":"name"}}}',
      failed('SCHEMA LEXICAL_FEATURE_NOT_ENABLED: Text search not offered'),
    );
    await at('/v1')(
      '{"findRerankingProviders":{}}',
      '{"errors":[<REQUEST SCHEMA RERANKING_FEATURE_NOT_ENABLED: Reranking not offered>]}',
    );
  });
});
