// findAndRerank, row by row of the contract (8.2, 8.3): with the built-in provider, and with one over HTTP, in whose
// place is a local server.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import {
  answering,
  type EmbeddingServer,
  type Misbehaviour,
  silent,
  startProviderServer,
} from '../conformance/embedding-server.js';
import { collectionSteps, eachRow } from './collection-steps.js';
import { shortened, useWireServer } from './wire-server.js';

const model = 'nvidia/llama-3.2-nv-rerankqa-1b-v2';
const file = join(makeTemporaryDirectory(), 'providers.json');
let provider: EmbeddingServer;
const made = (name: string, options: string): readonly [string, string] => [
  '/v1/default_keyspace',
  `{"createCollection":{"name":"${name}","options":${options}}}`,
];
const stored = (collection: string, ...documents: readonly string[]): readonly [string, string] => [
  `/v1/default_keyspace/${collection}`,
  `{"insertMany":{"documents":[${documents.join(',')}]}}`,
];
const uuid = '{"$uuid":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}';
const service = '"service":{"provider":"colonnade","modelName":"hashed-ngrams"}';
const overHttp = `"rerank":{"enabled":true,"service":{"provider":"nvidia","modelName":"${model}"}}`;
const server = useWireServer({
  args: ['--providers-file', file],
  beforeStart: async () => {
    provider = await startProviderServer(({ body }) => ({ rankings: ranked(body) }));
    const limits = { timeoutMs: 10_000, maxAttempts: 2 };
    const nvidia = { url: `${provider.origin}/v1/ranking`, ...limits };
    writeFileSync(
      file,
      JSON.stringify({ rerankers: { nvidia, off: { format: 'nvidia', ...nvidia, enabled: false } } }),
    );
  },
  prepare: [
    made('plain', '{}'),
    made('vectors', '{"vector":{"dimension":2}}'),
    made('narrow', '{"vector":{"dimension":2},"lexical":{"enabled":false},"rerank":{"enabled":false}}'),
    made('notes', `{"vector":{${service}}}`),
    made('http', `{"vector":{"dimension":2},${overHttp}}`),
    made('large', `{"vector":{"dimension":2},${overHttp}}`),
    stored(
      'large',
      ...Array.from(
        { length: 45 },
        (_, at) => `{"_id":${at},"p":"${'x'.repeat(7_900 + at)}","$vector":[1,${at}]}`,
      ),
    ),
    stored(
      'vectors',
      '{"_id":1,"p":"one","$vector":[1,0],"$lexical":"red"}',
      '{"_id":2,"p":2,"$vector":[1,1]}',
      '{"_id":3,"p":true,"$lexical":"red red"}',
      `{"_id":${uuid},"p":"four","$vector":[0,1]}`,
      '{"_id":null,"$vector":[-1,0]}',
      '{"_id":"blank","p":" ","$vector":[-1,0.1]}',
    ),
    stored(
      'notes',
      '{"_id":1,"$hybrid":"a boiler was repaired"}',
      '{"_id":2,"$hybrid":"a new roof"}',
      '{"_id":3,"$lexical":"roof"}',
    ),
    stored(
      'http',
      ...Array.from(
        { length: 25 },
        (_, at) => `{"_id":${at},"p":"${'x'.repeat(at + 1)}","$vector":[1,${at}]}`,
      ),
    ),
  ],
});
after(() => provider.close());
const { send } = collectionSteps(server);
/** The only error of a reply. */
const problemIn = (text: string) => /^\{"errors":\[(<.*>)\]\}$/.exec(shortened(text))?.[1] ?? text;
const problemOf = async (body: string, collection: string) => problemIn(await send(body, collection));

/** Longer passages are better; the published form of a reply, which is ordered by the score. */
function ranked(body: Readonly<Record<string, unknown>>): unknown {
  const passages = body['passages'] as readonly { text: string }[]; // of our own requests
  return passages
    .map(({ text }, index) => ({ index, logit: text.length - 10.5 }))
    .toSorted((left, right) => right.logit - left.logit);
}

const hybrid = '"sort":{"$hybrid":{"$vector":[1,0],"$lexical":"red"}}';
const on = '"rerankQuery":"red","rerankOn":"p"';

describe('findAndRerank with reciprocal rank fusion', () => {
  it('adds up the places in both searches', async () =>
    assert.equal(
      await send(
        `{"findAndRerank":{${hybrid},"options":{${on},"includeScores":true,"includeSortVector":true,"limit":2}}}`,
        'vectors',
      ),
      '{"data":{"documents":[{"_id":1,"p":"one"},{"_id":3,"p":true}],"nextPageState":null},' +
        '"status":{"documentResponses":[' +
        '{"scores":{"$rerank":0.03252247488101534,"$vector":1.0,"$vectorRank":1,"$bm25Rank":2,' +
        '"$rrf":0.03252247488101534}},' +
        '{"scores":{"$rerank":0.01639344262295082,"$vector":0.0,"$vectorRank":null,"$bm25Rank":1,' +
        '"$rrf":0.01639344262295082}}' +
        '],"sortVector":[1.0,0.0]}}',
    ));
  it('hybrid searches: documents may have any `_id`, and those without a passage are left out', async () =>
    assert.equal(
      await send(`{"findAndRerank":{${hybrid},"projection":{"p":0},"options":{${on}}}}`, 'vectors'),
      `{"data":{"documents":[{"_id":1},{"_id":3},{"_id":2},{"_id":${uuid}}],"nextPageState":null}}`,
    ));
  it('embeds a text for both, and ranks by $vectorize', async () =>
    assert.equal(
      await send('{"findAndRerank":{"sort":{"$hybrid":"roof"},"projection":{"$vectorize":1}}}', 'notes'),
      '{"data":{"documents":[{"_id":2,"$vectorize":"a new roof"},{"_id":1,"$vectorize":"a boiler was repaired"}],"nextPageState":null}}',
    ));
  it('applies the filter to both', async () =>
    assert.equal(
      await send(`{"findAndRerank":{"filter":{"_id":3},${hybrid},"options":{${on}}}}`, 'vectors'),
      '{"data":{"documents":[{"_id":3,"p":true}],"nextPageState":null}}',
    ));
  it('searches as far as hybridLimits say', async () => {
    const limits = '"hybridLimits":{"$vector":1,"$lexical":1}';
    assert.equal(
      await send(`{"findAndRerank":{${hybrid},"projection":{"p":0},"options":{${on},${limits}}}}`, 'vectors'),
      '{"data":{"documents":[{"_id":1},{"_id":3}],"nextPageState":null}}',
    );
  });
  it('the built-in reranker: needs no key, and is the default', async () => {
    const text = await server
      .send({ path: '/v1', body: '{"findRerankingProviders":{}}' })
      .then((reply) => reply.text);
    const { status } = JSON.parse(text) as { status: { rerankingProviders: Record<string, unknown> } };
    assert.deepEqual(Object.keys(status.rerankingProviders), ['colonnade', 'nvidia']);
    const none = { enabled: false, tokens: [] };
    const token = (accepted: string) => [{ accepted, forwarded: 'Authorization' }];
    assert.deepEqual(status.rerankingProviders, {
      colonnade: {
        isDefault: true,
        displayName: 'Colonnade (built in: reciprocal rank fusion)',
        supportedAuthentication: { NONE: { ...none, enabled: true }, HEADER: none, SHARED_SECRET: none },
        models: [
          {
            name: 'reciprocal-rank-fusion',
            apiModelSupport: { status: 'SUPPORTED', message: null },
            isDefault: true,
            url: '',
            properties: null,
          },
        ],
      },
      nvidia: {
        isDefault: false,
        displayName: 'NVIDIA',
        supportedAuthentication: {
          NONE: none,
          HEADER: { enabled: true, tokens: token('reranking-api-key') },
          SHARED_SECRET: { enabled: true, tokens: token('providerKey') },
        },
        models: [
          {
            name: model,
            apiModelSupport: { status: 'SUPPORTED', message: null },
            isDefault: true,
            url: `${provider.origin}/v1/ranking`,
            properties: null,
          },
        ],
      },
    });
  });
  it('uses a service of the command where the collection has none', async () =>
    assert.equal(
      await send(
        `{"findAndRerank":{"sort":{"$hybrid":{"$vector":[1,0]}},"options":{${on},"rerank":{"provider":"colonnade","modelName":"reciprocal-rank-fusion"}}}}`,
        'narrow',
      ),
      '{"data":{"documents":[],"nextPageState":null}}',
    ));
});

describe('findAndRerank is refused', () => {
  const value = '<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>';
  const near = '"sort":{"$hybrid":{"$vector":[1,0]}}';
  const override = (rerank: string) => `${near},"options":{${on},"rerank":${rerank}}`;
  eachRow(
    [
      [
        'no vectors',
        '"sort":{"$hybrid":"a"}',
        'plain <REQUEST SORT UNSUPPORTED_VECTOR_SORT_FOR_COLLECTION: Hybrid search needs vectors>',
      ],
      [
        'no service',
        '"sort":{"$hybrid":"a"}',
        'vectors <REQUEST SORT UNSUPPORTED_VECTORIZE_SORT_FOR_COLLECTION: Hybrid search needs an embedding service>',
      ],
      [
        'no lexical',
        '"sort":{"$hybrid":{"$vector":[1,0],"$lexical":"a"}}',
        'narrow <REQUEST SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION: Text search not enabled for the collection>',
      ],
      ['a limit of hybridLimits', `${near},"options":{"hybridLimits":101}`, `vectors ${value}`],
      ['one limit of hybridLimits', `${near},"options":{"hybridLimits":{"$vector":5}}`, `vectors ${value}`],
      ['limit 0', `${near},"options":{"limit":0}`, `vectors ${value}`],
      ['no reranking', near, 'narrow <REQUEST UNSUPPORTED_RERANKING_COMMAND: Collection without reranking>'],
      [
        'an empty override',
        override('{}'),
        'vectors <REQUEST INVALID_RERANK_OVERRIDE: Option rerank not valid>',
      ],
      [
        'an unknown provider',
        override('{"provider":"x","modelName":"y"}'),
        'vectors <REQUEST INVALID_RERANK_OVERRIDE: Option rerank not valid>',
      ],
      [
        'an unknown model',
        override('{"provider":"nvidia","modelName":"y"}'),
        'vectors <REQUEST INVALID_RERANK_OVERRIDE: Option rerank not valid>',
      ],
      [
        'authentication',
        override(`{"provider":"nvidia","modelName":"${model}","authentication":{"providerKey":"x"}}`),
        'vectors <REQUEST INVALID_RERANK_OVERRIDE: Option rerank not valid>',
      ],
      [
        'a disabled provider',
        override(`{"provider":"off","modelName":"${model}"}`),
        'vectors <REQUEST INVALID_RERANK_OVERRIDE: Option rerank not valid>',
      ],
      ['no text', near, 'vectors <REQUEST MISSING_RERANK_QUERY_TEXT: Text to rank by missing>'],
      ['no sort', '"filter":{}', 'vectors <REQUEST MISSING_RERANK_QUERY_TEXT: Text to rank by missing>'],
      ['an empty sort', '"sort":{}', 'vectors <REQUEST MISSING_RERANK_QUERY_TEXT: Text to rank by missing>'],
      [
        'a blank text',
        `"sort":{"$hybrid":{"$vector":[1,0],"$vectorize":" "}}`,
        'vectors <REQUEST MISSING_RERANK_QUERY_TEXT: Text to rank by missing>',
      ],
      [
        'another member of $hybrid',
        '"sort":{"$hybrid":{"$vector":[1,0],"x":1}}',
        'vectors <REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>',
      ],
      [
        '$hybrid of another kind',
        '"sort":{"$hybrid":5}',
        'vectors <REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>',
      ],
      [
        '$lexical of another kind',
        '"sort":{"$hybrid":{"$vector":[1,0],"$lexical":5}}',
        'vectors <REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>',
      ],
      [
        'a page state',
        `${near},"options":{"pageState":"a"}`,
        'vectors <REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>',
      ],
      [
        'a bad filter',
        `${near},"filter":{"$x":1},"options":{${on}}`,
        'vectors <REQUEST FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed>',
      ],
    ],
    async (members, [, , expected]) => {
      const [collection = ''] = expected.split(' ');
      return `${collection} ${await problemOf(`{"findAndRerank":{${members}}}`, collection)}`;
    },
  );
  const row = 'hybrid searches';
  for (const [members, expected] of [
    [`${near},"options":{"rerankQuery":"a"}`, value],
    [
      `"sort":{"$hybrid":{"$lexical":"a"}},"options":{${on}}`,
      '<REQUEST SORT SORT_CLAUSE_INVALID: Sort not well-formed>',
    ],
    [`${near},"options":{"rerankQuery":"a","rerankOn":"a..b"}`, value],
  ] as const) {
    it(`${row}: ${members}`, async () =>
      assert.equal(await problemOf(`{"findAndRerank":{${members}}}`, 'vectors'), expected));
  }
  it('a passage that is an object', async () => {
    await send('{"insertOne":{"document":{"_id":"o","o":{"a":1},"$vector":[1,0]}}}', 'vectors');
    const body = `{"findAndRerank":{${near},"options":{"rerankQuery":"a","rerankOn":"o"}}}`;
    assert.equal(await problemOf(body, 'vectors'), value);
  });
});

describe('a reranking provider over HTTP', () => {
  const key = 'nv-Secret.0123456789';
  const body = (limit: number) =>
    `{"findAndRerank":{"sort":{"$hybrid":{"$vector":[1,0]}},"projection":{"p":0},"options":{"rerankQuery":"long","rerankOn":"p","limit":${limit},"includeScores":true}}}`;
  const ask = async (
    limit: number,
    headers: Readonly<Record<string, string>> = { 'reranking-api-key': key },
  ) => {
    const all = { 'content-type': 'application/json', token: 'database-token', ...headers };
    return (await server.send({ path: '/v1/default_keyspace/http', body: body(limit), headers: all })).text;
  };

  it('gets 10 passages in a request, in the published form, and orders by its scores', async () => {
    const before = provider.received.length;
    const text = await ask(2);
    assert.equal(
      text.replaceAll(/"\$(vector|vectorRank|rrf)":[0-9.]+,?/g, ''),
      '{"data":{"documents":[{"_id":24},{"_id":23}],"nextPageState":null},"status":{"documentResponses":[' +
        '{"scores":{"$rerank":14.5,"$bm25Rank":null,}},{"scores":{"$rerank":13.5,"$bm25Rank":null,}}]}}',
    );
    const requests = provider.received.slice(before);
    assert.deepEqual(
      requests.map((request) => (request.body['passages'] as unknown[]).length).sort(),
      [10, 10, 5],
    );
    const [first] = requests;
    assert.equal(first?.path, '/v1/ranking');
    assert.equal(first?.headers['authorization'], `Bearer ${key}`);
    assert.deepEqual(
      { ...(first?.body ?? {}), passages: [] },
      { model, query: { text: 'long' }, passages: [], truncate: 'END' },
    );
    assert.ok(JSON.stringify(first?.body).includes('{"text":"x"}'));
    assert.ok(!JSON.stringify(requests).includes('database-token'));
  });
  it('takes the key from the header of the TypeScript client, or from the key store', async () => {
    await ask(1, { 'x-rerank-api-key': 'other' });
    assert.equal(provider.received.at(-1)?.headers['authorization'], 'Bearer other');
    assert.equal(
      problemIn(await ask(1, {})),
      '<REQUEST SCHEMA RERANKING_PROVIDER_AUTHENTICATION_KEY_NOT_PROVIDED: Key for the reranking provider missing>',
    );
    const path = '/local/embedding-keys/reranking-nvidia';
    await server.sendToOps({ method: 'PUT', path, body: '{"providerKey":"stored"}' });
    await ask(1, {});
    assert.equal(provider.received.at(-1)?.headers['authorization'], 'Bearer stored');
    await server.sendToOps({ method: 'DELETE', path });
  });
  const refusal: Misbehaviour = (response, request) =>
    answering(401, JSON.stringify({ detail: `bad key ${key}` }))(response, request);
  const client = '<REQUEST SCHEMA RERANKING_PROVIDER_CLIENT_ERROR: Reranking provider refused the request>';
  const rate = '<REQUEST SCHEMA RERANKING_PROVIDER_RATE_LIMITED: Reranking provider limits the rate>';
  const failed = '<REQUEST SCHEMA RERANKING_PROVIDER_SERVER_ERROR: Reranking provider failed>';
  const late = '<SERVER RERANKING_PROVIDER RERANKING_PROVIDER_TIMEOUT: Reranking provider took too long>';
  const unexpected =
    '<REQUEST SCHEMA RERANKING_PROVIDER_UNEXPECTED_RESPONSE: Reply of the reranking provider unexpected>';
  /** So that every misbehaviour is for the same batch. */
  const askInOneBatch = async () => {
    const reply = await server.send({
      path: '/v1/default_keyspace/http',
      body: body(1).replace('"sort"', '"filter":{"_id":{"$in":[1,2,3]}},"sort"'),
      headers: { 'content-type': 'application/json', 'reranking-api-key': key },
    });
    return reply.text;
  };
  for (const [name, misbehaviours, expected] of [
    ['a refusal', [refusal], client],
    ['a limit of the rate', [answering(429, '', { 'retry-after': '60' })], rate],
    ['failures', [answering(500, ''), answering(503, '')], failed],
    ['a cut connection', [(response) => response.destroy(), (response) => response.destroy()], failed],
    ['no JSON', [answering(200, '<html>')], unexpected],
    ['no rankings', [answering(200, '{}')], unexpected],
    ['too few scores', [answering(200, '{"rankings":[{"index":0,"logit":1}]}')], unexpected],
    ['a score that is not a number', [answering(200, '{"rankings":[{"index":0,"logit":"1"}]}')], unexpected],
  ] satisfies readonly (readonly [string, readonly Misbehaviour[], string])[]) {
    it(`fails the command: ${name}`, async () => {
      provider.misbehave(...misbehaviours);
      const text = await askInOneBatch();
      assert.equal(problemIn(text), expected);
      assert.ok(!text.includes(key), text);
    });
  }
  it('gets the key also if the documents are so large that another thread answers', async () => {
    const { text } = await server.send({
      path: '/v1/default_keyspace/large',
      body: body(1),
      headers: { 'content-type': 'application/json', 'reranking-api-key': 'of a large request' },
    });
    assert.ok(text.startsWith('{"data":{"documents":[{"_id":44}]'), text.slice(0, 300));
    assert.equal(provider.received.at(-1)?.headers['authorization'], 'Bearer of a large request');
  });
  it('is asked again after a failure', async () => {
    provider.misbehave(answering(500, ''));
    assert.ok((await ask(1)).startsWith('{"data":{"documents":[{"_id":24}'));
  });
  it('fails the command: silence', async () => {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"timeoutMs":10000', '"timeoutMs":300'));
    await server.restart();
    provider.misbehave(silent, silent);
    assert.equal(problemIn(await askInOneBatch()), late);
  });
  it('is not asked if the server no longer offers it', async () => {
    const text = readFileSync(file, 'utf8').replace('{"nvidia":{', '{"nvidia":{"enabled":false,');
    writeFileSync(file, text);
    await server.restart();
    const gone = '<REQUEST SCHEMA RERANKING_SERVICE_TYPE_UNAVAILABLE: Reranking service not available>';
    assert.equal(problemIn(await ask(1)), gone);
  });
});
