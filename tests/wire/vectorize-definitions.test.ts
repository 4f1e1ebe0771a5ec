// Services of vector columns: what can be defined, added, dropped and added again, and the list of providers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useEmbeddingWireServer } from './embedding-wire-server.js';
import { unbroken } from './wire-server.js';

const { at, send, restart, provider } = useEmbeddingWireServer();
const general = at('/v1');
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const notValid = failed('SCHEMA INVALID_CREATE_COLLECTION_OPTIONS: Service or options not valid');
/** One error for each problem. */
const twiceNotValid = notValid.replace(/<.*>/, '$&,$&');
const notTogether = failed(
  'SCHEMA INVALID_VECTORIZE_TABLE_CONFIGURATION: Embedding services are incompatible',
);

/** createTable with the key `id` and these further columns. */
function create(name: string, columns: string): string {
  return `{"createTable":{"name":"${name}","definition":{"columns":{"id":"int",${columns}},"primaryKey":"id"}}}`;
}

const alter = (operation: string) => `{"alterTable":{"operation":${operation}}}`;
const free = '{"provider":"free","modelName":"m"}';
const ours = '{"provider":"ours","modelName":"m"}';

/** A vector column as replies show it. */
function described(dimension: number, service?: string): string {
  const shown = service === undefined ? '' : `,"service":${service}`;
  return (
    `{"type":"vector","dimension":${dimension}${shown},"apiSupport":{"createTable":true,"insert":true,"read":true,` +
    `"filter":false,"cqlDefinition":"vector<float, ${dimension}>"}}`
  );
}

/** What listTables says of the columns of a table. */
async function expectColumns(table: string, columns: string): Promise<void> {
  const { text } = await send({
    path: '/v1/default_keyspace',
    body: '{"listTables":{"options":{"explain":true}}}',
  });
  const wanted = `{"name":"${table}","definition":{"columns":{"id":{"type":"int"},${unbroken(columns)}}`;
  assert.ok(text.includes(wanted), `${wanted}\nis not in\n${text}`);
}

describe('findEmbeddingProviders', () => {
  interface Provider {
    readonly displayName: string;
    readonly models: readonly {
      readonly name: string;
      readonly apiModelSupport: { readonly status: string };
    }[];
  }
  const find = async (payload: string): Promise<Readonly<Record<string, Provider>>> => {
    const { text } = await send({ path: '/v1', body: `{"findEmbeddingProviders":${payload}}` });
    const reply = JSON.parse(text) as { status: { embeddingProviders: Record<string, Provider> } }; // it succeeds
    return reply.status.embeddingProviders;
  };

  it('lists what is offered here, and neither what is off nor what is for other regions', async () => {
    assert.deepEqual(Object.keys(await find('{}')).sort(), [
      'azureOpenAI',
      'bedrock',
      'colonnade',
      'free',
      'huggingface',
      'huggingfaceDedicated',
      'impatient',
      'jinaAI',
      'nowhere',
      'nvidia',
      'openai',
      'ours',
      'stored',
      'upstageAI',
      'voyageAI',
    ]);
  });

  it('describes a provider in the form of the public API', async () => {
    const { openai, colonnade, bedrock } = await find('{}');
    const key = { accepted: 'x-embedding-api-key', forwarded: 'Authorization' };
    const parameter = { type: 'STRING', required: false, defaultValue: null, validation: {} };
    const dimension = (name: string, range: readonly [number, number], preset: string) => ({
      name,
      apiModelSupport: { status: 'SUPPORTED', message: null },
      vectorDimension: null,
      parameters: [
        {
          name: 'vectorDimension',
          type: 'number',
          required: true,
          defaultValue: preset,
          validation: { numericRange: range },
          help: 'The dimension of the vectors, in the column and at the provider.',
        },
      ],
    });
    assert.deepEqual(openai, {
      displayName: 'OpenAI',
      url: `${provider().origin}/v1`,
      supportedAuthentication: {
        NONE: { enabled: false, tokens: [] },
        HEADER: { enabled: true, tokens: [key] },
        SHARED_SECRET: { enabled: true, tokens: [{ ...key, accepted: 'providerKey' }] },
      },
      parameters: [
        {
          ...parameter,
          name: 'organizationId',
          help: 'The organization to which the requests are billed.',
          displayName: 'Organization ID',
          hint: 'Add an (optional) organization ID',
        },
        {
          ...parameter,
          name: 'projectId',
          help: 'The project to which the requests are billed.',
          displayName: 'Project ID',
          hint: 'Add an (optional) project ID',
        },
      ],
      models: [
        dimension('text-embedding-3-large', [256, 3072], '3072'),
        dimension('text-embedding-3-small', [2, 1536], '1536'),
        {
          name: 'text-embedding-ada-002',
          apiModelSupport: { status: 'SUPPORTED', message: null },
          vectorDimension: 1536,
          parameters: [],
        },
      ],
    });
    assert.match(colonnade?.displayName ?? '', /lexical: compares letters and words, not meaning/);
    assert.ok(bedrock);
  });

  it('region lists: they are never shown', async () => {
    const { text } = await send({ path: '/v1', body: '{"findEmbeddingProviders":{}}' });
    assert.doesNotMatch(text, /"regions?"\s*:/);
    assert.doesNotMatch(text, /local/);
  });

  it('lists supported models only, unless it is asked for others or all', async () => {
    const statuses = async (payload: string) => {
      const { ours: own } = await find(payload);
      return own?.models.map(({ name, apiModelSupport }) => `${name} ${apiModelSupport.status}`);
    };
    const supported = ['large SUPPORTED', 'm SUPPORTED', 'other SUPPORTED', 'unsaid SUPPORTED'];
    const all = [
      'gone END_OF_LIFE',
      'large SUPPORTED',
      'm SUPPORTED',
      'old DEPRECATED',
      ...supported.slice(2),
    ];
    for (const payload of ['{}', '{"options":null}', '{"options":{"filterModelStatus":"supported"}}'])
      assert.deepEqual(await statuses(payload), supported, payload);
    for (const payload of [
      '{"options":{}}',
      '{"options":{"filterModelStatus":null}}',
      '{"options":{"filterModelStatus":""}}',
    ])
      assert.deepEqual(await statuses(payload), all, payload);
    assert.deepEqual(await statuses('{"options":{"filterModelStatus":"DEPRECATED"}}'), ['old DEPRECATED']);
    assert.deepEqual(await statuses('{"options":{"filterModelStatus":"end_of_life"}}'), ['gone END_OF_LIFE']);
  });

  it('refuses another status, and other options', async () => {
    await general(
      '{"findEmbeddingProviders":{"options":{"filterModelStatus":"NEW"}}}',
      '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
      'command.options.filterModelStatus',
      'SUPPORTED, DEPRECATED, END_OF_LIFE',
    );
    await general(
      '{"findEmbeddingProviders":{"options":{"status":"NEW"}}}',
      '{"errors":[<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>]}',
    );
  });
});

describe('a service in a definition', () => {
  it('is listed, shown with rows, and kept over a restart', async () => {
    const service =
      '{"provider":"openai","modelName":"text-embedding-3-small","parameters":{"projectId":"p"}}';
    await keyspace(
      create('listed', `"v":{"type":"vector","service":${service}},"w":{"type":"vector","dimension":3}`),
      ok,
    );
    const columns = `"v":${described(1536, service)},"w":${described(3)}`;
    await expectColumns('listed', columns);
    await restart();
    await expectColumns('listed', columns);
    await at('/v1/default_keyspace/listed')(
      '{"findOne":{"filter":{"id":1}}}',
      `{"data":{"document":null},"status":{"projectionSchema":{"id":{"type":"int"},${columns}}}}`,
    );
  });

  const dimensions: readonly (readonly [service: string, given: string, dimension: number])[] = [
    ['{"provider":"ours","modelName":"large"}', '', 7],
    ['{"provider":"ours","modelName":"large"}', '"dimension":9,', 9],
    ['{"provider":"ours","modelName":"m"}', '"dimension":4,', 4],
    ['{"provider":"ours","modelName":"unsaid"}', '"dimension":"2",', 2],
    ['{"provider":"colonnade","modelName":"hashed-ngrams"}', '', 384],
  ];
  for (const [place, [service, given, dimension]] of dimensions.entries()) {
    it(`gives the column ${dimension} dimensions: ${given} ${service}`, async () => {
      await keyspace(create(`dimension${place}`, `"v":{"type":"vector",${given}"service":${service}}`), ok);
      await expectColumns(`dimension${place}`, `"v":${described(dimension, service)}`);
    });
  }

  const refused: readonly (readonly [service: string, reply: string, ...facts: readonly string[]])[] = [
    ['{}', notValid, '"provider" is missing; the providers are colonnade, openai'],
    ['{"provider":"no"}', notValid, 'the provider "no" is not known'],
    ['{"provider":"free"}', notValid, '"modelName" is missing; the models of free are m'],
    ['{"provider":"free","modelName":"n"}', notValid, 'the model "n" is not known'],
    [
      '{"provider":"openai","modelName":"text-embedding-3-small","parameters":{"x":1}}',
      notValid,
      'the parameter "x" is not known (organizationId, projectId)',
    ],
    [
      '{"provider":"openai","modelName":"text-embedding-3-small","parameters":{"vectorDimension":"256"}}',
      notValid,
      '"vectorDimension" is not a parameter of the service; set the "dimension" of the column instead',
    ],
    [
      '{"provider":"openai","modelName":"text-embedding-3-small","parameters":{"x":1,"projectId":1}}',
      twiceNotValid,
      'the parameter "x" is not known',
      'the parameter "projectId" must be a string',
    ],
    [
      '{"provider":"openai","modelName":"text-embedding-3-small","parameters":{"projectId":1}}',
      notValid,
      'the parameter "projectId" must be a string',
    ],
    [
      '{"provider":"openai","modelName":"text-embedding-3-small","parameters":{"projectId":"a b"}}',
      notValid,
      'without spaces',
    ],
    [
      '{"provider":"bedrock","modelName":"amazon.titan-embed-text-v1"}',
      notValid,
      'the parameter "region" is missing',
    ],
    [
      '{"provider":"bedrock","modelName":"amazon.titan-embed-text-v1","parameters":{"region":"evil.example/"}}',
      notValid,
      'a part of a host name',
    ],
    [
      '{"provider":"jinaAI","modelName":"jina-embeddings-v3","parameters":{"task":"cooking"}}',
      notValid,
      'one of retrieval.query, retrieval.passage',
    ],
    [
      '{"provider":"jinaAI","modelName":"jina-embeddings-v3","parameters":{"late_chunking":"yes"}}',
      notValid,
      'true or false',
    ],
    [
      '{"provider":"jinaAI","modelName":"jina-embeddings-v2-base-en","parameters":{"task":"separation"}}',
      notValid,
      'the parameter "task" is not known (there are none)',
    ],
    ['{"provider":"ours","modelName":"unsaid"}', notValid, 'needs a "dimension": 2, 4'],
    [
      '{"provider":"colonnade","modelName":"hashed-ngrams","authentication":{"providerKey":"k"}}',
      notValid,
      'does not use keys from the key store',
    ],
    ['{"provider":"stored","modelName":"m"}', notValid, 'uses keys from the key store only'],
    [
      '{"provider":"ours","modelName":"m","authentication":{"accessId":"k"}}',
      twiceNotValid,
      '"authentication" has "accessId"; the provider "ours" needs providerKey',
      '"authentication" lacks "providerKey"',
    ],
    [
      '{"provider":"bedrock","modelName":"amazon.titan-embed-text-v1","authentication":{"accessId":"k"}}',
      notValid,
      '"authentication" lacks "secretKey"',
    ],
    [
      '{"provider":"ours","modelName":"m","authentication":{"providerKey":"nobody"}}',
      failed('SCHEMA VECTORIZE_CREDENTIAL_INVALID: Credential not in the key store'),
      'The credential "nobody"',
    ],
    [
      '{"provider":"ours","modelName":"old"}',
      failed('SCHEMA DEPRECATED_AI_MODEL: Model deprecated'),
      'The model old of the provider ours is deprecated',
      'Take m.',
    ],
    [
      '{"provider":"ours","modelName":"gone"}',
      failed('SCHEMA END_OF_LIFE_AI_MODEL: Model no longer available'),
      'The model gone of the provider ours',
    ],
    ['{"provider":"free","model":"m"}', failed('COMMAND_FIELD_UNKNOWN: Command field unknown'), '"model"'],
    ['{"provider":7}', failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'), 'service.provider'],
    [
      '"free"',
      failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'),
      '.service must be an object',
    ],
    [
      '{"provider":"free","modelName":"m","parameters":{"x":[]}}',
      failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'),
      'service.parameters.x',
    ],
    [
      '{"provider":"free","modelName":"m","authentication":{"providerKey":7}}',
      failed('REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'),
      'authentication.providerKey',
    ],
  ];
  for (const [service, reply, ...facts] of refused) {
    it(`cannot be ${service}, in createTable and alterTable`, async () => {
      await keyspace(create('refused', `"v":{"type":"vector","service":${service}}`), reply, ...facts);
      await at('/v1/default_keyspace/listed')(
        alter(`{"add":{"columns":{"refused":{"type":"vector","service":${service}}}}}`),
        reply,
        ...facts,
      );
    });
  }

  for (const [given, service, ...facts] of [
    [5, free, 'the model "m" does not support 5 dimensions; it supports 4'],
    [10, '{"provider":"ours","modelName":"large"}', 'does not support 10 dimensions; it supports 2 to 9'],
    [3, '{"provider":"ours","modelName":"unsaid"}', 'does not support 3 dimensions; it supports 2, 4'],
  ] as const) {
    it(`cannot give ${given} dimensions: ${service}`, () =>
      keyspace(
        create('refused', `"v":{"type":"vector","dimension":${given},"service":${service}}`),
        notValid,
        ...facts,
      ));
  }

  it('a provider that is off or not for this region: it cannot be defined', async () => {
    const service = (name: string) =>
      `"v":{"type":"vector","service":{"provider":"${name}","modelName":"m"}}`;
    await keyspace(create('refused', service('off')), notValid, 'it is not enabled on this server');
    await keyspace(create('refused', service('elsewhere')), notValid, 'not available in the region "local"');
    await keyspace(create('refused', service('openaiCompatible')), notValid, 'it is not enabled');
  });
});

describe('services of one table', () => {
  const vector = (service: string, dimension = 4) =>
    `{"type":"vector","dimension":${dimension},"service":${service}}`;

  it('vectorize columns of one table: those with a service share it, others are free', async () => {
    const large = '{"provider":"ours","modelName":"large"}';
    const cases = [
      [vector(free), vector(ours)],
      [vector(ours), vector('{"provider":"ours","modelName":"other"}')],
      [vector(large, 4), vector(large, 5)],
    ];
    for (const [first, second] of cases) {
      await keyspace(
        create('mixed', `"v":${first},"w":${second}`),
        notTogether,
        'v(vector<float,4>)',
        'w(vector',
      );
    }
    await keyspace(
      create('mixed', `"v":${vector(free)},"w":${vector(free)},"x":{"type":"vector","dimension":9}`),
      ok,
    );
    const table = at('/v1/default_keyspace/mixed');
    await table(alter(`{"add":{"columns":{"y":${vector(ours)}}}}`), notTogether, 'y(vector<float,4>)');
    await table(alter(`{"add":{"columns":{"y":${vector(free)},"z":{"type":"vector","dimension":2}}}}`), ok);
    await table(alter(`{"addVectorize":{"columns":{"v":${ours}}}}`), notTogether);
    await expectColumns(
      'mixed',
      `"v":${described(4, free)},"w":${described(4, free)},"x":${described(9)},"y":${described(4, free)},"z":${described(2)}`,
    );
  });

  it('vectorize columns of one table: all of them may change together', async () => {
    const table = at('/v1/default_keyspace/mixed');
    await table(alter(`{"addVectorize":{"columns":{"v":${ours},"w":${ours},"y":${ours}}}}`), ok);
    await table(alter('{"dropVectorize":{"columns":["w","y"]}}'), ok);
    await table(alter(`{"addVectorize":{"columns":{"v":${free}}}}`), ok);
    await expectColumns(
      'mixed',
      `"v":${described(4, free)},"w":${described(4)},"x":${described(9)},"y":${described(4)},"z":${described(2)}`,
    );
  });
});

describe('addVectorize and dropVectorize', () => {
  const table = at('/v1/default_keyspace/switched');
  const insert = (id: number, vector: string) => `{"insertOne":{"document":{"id":${id},"v":${vector}}}}`;
  const stored = (id: number) =>
    `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`;
  const noService =
    '{"errors":[<REQUEST DOCUMENT UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION: Text for a vector column without service>]}';

  it('enable and disable: vectors stay, texts are refused in between, both over a restart', async () => {
    await keyspace(
      create(
        'switched',
        '"t":"text","v":{"type":"vector","dimension":4},"w":{"type":"vector","dimension":3}',
      ),
      ok,
    );
    await table(insert(1, '"a text"'), noService);
    await table(alter(`{"addVectorize":{"columns":{"v":${free}}}}`), ok);
    await expectColumns('switched', `"t":{"type":"text"},"v":${described(4, free)},"w":${described(3)}`);
    await table(insert(1, '"a text"'), stored(1));
    await table(alter('{"dropVectorize":{"columns":["v"]}}'), ok);
    await expectColumns('switched', `"t":{"type":"text"},"v":${described(4)},"w":${described(3)}`);
    await table(insert(2, '"a text"'), noService);
    await table(insert(2, '[1,2,3,4]'), stored(2));
    await restart();
    await table(insert(3, '"a text"'), noService);
    const { text } = await send({
      path: '/v1/default_keyspace/switched',
      body: '{"findOne":{"filter":{"id":1},"projection":{"v":1}}}',
    });
    assert.match(text, /^\{"data":\{"document":\{"v":\[/);
  });

  it('vectorize columns of one table: what made the vectors of a column is remembered while it holds any', async () => {
    for (const other of [ours, '{"provider":"ours","modelName":"other"}']) {
      await table(
        alter(`{"addVectorize":{"columns":{"v":${other}}}}`),
        notTogether,
        'holds vectors made by',
        free,
      );
    }
    await table(alter(`{"addVectorize":{"columns":{"v":${free}}}}`), ok);
    await table(alter(`{"addVectorize":{"columns":{"v":${ours}}}}`), notTogether);
    await table(insert(4, '"a text"'), stored(4));
    await table('{"deleteMany":{"filter":{}}}', '{"status":{"deletedCount":-1}}');
    await table(insert(5, 'null'), stored(5));
    await table(alter(`{"addVectorize":{"columns":{"v":${ours}}}}`), ok);
    await expectColumns('switched', `"t":{"type":"text"},"v":${described(4, ours)},"w":${described(3)}`);
  });

  it('vectorize columns of one table: vectors from outside take any service of their dimension', async () => {
    await table(alter('{"dropVectorize":{"columns":["v"]}}'), ok);
    await table('{"insertOne":{"document":{"id":6,"w":[1,2,3]}}}', stored(6));
    const service = '{"provider":"ours","modelName":"large"}';
    await table(
      alter(`{"addVectorize":{"columns":{"w":${free}}}}`),
      notValid,
      'does not support 3 dimensions',
    );
    await table(alter(`{"addVectorize":{"columns":{"w":${service}}}}`), ok);
    await table(alter('{"dropVectorize":{"columns":["w"]}}'), ok);
  });

  it('dropping what is not there changes nothing', async () => {
    await table(alter('{"dropVectorize":{"columns":["v","w","v"]}}'), ok);
  });

  const refusals: readonly (readonly [operation: string, problem: string, ...facts: readonly string[]])[] = [
    [
      `{"addVectorize":{"columns":{"no":${free}}}}`,
      'SCHEMA CANNOT_VECTORIZE_UNKNOWN_COLUMNS: Column to vectorize unknown',
      'no',
    ],
    [
      `{"addVectorize":{"columns":{"t":${free},"v":${free}}}}`,
      'SCHEMA CANNOT_VECTORIZE_NON_VECTOR_COLUMNS: Column to vectorize is not a vector column',
      't(text)',
      'v(vector<float,4>), w(vector<float,3>)',
    ],
    [
      '{"dropVectorize":{"columns":["no"]}}',
      'SCHEMA CANNOT_DROP_VECTORIZE_FROM_UNKNOWN_COLUMNS: Column of the service unknown',
      'no',
    ],
    [
      '{"dropVectorize":{"columns":["v","id"]}}',
      'SCHEMA CANNOT_DROP_VECTORIZE_FROM_NON_VECTOR_COLUMNS: Column of the service is not a vector column',
      'id(int)',
    ],
    ['{"addVectorize":{"columns":{}}}', 'SCHEMA MISSING_ALTER_TABLE_OPERATIONS: Nothing to alter'],
    ['{"dropVectorize":{"columns":[]}}', 'SCHEMA MISSING_ALTER_TABLE_OPERATIONS: Nothing to alter'],
    ['{"addVectorize":{"columns":["v"]}}', 'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'],
    ['{"dropVectorize":{"columns":{"v":1}}}', 'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch'],
    [
      '{"addVectorize":{"columns":{"v":null}}}',
      'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch',
      'columns.v',
    ],
    [
      '{"addVectorize":{"columns":{"v":{"provider":"ours","modelName":"old"}}}}',
      'SCHEMA DEPRECATED_AI_MODEL: Model deprecated',
    ],
  ];
  for (const [operation, problem, ...facts] of refusals) {
    it(`refuses ${operation}`, () => table(alter(operation), failed(problem), ...facts));
  }
});
