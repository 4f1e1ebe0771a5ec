// The commands of collections and their members, row by row of the contract: creation, lists, counts, other tables,
// the members that each command knows, and which error comes first.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { collectionSteps, eachRow } from './collection-steps.js';
import { useWireServer } from './wire-server.js';

const server = useWireServer();
const { create, insert, codes, send } = collectionSteps(server);
const ok = '{"status":{"ok":1}}';
const lexical = '"lexical":{"enabled":true,"analyzer":"standard"}';
const rerank =
  '"rerank":{"enabled":true,"service":{"provider":"colonnade","modelName":"reciprocal-rank-fusion"}}';
const service = '{"provider":"colonnade","modelName":"hashed-ngrams"}';
const invalidOptions = 'SCHEMA INVALID_CREATE_COLLECTION_OPTIONS';
const value = 'COMMAND_FIELD_VALUE_INVALID';

describe('createCollection (1.3)', () => {
  /** What findCollections shows of a collection with these options. */
  async function shown(options: string): Promise<string> {
    const created = await send(`{"createCollection":{"name":"shown","options":${options}}}`);
    if (created !== ok) return created;
    const text = await send('{"findCollections":{"options":{"explain":true}}}');
    await send('{"deleteCollection":{"name":"shown"}}');
    return /\{"name":"shown","options":(.*?\})\}(?:,\{"name"|\]\}\}$)/.exec(text)?.[1] ?? text;
  }
  const vector = (members: string) => `{"vector":{${members}},${lexical},${rerank}}`;
  eachRow(
    [
      ['no options', '{}', `{${lexical},${rerank}}`],
      ['null', 'null', `{${lexical},${rerank}}`],
      [
        'defaultId',
        '{"defaultId":{"type":"uuidv7"}}',
        `{"defaultId":{"type":"uuidv7"},${lexical},${rerank}}`,
      ],
      ['an empty defaultId', '{"defaultId":{}}', `{${lexical},${rerank}}`],
      [
        'dimension',
        '{"vector":{"dimension":3}}',
        vector('"dimension":3,"metric":"cosine","sourceModel":"other"'),
      ],
      [
        'size and function',
        '{"vector":{"size":3,"function":"euclidean"}}',
        vector('"dimension":3,"metric":"euclidean","sourceModel":"other"'),
      ],
      [
        'sourceModel sets the metric',
        '{"vector":{"dimension":3,"sourceModel":"bert"}}',
        vector('"dimension":3,"metric":"dot_product","sourceModel":"bert"'),
      ],
      [
        'sourceModel and metric',
        '{"vector":{"dimension":3,"sourceModel":"openai-v3-small","metric":"cosine"}}',
        vector('"dimension":3,"metric":"cosine","sourceModel":"openai-v3-small"'),
      ],
      [
        'a service has a dimension',
        `{"vector":{"service":${service}}}`,
        vector(`"dimension":384,"metric":"cosine","sourceModel":"other","service":${service}`),
      ],
      [
        'a service with a dimension',
        `{"vector":{"service":${service},"dimension":64}}`,
        vector(`"dimension":64,"metric":"cosine","sourceModel":"other","service":${service}`),
      ],
      [
        'a service with empty members, as they were sent',
        `{"vector":{"service":${service.slice(0, -1)},"authentication":{},"parameters":{}},"dimension":64}}`,
        vector(
          `"dimension":64,"metric":"cosine","sourceModel":"other",` +
            `"service":${service.slice(0, -1)},"authentication":{},"parameters":{}}`,
        ),
      ],
      [
        'indexing allow',
        '{"indexing":{"allow":["a","a.b"]}}',
        `{"indexing":{"allow":["a","a.b"]},${lexical},${rerank}}`,
      ],
      ['indexing deny', '{"indexing":{"deny":["*"]}}', `{"indexing":{"deny":["*"]},${lexical},${rerank}}`],
      [
        'indexing of everything',
        '{"indexing":{"allow":["*"]}}',
        `{"indexing":{"allow":["*"]},${lexical},${rerank}}`,
      ],
      ['lexical off', '{"lexical":{"enabled":false}}', `{"lexical":{"enabled":false},${rerank}}`],
      [
        'lexical off with an empty analyzer',
        '{"lexical":{"enabled":false,"analyzer":{}}}',
        `{"lexical":{"enabled":false},${rerank}}`,
      ],
      ['lexical without an analyzer', '{"lexical":{"enabled":true}}', `{${lexical},${rerank}}`],
      [
        'lexical with an empty analyzer',
        '{"lexical":{"enabled":true,"analyzer":{}}}',
        `{${lexical},${rerank}}`,
      ],
      [
        'lexical with a name',
        '{"lexical":{"enabled":true,"analyzer":"english"}}',
        `{"lexical":{"enabled":true,"analyzer":"english"},${rerank}}`,
      ],
      [
        'lexical with parts',
        '{"lexical":{"enabled":true,"analyzer":{"tokenizer":{"name":"standard"},"filters":[{"name":"lowercase"}],"charFilters":null}}}',
        `{"lexical":{"enabled":true,"analyzer":{"tokenizer":{"name":"standard"},"filters":[{"name":"lowercase"}]}},${rerank}}`,
      ],
      ['rerank off', '{"rerank":{"enabled":false}}', `{${lexical},"rerank":{"enabled":false}}`],
      ['rerank without a service', '{"rerank":{"enabled":true}}', `{${lexical},${rerank}}`],
    ],
    shown,
  );
  eachRow(
    [
      ['an unknown option', '{"x":1}', 'INVALID_CREATE_COLLECTION_FIELD'],
      ['in defaultId', '{"defaultId":{"x":1}}', 'INVALID_CREATE_COLLECTION_FIELD'],
      ['in indexing', '{"indexing":{"x":1}}', 'INVALID_CREATE_COLLECTION_FIELD'],
      ['in vector', '{"vector":{"x":1}}', 'INVALID_CREATE_COLLECTION_FIELD'],
      ['in lexical', '{"lexical":{"enabled":true,"x":1}}', 'COMMAND_FIELD_UNKNOWN'],
      ['in rerank', '{"rerank":{"enabled":true,"x":1}}', 'COMMAND_FIELD_UNKNOWN'],
      [
        'in a service',
        '{"vector":{"service":{"provider":"openai","modelName":"m","x":1}}}',
        'COMMAND_FIELD_UNKNOWN',
      ],
      ['defaultId of another kind', '{"defaultId":{"type":"int"}}', value],
      ['dimension 0', '{"vector":{"dimension":0}}', value],
      ['dimension above 4096', '{"vector":{"dimension":4097}}', 'SCHEMA VECTOR_SEARCH_TOO_BIG_VALUE'],
      ['metric', '{"vector":{"dimension":2,"metric":"manhattan"}}', value],
      ['sourceModel', '{"vector":{"dimension":2,"sourceModel":"gpt"}}', value],
      ['neither dimension nor service', '{"vector":{}}', invalidOptions],
      ['metric alone', '{"vector":{"metric":"cosine"}}', invalidOptions],
      ['a service without a provider', '{"vector":{"service":{"modelName":"m"}}}', invalidOptions],
      ['an unknown provider', '{"vector":{"service":{"provider":"x","modelName":"m"}}}', invalidOptions],
      ['an unknown model', '{"vector":{"service":{"provider":"openai","modelName":"m"}}}', invalidOptions],
      [
        'a parameter',
        `{"vector":{"service":{"provider":"colonnade","modelName":"hashed-ngrams","parameters":{"a":"b"}}}}`,
        invalidOptions,
      ],
      [
        'a dimension that the model does not have',
        `{"vector":{"service":${service},"dimension":7}}`,
        invalidOptions,
      ],
      ['allow and deny', '{"indexing":{"allow":["a"],"deny":["b"]}}', 'SCHEMA INVALID_INDEXING_DEFINITION'],
      ['neither of them', '{"indexing":{}}', 'SCHEMA INVALID_INDEXING_DEFINITION'],
      ['a path twice', '{"indexing":{"allow":["a","a"]}}', 'SCHEMA INVALID_INDEXING_DEFINITION'],
      ['an empty path', '{"indexing":{"deny":[""]}}', 'SCHEMA INVALID_INDEXING_DEFINITION'],
      ['a path with $', '{"indexing":{"deny":["$x"]}}', 'SCHEMA INVALID_INDEXING_DEFINITION'],
      ['a bad escape', '{"indexing":{"deny":["a&"]}}', 'SCHEMA INVALID_INDEXING_DEFINITION'],
      ['lexical without enabled', '{"lexical":{}}', invalidOptions],
      ['an unknown analyzer', '{"lexical":{"enabled":true,"analyzer":"klingon"}}', invalidOptions],
      ['an analyzer with other members', '{"lexical":{"enabled":true,"analyzer":{"x":1}}}', invalidOptions],
      ['an analyzer of another kind', '{"lexical":{"enabled":true,"analyzer":5}}', invalidOptions],
      ['an analyzer while off', '{"lexical":{"enabled":false,"analyzer":"standard"}}', invalidOptions],
      ['rerank without enabled', '{"rerank":{}}', invalidOptions],
      ['a service while off', '{"rerank":{"enabled":false,"service":{"provider":"nvidia"}}}', invalidOptions],
      [
        'an unknown reranking provider',
        '{"rerank":{"enabled":true,"service":{"provider":"x","modelName":"m"}}}',
        invalidOptions,
      ],
      [
        'a reranking service without a model',
        '{"rerank":{"enabled":true,"service":{"provider":"colonnade"}}}',
        invalidOptions,
      ],
      [
        'an unknown reranking model',
        '{"rerank":{"enabled":true,"service":{"provider":"colonnade","modelName":"x"}}}',
        invalidOptions,
      ],
      [
        'parameters of a reranking service',
        '{"rerank":{"enabled":true,"service":{"provider":"colonnade","modelName":"reciprocal-rank-fusion","parameters":{"a":1}}}}',
        invalidOptions,
      ],
    ],
    (options) => codes(`{"createCollection":{"name":"refused","options":${options}}}`),
  );
  it('`*` in `indexing`: stands alone', async () => {
    const body = '{"createCollection":{"name":"refused","options":{"indexing":{"allow":["*","a"]}}}}';
    assert.equal(await codes(body), 'SCHEMA INVALID_INDEXING_DEFINITION');
  });
  eachRow(
    [
      ['a hyphen', '"name":"a-b"', 'SCHEMA UNSUPPORTED_SCHEMA_NAME'],
      ['49 characters', `"name":"${'a'.repeat(49)}"`, 'SCHEMA UNSUPPORTED_SCHEMA_NAME'],
      ['empty', '"name":""', 'SCHEMA UNSUPPORTED_SCHEMA_NAME'],
      ['null', '"name":null', 'SCHEMA UNSUPPORTED_SCHEMA_NAME'],
      ['missing', '"options":{}', 'SCHEMA UNSUPPORTED_SCHEMA_NAME'],
      ['an unknown member', '"name":"a","x":1', 'COMMAND_FIELD_UNKNOWN'],
    ],
    (members) => codes(`{"createCollection":{${members}}}`),
  );
  it('names have 48 characters, and a case', async () => {
    for (const name of ['a'.repeat(48), '_1', 'Coll', 'coll']) {
      assert.equal(await send(`{"createCollection":{"name":"${name}"}}`), ok);
    }
    await insert('Coll', '{"_id":1}');
    assert.equal(await send('{"countDocuments":{}}', 'coll'), '{"status":{"count":0}}');
    for (const name of ['a'.repeat(48), '_1', 'Coll', 'coll'])
      await send(`{"deleteCollection":{"name":"${name}"}}`);
  });

  describe('again', () => {
    const different = 'SCHEMA EXISTING_COLLECTION_DIFFERENT_SETTINGS';
    const all = '"defaultId":{"type":"uuid"},"vector":{"dimension":2},"indexing":{"deny":["a","b"]}';
    before(() => create('again', `{${all},"lexical":{"enabled":false},"rerank":{"enabled":false}}`));
    eachRow(
      [
        ['the same', `{${all},"lexical":{"enabled":false},"rerank":{"enabled":false}}`, ok],
        ['lexical and rerank omitted', `{${all}}`, ok],
        ['indexing in another order', `{${all.replace('"a","b"', '"b","a"')}}`, ok],
        ['lexical on', `{${all},"lexical":{"enabled":true}}`, different],
        ['rerank on', `{${all},"rerank":{"enabled":true}}`, different],
        [
          'another metric',
          `{${all.replace('"dimension":2', '"dimension":2,"metric":"dot_product"')}}`,
          different,
        ],
        [
          'another source model',
          `{${all.replace('"dimension":2', '"dimension":2,"metric":"cosine","sourceModel":"bert"')}}`,
          different,
        ],
        ['another dimension', `{${all.replace('2', '3')}}`, different],
        ['a service', `{${all.replace('"dimension":2', `"dimension":64,"service":${service}`)}}`, different],
        ['without vector', '{"defaultId":{"type":"uuid"},"indexing":{"deny":["a","b"]}}', different],
        ['without indexing', '{"defaultId":{"type":"uuid"},"vector":{"dimension":2}}', different],
        ['without defaultId', '{"vector":{"dimension":2},"indexing":{"deny":["a","b"]}}', different],
      ],
      (options) => codes(`{"createCollection":{"name":"again","options":${options}}}`),
    );
  });
  it('switches of features: headers have no effect', async () => {
    const off = { 'feature-flag-lexical': 'false', 'feature-flag-reranking': 'false' };
    const headers = { 'content-type': 'application/json', ...off };
    const body =
      '{"createCollection":{"name":"switched","options":{"lexical":{"enabled":true},"rerank":{"enabled":true}}}}';
    assert.equal((await server.send({ path: '/v1/default_keyspace', body, headers })).text, ok);
    await send('{"deleteCollection":{"name":"switched"}}');
  });
  it('quotas of collections: there are none', async () => {
    for (let at = 0; at < 12; at += 1) await create(`many${at}`);
    for (let at = 0; at < 12; at += 1) await send(`{"deleteCollection":{"name":"many${at}"}}`);
  });
});

describe('deleteCollection and findCollections (1.4)', () => {
  it('need no collection, and a name', async () => {
    assert.equal(await send('{"deleteCollection":{"name":"none"}}'), ok);
    assert.equal(await codes('{"deleteCollection":{"name":""}}'), value);
    assert.equal(
      await codes('{"deleteCollection":{"name":"a","options":{"x":1}}}'),
      'COMMAND_ACCEPTS_NO_OPTIONS',
    );
    assert.equal(await codes('{"findCollections":{"options":{"x":1}}}'), 'COMMAND_FIELD_UNKNOWN');
  });
  it('find no keyspace', async () => {
    for (const body of [
      '{"deleteCollection":{"name":"a"}}',
      '{"findCollections":{}}',
      '{"createCollection":{"name":"a"}}',
    ]) {
      const { text } = await server.send({ path: '/v1/nowhere', body });
      assert.ok(text.includes('"UNKNOWN_KEYSPACE"'), text);
    }
  });
  it('delete documents, also when a collection is created again', async () => {
    await create('gone');
    await insert('gone', '{"_id":1}');
    assert.equal(await send('{"deleteCollection":{"name":"gone"}}'), ok);
    assert.equal(await codes('{"find":{}}', 'gone'), 'SCHEMA UNKNOWN_COLLECTION_OR_TABLE');
    await create('gone');
    assert.equal(await send('{"countDocuments":{}}', 'gone'), '{"status":{"count":0}}');
  });
});

describe('members and options of commands (1.2)', () => {
  before(async () => {
    await create('m');
    await insert('m', '{"_id":1}');
  });
  for (const [command, members] of [
    ['insertOne', '"document":{"_id":"x"}'],
    ['deleteOne', '"filter":{"_id":"x"}'],
    ['deleteMany', '"filter":{"_id":"x"}'],
    ['countDocuments', '"filter":{"_id":"x"}'],
    ['estimatedDocumentCount', ''],
  ] as const) {
    it(`${command} has no options`, async () => {
      const body = (more: string) =>
        `{"${command}":{${members}${members === '' ? '' : ','}"options":${more}}}`;
      assert.equal(await codes(body('{"a":1}'), 'm'), 'COMMAND_ACCEPTS_NO_OPTIONS');
      for (const empty of ['null', '{}']) {
        assert.ok((await codes(body(empty), 'm')).startsWith('{"status"'));
        await send('{"deleteOne":{"filter":{"_id":"x"}}}', 'm');
      }
    });
  }
  eachRow(
    [
      ['insertOne: another member', '{"insertOne":{"document":{},"x":1}}', 'COMMAND_FIELD_UNKNOWN'],
      ['insertOne: no document', '{"insertOne":{}}', value],
      ['insertMany: no documents', '{"insertMany":{}}', value],
      [
        'insertMany: another option',
        '{"insertMany":{"documents":[{}],"options":{"x":1}}}',
        'COMMAND_FIELD_UNKNOWN',
      ],
      ['find: another option', '{"find":{"options":{"x":1}}}', 'COMMAND_FIELD_UNKNOWN'],
      ['findOne: limit', '{"findOne":{"options":{"limit":1}}}', 'COMMAND_FIELD_UNKNOWN'],
      ['findOneAndUpdate: no update', '{"findOneAndUpdate":{"filter":{}}}', value],
      [
        'findOneAndUpdate: another option',
        '{"findOneAndUpdate":{"update":{},"options":{"x":1}}}',
        'COMMAND_FIELD_UNKNOWN',
      ],
      [
        'findOneAndUpdate: a bad returnDocument',
        '{"findOneAndUpdate":{"update":{},"options":{"returnDocument":"x"}}}',
        value,
      ],
      ['findOneAndDelete: options', '{"findOneAndDelete":{"options":{}}}', 'COMMAND_FIELD_UNKNOWN'],
      ['updateOne: projection', '{"updateOne":{"update":{},"projection":{}}}', 'COMMAND_FIELD_UNKNOWN'],
      [
        'updateOne: returnDocument',
        '{"updateOne":{"update":{},"options":{"returnDocument":"after"}}}',
        'COMMAND_FIELD_UNKNOWN',
      ],
      ['updateMany: a sort', '{"updateMany":{"update":{},"sort":{"a":1}}}', 'COMMAND_FIELD_UNKNOWN'],
      ['updateMany: no update', '{"updateMany":{"filter":{}}}', value],
      ['deleteOne: no filter', '{"deleteOne":{}}', value],
      ['deleteMany: a sort', '{"deleteMany":{"sort":{}}}', 'COMMAND_FIELD_UNKNOWN'],
      ['countDocuments: a sort', '{"countDocuments":{"sort":{}}}', 'COMMAND_FIELD_UNKNOWN'],
      [
        'estimatedDocumentCount: a filter',
        '{"estimatedDocumentCount":{"filter":{}}}',
        'COMMAND_FIELD_UNKNOWN',
      ],
      ['a limit that is text', '{"find":{"options":{"limit":"1"}}}', 'REQUEST_STRUCTURE_MISMATCH'],
      ['several bad values', '{"find":{"options":{"limit":0,"skip":-1}}}', `${value}, ${value}`],
      ['an unknown command', '{"aggregate":{}}', 'COMMAND_UNKNOWN'],
    ],
    (body) => codes(body, 'm'),
  );
  for (const name of ['replaceOne', 'distinct', 'bulkWrite', 'alterCollection'])
    it(`there is no ${name}`, async () =>
      assert.equal(await codes(`{"${name}":{}}`, 'm'), 'COMMAND_UNKNOWN'));
  eachRow(
    [
      [
        'find',
        '{"find":{"filter":null,"sort":null,"options":null}}',
        '{"data":{"documents":[{"_id":1}],"nextPageState":null}}',
      ],
      ['findOne', '{"findOne":{}}', '{"data":{"document":{"_id":1}}}'],
      ['findOne of nothing', '{"findOne":{"filter":{"_id":9}}}', '{"data":{"document":null}}'],
      ['countDocuments', '{"countDocuments":{"filter":null}}', '{"status":{"count":1}}'],
      ['estimatedDocumentCount', '{"estimatedDocumentCount":{}}', '{"status":{"count":1}}'],
      [
        'updateOne',
        '{"updateOne":{"filter":null,"sort":null,"update":{},"options":null}}',
        '{"status":{"matchedCount":1,"modifiedCount":0}}',
      ],
    ],
    (body) => send(body, 'm'),
  );
});

describe('counts (1.11)', () => {
  it('go up to 1000', async () => {
    await create('counted');
    for (let from = 0; from < 1_000; from += 100)
      await insert('counted', ...Array.from({ length: 100 }, (_, at) => `{"_id":${from + at},"k":1}`));
    const count = (filter: string) => send(`{"countDocuments":{"filter":${filter}}}`, 'counted');
    assert.equal(await count('{}'), '{"status":{"count":1000}}');
    assert.equal(await count('{"k":1}'), '{"status":{"count":1000}}');
    await insert('counted', '{"k":1}');
    assert.equal(await count('{}'), '{"status":{"count":1000,"moreData":true}}');
    assert.equal(await count('{"k":1}'), '{"status":{"count":1000,"moreData":true}}');
    assert.equal(await count('{"_id":{"$lt":10}}'), '{"status":{"count":10}}');
  });
  it('are exact beyond that where they are estimated (embedded)', async () => {
    assert.equal(await send('{"estimatedDocumentCount":{}}', 'counted'), '{"status":{"count":1001}}');
  });
});

describe('collections beside tables (11.1)', () => {
  const definition = '"definition":{"columns":{"id":"int","a":"text"},"primaryKey":"id"}';
  before(async () => {
    await create('coll', '{"vector":{"dimension":2}}');
    await insert('coll', '{"_id":1}');
    assert.equal(await send(`{"createTable":{"name":"tab",${definition}}}`), ok);
  });
  it('one name space', async () => {
    assert.equal(
      await codes('{"createCollection":{"name":"tab"}}'),
      'SCHEMA EXISTING_TABLE_NOT_DATA_API_COLLECTION',
    );
    assert.equal(
      await codes(`{"createTable":{"name":"coll",${definition}}}`),
      'SCHEMA CANNOT_ADD_EXISTING_TABLE',
    );
    assert.equal(
      await send(`{"createTable":{"name":"coll",${definition},"options":{"ifNotExists":true}}}`),
      ok,
    );
    assert.equal(await send('{"countDocuments":{}}', 'coll'), '{"status":{"count":1}}');
  });
  it('each list has its kind', async () => {
    assert.equal(await send('{"listTables":{}}'), '{"status":{"tables":["tab"]}}');
    const text = await send('{"findCollections":{}}');
    assert.ok(text.includes('"coll"') && !text.includes('"tab"'), text);
  });
  it('`deleteCollection` of a table, `dropTable` of a collection: are refused', async () => {
    assert.equal(await codes('{"deleteCollection":{"name":"tab"}}'), 'SCHEMA UNKNOWN_COLLECTION_OR_TABLE');
    assert.equal(await codes('{"dropTable":{"name":"coll"}}'), 'SCHEMA CANNOT_DROP_UNKNOWN_TABLE');
    assert.equal(await send('{"dropTable":{"name":"coll","options":{"ifExists":true}}}'), ok);
    assert.equal(await send('{"countDocuments":{}}', 'coll'), '{"status":{"count":1}}');
    for (const [command, message] of [
      [
        '{"deleteCollection":{"name":"tab"}}',
        /tab is a table of .+, and not a collection\.\\nDrop it with dropTable\./,
      ],
      ['{"dropTable":{"name":"coll"}}', /coll is a collection of .+\.\\nDelete it with deleteCollection\./],
      [
        `{"createTable":{"name":"coll",${definition}}}`,
        /already has a collection coll; .+ with deleteCollection\./,
      ],
    ] as const)
      assert.match(await send(command), message);
    for (const kind of ['vector', 'lexical'])
      assert.equal(
        await codes(`{"dropIndex":{"name":"coll_query_${kind}_value"}}`),
        'SCHEMA CANNOT_DROP_UNKNOWN_INDEX',
      );
  });
  it('a name of neither: is refused with the names of both, and the nearest', async () =>
    assert.match(
      await send('{"find":{}}', 'col'),
      /no table or collection \\"col\\"\. Did you mean \\"coll\\"\?\\nIts tables: tab\.\\nIts collections: .*coll\./,
    ));
  const notObjects: readonly (readonly [string, RegExp])[] = [
    ['{"find":{"filter":[]}}', /filter is not possible: it must be an object of paths and conditions/],
    ['{"find":{"projection":[]}}', /projection must be an object of names to include/],
    ['{"updateOne":{"update":[]}}', /update must be an object of operators, but is an array/],
    ['{"updateOne":{"update":{"$set":5}}}', /\$set needs an object of names and values/],
  ];
  for (const [command, message] of notObjects)
    it(`${command}: the message says what is expected of documents`, async () =>
      assert.match(await send(command, 'coll'), message));
  for (const name of ['alterTable', 'createIndex', 'createVectorIndex', 'createTextIndex', 'listIndexes'])
    it(`${name} is for tables`, async () =>
      assert.equal(await codes(`{"${name}":{}}`, 'coll'), 'UNSUPPORTED_COLLECTION_COMMAND'));
  const documentCommands = [
    'countDocuments',
    'estimatedDocumentCount',
    'findOneAndUpdate',
    'findOneAndReplace',
    'findOneAndDelete',
    'findAndRerank',
    'updateMany',
  ];
  for (const name of documentCommands)
    it(`${name} is for collections`, async () =>
      assert.equal(await codes(`{"${name}":{}}`, 'tab'), 'UNSUPPORTED_TABLE_COMMAND'));
  for (const [name, members] of [
    ['find', '"filter":{"a":1}'],
    ['findOne', ''],
    ['insertOne', '"document":{"a":1}'],
    ['insertMany', '"documents":[{"a":1}],"options":{"returnDocumentResponses":true,"ordered":true}'],
    ['updateOne', '"filter":{"_id":1},"update":{"$inc":{"a":1}},"sort":{"a":1},"options":{"upsert":true}'],
    ['deleteOne', '"filter":{},"sort":{"a":1}'],
    ['deleteMany', ''],
    ...documentCommands.map((command) => [command, ''] as const),
  ] as const) {
    it(`${name} finds no collection`, async () =>
      assert.equal(await codes(`{"${name}":{${members}}}`, 'unknown'), 'SCHEMA UNKNOWN_COLLECTION_OR_TABLE'));
  }
});

describe('the order of errors', () => {
  before(() => create('order', '{"indexing":{"deny":["secret"]}}'));
  eachRow(
    [
      ['structure before values', '{"find":{"x":1,"options":{"limit":0}}}', 'COMMAND_FIELD_UNKNOWN'],
      ['values before clauses', '{"find":{"filter":{"$x":1},"options":{"limit":0}}}', value],
      [
        'a bad filter before a bad sort',
        '{"find":{"filter":{"$x":1},"sort":{"a":2}}}',
        'FILTER FILTER_INVALID_EXPRESSION',
      ],
      [
        'a bad sort before a bad projection',
        '{"find":{"sort":{"a":2},"projection":{"a":"x"}}}',
        'SORT SORT_CLAUSE_VALUE_INVALID',
      ],
      [
        'a filter before an update',
        '{"updateOne":{"filter":{"secret":1},"update":{"a":1}}}',
        'FILTER FILTER_PATH_UNINDEXED',
      ],
      [
        '$hybrid before the documents',
        '{"insertMany":{"documents":[5,{"$hybrid":1}]}}',
        'HYBRID_FIELD_UNSUPPORTED_VALUE_TYPE',
      ],
      [
        '$vector of no use before the documents',
        '{"insertMany":{"documents":[5,{"$vector":[1]}]}}',
        'SCHEMA VECTOR_SEARCH_NOT_SUPPORTED',
      ],
      [
        '$vectorize of no use before the documents',
        '{"insertMany":{"documents":[{"_id":""},{"$vectorize":"a"}]}}',
        'SCHEMA EMBEDDING_SERVICE_NOT_CONFIGURED',
      ],
      [
        'a lookup before the kind of command',
        '{"countDocuments":{"filter":5}}',
        'FILTER FILTER_UNSUPPORTED_DATA_TYPE',
      ],
    ],
    (body) => codes(body, 'order'),
  );
  it('texts in commands with other errors: are not embedded', async () => {
    await create(
      'embedding',
      `{"vector":{"service":{"provider":"openai","modelName":"text-embedding-3-small"}}}`,
    );
    assert.equal(
      await codes('{"find":{"filter":{"$x":1},"sort":{"$vectorize":"a"}}}', 'embedding'),
      'FILTER FILTER_INVALID_EXPRESSION',
    );
    assert.match(
      await codes('{"find":{"sort":{"$vectorize":"a"}}}', 'embedding'),
      /^SERVER EMBEDDING_PROVIDER EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED$/,
    );
  });
});
