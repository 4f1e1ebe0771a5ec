// Text search in the extended dialect: `$match`, the sort by words, and their errors (wire: text search).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, restart, send } = useWireServer({ args: ['--dialect', 'extended'] });
const keyspace = at('/v1/default_keyspace');
const notes = at('/v1/default_keyspace/notes');
const ok = '{"status":{"ok":1}}';
const refused = (problem: string) => `{"errors":[<REQUEST ${problem}>]}`;
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;

/** The ids of rows in a reply of find that shows ids only. */
const found = (ids: readonly number[], warnings: readonly string[] = []) =>
  `{"data":{"documents":[${ids.map((id) => `{"id":${id}}`).join(',')}],"nextPageState":null},` +
  `"status":{"projectionSchema":{"id":{"type":"int"}}${
    warnings.length === 0 ? '' : `,"warnings":[${warnings.map((each) => `<REQUEST ${each}>`).join(',')}]`
  }}}`;
const zeroFilters = 'WARNING ZERO_FILTER_OPERATIONS: Read without a filter';
const inserted =
  '{"status":{"insertedIds":[["a","b"]],"primaryKeySchema":{"id":{"type":"text"},"at":{"type":"text"}}}}';
const missingIndex = 'WARNING MISSING_INDEX: Filter without an index';
const matched = '{"status":{"matchedCount":1,"modifiedCount":1}}';
const finds = (filter: string, ids: readonly number[], warnings?: readonly string[]) =>
  notes(`{"find":{"filter":${filter},"projection":{"id":1}}}`, found(ids, warnings));
const sorts = (words: string, ids: readonly number[], rest = '', warnings = [zeroFilters]) =>
  notes(
    `{"find":{"sort":{"body":${JSON.stringify(words)}},"projection":{"id":1}${rest}}}`,
    found(ids, warnings),
  );

const createTable = `{"createTable":{"name":"notes","definition":{"primaryKey":"id",
  "columns":{"id":"int","body":"text","title":"text","code":"ascii","n":"int",
    "tags":{"type":"set","valueType":"text"}}}}}`;
const rows = [
  '{"id":1,"body":"A tree in the woods.","title":"Tree","n":1}',
  '{"id":2,"body":"The lone tree in the plain.","title":"Plain tree","n":2}',
  '{"id":3,"body":"A fish in the ocean.","title":"Fish","n":3}',
  '{"id":4,"title":"Nothing"}',
];

describe('a text index', () => {
  it('is created on rows that exist, and listed', async () => {
    await keyspace(createTable, ok);
    await notes(
      `{"insertMany":{"documents":[${rows.join(',')}]}}`,
      '{"status":{"insertedIds":[[1],[2],[3],[4]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await notes('{"createTextIndex":{"name":"body_words","definition":{"column":"body"}}}', ok);
    const analyzer =
      '{"tokenizer":{"name":"standard","args":{}},"filters":[{"name":"lowercase"},{"name":"stop","args":{}},' +
      '{"name":"porterstem"},{"name":"asciifolding"}],"charFilters":[]}';
    await notes(
      `{"createTextIndex":{"name":"title_words","definition":{"column":"title","options":{"analyzer":${analyzer}}},"indexType":"TEXT"}}`,
      ok,
    );
    await notes('{"createIndex":{"name":"titles","definition":{"column":"title"}}}', ok);
    await notes(
      '{"listIndexes":{"options":{"explain":true}}}',
      `{"status":{"indexes":[
        {"name":"body_words","definition":{"column":"body","options":{"analyzer":"standard"}},"indexType":"text"},
        {"name":"title_words","definition":{"column":"title","options":{"analyzer":${analyzer}}},"indexType":"text"},
        {"name":"titles","definition":{"column":"title","options":
          {"ascii":false,"caseSensitive":true,"normalize":false}},"indexType":"regular"}]}}`,
    );
  });

  it('finds rows by words', async () => {
    await finds('{"body":{"$match":"fish"}}', [3]);
    await finds('{"body":{"$match":"TREE!"}}', [1, 2]);
    await finds('{"body":{"$match":"tree the"}}', [1, 2]);
    await finds('{"body":{"$match":"woods tree"}}', [1]);
    await finds('{"body":{"$match":"toadstool"}}', []);
    await finds('{"body":{"$match":"tree toadstool"}}', []);
    await finds('{"title":{"$match":"plains and the trees"}}', [2]);
  });
});

describe('the filter $match', () => {
  it('`$match` without words: finds nothing, also inside "and"', async () => {
    for (const words of ['""', '"!? ..."'])
      await finds(`{"body":{"$match":${words}},"n":{"$gt":0}}`, [], [missingIndex]);
    await finds('{"title":{"$match":"the of and"}}', []);
    await finds('{"$or":[{"body":{"$match":""}},{"body":{"$match":"fish"}}]}', [3]);
  });

  it('can be combined with other filters and with itself', async () => {
    await finds('{"body":{"$match":"tree"},"id":2}', [2]);
    await finds('{"body":{"$match":"tree"},"id":3}', []);
    await finds('{"body":{"$match":"tree"},"n":{"$gt":1}}', [2], [missingIndex]);
    await finds('{"$and":[{"body":{"$match":"tree"}},{"title":{"$match":"plain"}}]}', [2]);
    await finds('{"$or":[{"body":{"$match":"woods"}},{"title":{"$match":"FISHES"}}]}', [1, 3]);
    await finds('{"$or":[{"body":{"$match":"woods"}},{"id":4}]}', [1, 4]);
    await finds('{"body":{"$match":"tree","$eq":"A tree in the woods."}}', [1], [missingIndex]);
  });

  it('equality on a column with a text index: compares whole texts', async () => {
    await finds('{"body":"tree"}', [], [missingIndex]);
    await finds('{"title":"Tree"}', [1]);
    await finds('{"title":"tree"}', []);
  });

  it('is for findOne too, and for rows that are shown whole', async () => {
    await notes(
      '{"findOne":{"filter":{"body":{"$match":"lone"}},"projection":{"body":1}}}',
      `{"data":{"document":{"body":"The lone tree in the plain."}},
        "status":{"projectionSchema":{"body":{"type":"text"}}}}`,
    );
    await notes(
      '{"findOne":{"filter":{"body":{"$match":"toadstool"}},"projection":{"body":1}}}',
      '{"data":{"document":null},"status":{"projectionSchema":{"body":{"type":"text"}}}}',
    );
  });

  it('the order of `$match`: gives pages', async () => {
    const paged = at('/v1/default_keyspace/paged');
    await keyspace(
      '{"createTable":{"name":"paged","definition":{"primaryKey":"id","columns":{"id":"int","body":"text"}}}}',
      ok,
    );
    await paged('{"createTextIndex":{"name":"paged_words","definition":{"column":"body"}}}', ok);
    const documents = Array.from({ length: 100 }, (_, id) => `{"id":${id},"body":"word w${id % 2}"}`);
    await send({ path: '/v1/default_keyspace/paged', body: `{"insertMany":{"documents":[${documents}]}}` });
    for (const [words, count] of [
      ['word', 100],
      ['word w1', 50],
      ['w1', 50],
    ] as const) {
      const ids: number[] = [];
      for (let pageState: string | null = ''; pageState !== null; ) {
        const body = { find: { filter: { body: { $match: words } }, options: { pageState } } };
        const { text } = await send({ path: '/v1/default_keyspace/paged', body: JSON.stringify(body) });
        const { data } = JSON.parse(text);
        ids.push(...data.documents.map(({ id }: { readonly id: number }) => id));
        pageState = data.nextPageState;
      }
      assert.equal(new Set(ids).size, count, words);
      assert.equal(ids.length, count, words);
    }
  });

  const invalid = 'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed';
  const cases: readonly (readonly [filter: string, problem: string, fact: string])[] = [
    ['{"body":{"$match":7}}', invalid, '$match needs a string'],
    ['{"body":{"$match":null}}', invalid, '$match needs a string'],
    ['{"$not":{"body":{"$match":"tree"}}}', invalid, 'cannot stand under $not'],
    [
      `{"body":{"$match":"${Array.from({ length: 101 }, (_, at) => `w${at}`).join(' ')}"}}`,
      invalid,
      '101 different words',
    ],
    ['{"no":{"$match":"x"}}', 'FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table', 'no'],
    [
      '{"code":{"$match":"x"}}',
      'FILTER CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS: Text search needs a text index',
      'code(ascii).\nColumns with a text index: body(text), title(text).',
    ],
    [
      '{"tags":{"$match":"x"}}',
      'FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column',
      'tags',
    ],
    ...['{"$lexical":"x"}', '{"$hybrid":{"$eq":"x"}}', '{"$vectorize":{"$eq":"x"}}'].map(
      (filter) =>
        [filter, 'FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table', filter.slice(2, 9)] as const,
    ),
    ['{"$vectorize":"x"}', invalid, '$vectorize'],
  ];
  for (const [filter, problem, fact] of cases) {
    it(`is refused: ${filter.slice(0, 60)}`, () =>
      notes(`{"find":{"filter":${filter}}}`, refused(problem), fact));
  }

  it('is refused where only the key can select rows', async () => {
    const problem =
      'FILTER UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE: Filter on other columns than the primary key';
    await notes('{"deleteMany":{"filter":{"body":{"$match":"tree"}}}}', refused(problem));
    await notes('{"deleteOne":{"filter":{"id":1,"body":{"$match":"tree"}}}}', refused(problem));
    await notes(
      '{"updateOne":{"filter":{"id":1,"body":{"$match":"tree"}},"update":{"$set":{"n":1}}}}',
      refused(problem),
    );
  });
});

describe('the sort by words', () => {
  it('a sort by words: gives the rows with all words, best first', async () => {
    await sorts('fish', [3]);
    await sorts('tree', [1, 2]);
    await sorts('toadstool', []);
    await sorts('the tree plain', [2]);
    await sorts('tree', [1], ',"options":{"limit":1,"skip":0}');
    await sorts('tree', [1, 2], ',"options":{"limit":100000}');
    await sorts('tree', [2], ',"filter":{"n":2}', [missingIndex]);
    await sorts('tree', [2], ',"filter":{"body":{"$match":"plain"}}', []);
    await sorts('tree', [], ',"filter":{"body":{"$match":"."}}', []);
  });

  it('counts words and lengths', async () => {
    await keyspace(
      '{"createTable":{"name":"counted","definition":{"primaryKey":"id","columns":{"id":"int","body":"text"}}}}',
      ok,
    );
    const counted = at('/v1/default_keyspace/counted');
    await counted(
      '{"createTextIndex":{"name":"counted_words","definition":{"column":"body","options":{"analyzer":"WHITESPACE"}}}}',
      ok,
    );
    const texts = ['apple', 'apple apple', 'apple apple apple', 'tag1 tag2 tag3', 'tag2', 'tag2', 'Tag2'];
    const documents = texts.map((body, id) => JSON.stringify({ id, body }));
    await send({ path: '/v1/default_keyspace/counted', body: `{"insertMany":{"documents":[${documents}]}}` });
    const best = (words: string, ids: readonly number[]) =>
      counted(`{"find":{"sort":{"body":"${words}"},"projection":{"id":1}}}`, found(ids, [zeroFilters]));
    await best('apple', [2, 1, 0]);
    await best('tag2', [4, 5, 3]);
    await best('tag2 tag1', [3]);
  });

  it('shows no score', async () => {
    const options = '"options":{"includeSimilarity":true,"includeSortVector":true}';
    await sorts('fish', [3], `,${options}`);
    await notes(
      `{"findOne":{"sort":{"body":"tree"},"projection":{"id":1},${options}}}`,
      `{"data":{"document":{"id":1}},"status":{"projectionSchema":{"id":{"type":"int"}},
        "warnings":[<REQUEST ${zeroFilters}>]}}`,
    );
  });

  const sortCases: readonly (readonly [sort: string, problem: string, fact: string])[] = [
    ['{"$lexical":"x"}', 'SORT CANNOT_SORT_UNKNOWN_COLUMNS: Sort columns unknown in the table', '$lexical'],
    [
      '{"body":"x","title":"y"}',
      'SORT CANNOT_SORT_ON_SPECIAL_WITH_OTHERS: Search cannot be combined with a sort',
      'Searched by text: body, title.',
    ],
    [
      '{"body":"x","n":1}',
      'SORT CANNOT_SORT_ON_SPECIAL_WITH_OTHERS: Search cannot be combined with a sort',
      'Sorted: n.',
    ],
    [
      '{"code":"x"}',
      'SORT CANNOT_LEXICAL_SORT_NON_INDEXED_COLUMNS: Text search needs a text index',
      'Columns with a text index: body(text), title(text).',
    ],
    [
      '{"n":"x"}',
      'SORT CANNOT_VECTORIZE_SORT_NON_VECTOR_COLUMN: Search by text needs a vector or text column',
      'n(int)',
    ],
    ['{"body":" ."}', 'SORT SORT_CLAUSE_VALUE_INVALID: Value of a sort not usable', 'no words'],
  ];
  for (const [sort, problem, fact] of sortCases) {
    it(`is refused: ${sort}`, async () => {
      for (const command of ['find', 'findOne'])
        await notes(`{"${command}":{"sort":${sort}}}`, refused(problem), fact);
    });
  }

  it('has no pages', async () => {
    await notes(
      '{"find":{"sort":{"body":"x"},"options":{"skip":1}}}',
      refused('SORT CANNOT_LEXICAL_SORT_WITH_SKIP_OPTION: Skip not supported by text search'),
    );
    await notes(
      '{"find":{"sort":{"body":"x"},"options":{"pageState":"x"}}}',
      refused('SORT UNSUPPORTED_PAGINATION_WITH_IN_MEMORY_SORTING: Rows sorted in memory have no pages'),
    );
  });
});

describe('a text index that follows its rows', () => {
  it('finds the present words only', async () => {
    await notes(
      '{"updateOne":{"filter":{"id":1},"update":{"$set":{"body":"Mushrooms in the woods"}}}}',
      matched,
    );
    await finds('{"body":{"$match":"tree"}}', [2]);
    await finds('{"body":{"$match":"mushrooms woods"}}', [1]);
    await notes('{"updateOne":{"filter":{"id":3},"update":{"$unset":{"body":""}}}}', matched);
    await finds('{"body":{"$match":"fish"}}', []);
    await notes(
      '{"insertOne":{"document":{"id":3,"body":"A fish again"}}}',
      '{"status":{"insertedIds":[[3]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await finds('{"body":{"$match":"fish"}}', [3]);
    await notes('{"deleteOne":{"filter":{"id":2}}}', '{"status":{"deletedCount":-1}}');
    await sorts('tree', []);
  });

  it('is the same after a restart', async () => {
    await restart();
    await finds('{"body":{"$match":"woods"}}', [1]);
    await sorts('fish', [3]);
  });

  it('is empty after all rows were deleted', async () => {
    await notes('{"deleteMany":{"filter":{}}}', '{"status":{"deletedCount":-1}}');
    await finds('{"body":{"$match":"woods"}}', []);
    await notes(
      '{"insertOne":{"document":{"id":1,"body":"new woods"}}}',
      '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await sorts('woods', [1]);
    await notes('{"deleteMany":{}}', '{"status":{"deletedCount":-1}}');
    await sorts('woods', []);
  });

  it('keeps its column, and can be dropped', async () => {
    await notes(
      '{"alterTable":{"operation":{"drop":{"columns":["body"]}}}}',
      failed('SCHEMA CANNOT_DROP_INDEXED_COLUMNS: Indexed columns cannot be dropped'),
      'body_words',
    );
    await keyspace('{"dropIndex":{"name":"body_words"}}', ok);
    await notes(
      '{"find":{"sort":{"body":"x"}}}',
      refused('SORT CANNOT_LEXICAL_SORT_NON_INDEXED_COLUMNS: Text search needs a text index'),
      'Columns with a text index: title(text).',
    );
    await notes('{"alterTable":{"operation":{"drop":{"columns":["body"]}}}}', ok);
    await keyspace('{"dropTable":{"name":"notes"}}', ok);
  });
});

describe('createTextIndex', () => {
  const table = at('/v1/default_keyspace/texts');
  const create = (parts: string) => `{"createTextIndex":{"name":"ix","definition":${parts}}}`;
  const analyzed = (analyzer: string) => create(`{"column":"body","options":{"analyzer":${analyzer}}}`);

  it('needs a table', () =>
    keyspace(
      '{"createTable":{"name":"texts","definition":{"primaryKey":{"partitionBy":["id"],"partitionSort":{"at":1}},"columns":{"id":"text","at":"text","body":"text","code":"ascii","n":"int"}}}}',
      ok,
    ));

  const unsupported = 'SCHEMA UNSUPPORTED_TEXT_INDEX_FOR_DATA_TYPES: Column cannot have a text index';
  const definition = 'SCHEMA INVALID_INDEX_DEFINITION: Analyzer of a text index not valid';
  const kind = 'SCHEMA UNSUPPORTED_JSON_TYPE_FOR_TEXT_INDEX: Analyzer of a text index of an unsupported kind';
  const cases: readonly (readonly [body: string, problem: string, fact: string])[] = [
    [create('{"column":"no"}'), 'SCHEMA UNKNOWN_INDEX_COLUMN: Column of the index unknown', '"no"'],
    [create('{"column":"code"}'), unsupported, 'code(ascii) is not a text column'],
    [create('{"column":"n"}'), unsupported, 'n(int) is not a text column'],
    [create('{"column":"id"}'), unsupported, 'id(text) is in the primary key'],
    [create('{"column":"at"}'), unsupported, 'at(text) is in the primary key'],
    [analyzed('"arabic"'), definition, 'the analyzer "arabic" is unknown'],
    [analyzed('{}'), definition, 'needs a tokenizer'],
    [analyzed('{"filters":[{"name":"synonym"}]}'), definition, 'the filter "synonym" is unknown'],
    [analyzed('["standard"]'), kind, 'an array'],
    [analyzed('5'), kind, 'the number 5'],
    [analyzed('true'), kind, 'true'],
    [analyzed('null'), kind, 'null'],
    [
      '{"createTextIndex":{"name":"no-name","definition":{"column":"body"}}}',
      'SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported',
      'no-name',
    ],
    [
      '{"createTextIndex":{"name":"ix","definition":{"column":"body"},"indexType":"Vector"}}',
      'SCHEMA UNSUPPORTED_INDEX_TYPE: Index type belongs to another command',
      'vector',
    ],
    [
      '{"createTextIndex":{"name":"ix","definition":{"column":"body"},"indexType":"words"}}',
      'SCHEMA UNKNOWN_INDEX_TYPE: Index type unknown',
      'words',
    ],
  ];
  for (const [body, problem, fact] of cases) {
    it(`is refused: ${body.slice(30)}`, () => table(body, failed(problem), fact));
  }

  it('a text index on a column that cannot have one: is refused for columns of the key', () =>
    table(create('{"column":"at"}'), failed(unsupported), 'at(text) is in the primary key'));

  it('analyzers of text indexes: are refused by name if they are missing', () =>
    table(
      analyzed('{"tokenizer":{"name":"thai"}}'),
      failed(definition),
      'the tokenizer "thai" is unknown; known: standard, whitespace, letter, keyword, ngram, pattern',
    ));

  it('is refused with another structure', async () => {
    await table(
      create('{"column":{"body":"$values"}}'),
      failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'),
      'a string',
    );
    await table(
      '{"createTextIndex":{"name":"","definition":{"column":"body"}}}',
      failed('SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported'),
    );
    await table(
      create('{"column":"body","analyzer":"standard"}'),
      failed('COMMAND_FIELD_UNKNOWN: Command field unknown'),
    );
  });

  it('is done once for each name and each column', async () => {
    const exists = failed('SCHEMA CANNOT_ADD_EXISTING_INDEX: Index exists');
    await table(analyzed('"Keyword"'), ok);
    await table(analyzed('"standard"'), exists, 'ix');
    await table(
      '{"createTextIndex":{"name":"ix","definition":{"column":"body"},"options":{"ifNotExists":true}}}',
      ok,
    );
    await table('{"createTextIndex":{"name":"other","definition":{"column":"body"}}}', exists, 'ix');
    await table('{"createIndex":{"name":"regular","definition":{"column":"body"}}}', ok);
    await table('{"listIndexes":{}}', '{"status":{"indexes":["ix","regular"]}}');
    await keyspace('{"dropIndex":{"name":"ix","options":{"ifExists":true}}}', ok);
  });

  it('limits the texts of its column', async () => {
    const tooLong = 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded';
    const write = (text: string) => `{"insertOne":{"document":{"id":"a","at":"b","body":"${text}"}}}`;
    await table(analyzed('{"tokenizer":{"name":"ngram","args":{"minGramSize":"1","maxGramSize":"50"}}}'), ok);
    const fact = 'the text has 5243 characters, and its text index allows at most 5242';
    await table(write('x'.repeat(5_243)), refused(tooLong), fact);
    await table(
      `{"updateOne":{"filter":{"id":"a","at":"b"},"update":{"$set":{"body":"${'x'.repeat(5_243)}"}}}}`,
      refused(tooLong),
      fact,
    );
    await keyspace('{"dropIndex":{"name":"ix"}}', ok);
    await table(write('x'.repeat(5_243)), inserted);
  });

  it('is refused over longer texts (embedded)', async () => {
    await table(
      analyzed('{"tokenizer":{"name":"ngram","args":{"minGramSize":"1","maxGramSize":"50"}}}'),
      failed(unsupported),
      'texts of more than 5242 characters, in the rows with the keys ["a","b"]',
    );
  });
});
