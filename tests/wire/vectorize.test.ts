// Texts for vector columns: who embeds them, with whose key, and that nothing is stored when that fails.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answering, type Misbehaviour, silent, vectorFor } from '../conformance/embedding-server.js';
import { dimension, useEmbeddingWireServer } from './embedding-wire-server.js';

const server = useEmbeddingWireServer();
const { at, withHeaders, provider, restart } = server;
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const key = { 'x-embedding-api-key': 'sk-Test.123' };

/** A table `name` with the key `id` and the vector columns of these services. */
async function createTable(name: string, columns: Readonly<Record<string, object>>): Promise<void> {
  const vectors = Object.entries(columns).map(([column, service]) => [column, { type: 'vector', service }]);
  const definition = {
    columns: { id: 'int', note: 'text', ...Object.fromEntries(vectors) },
    primaryKey: 'id',
  };
  await keyspace(JSON.stringify({ createTable: { name, definition } }), ok);
}

function shownVector(text: string): string {
  return `[${[...Float32Array.from(vectorFor(text, dimension))].map(shortest).join(',')}]`;
}

/** The shortest text that gives the same 32-bit float. */
function shortest(float: number): string {
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = String(Number(float.toPrecision(digits)));
    if (Math.fround(Number(text)) === float) return /^-?\d+$/.test(text) ? `${text}.0` : text;
  }
  return String(float);
}

const idSchema = '"primaryKeySchema":{"id":{"type":"int"}}';
const inserted = (id: number) => `{"status":{"insertedIds":[[${id}]],${idSchema}}}`;

/** Checks what a column of a row holds; undefined for nothing. */
async function expectVector(
  table: string,
  id: number,
  vector: string | undefined,
  column = 'v',
): Promise<void> {
  const { text } = await send(table, `{"findOne":{"filter":{"id":${id}},"projection":{"${column}":1}}}`);
  const document = vector === undefined ? '{}' : `{"${column}":${vector}}`;
  assert.ok(text.startsWith(`{"data":{"document":${document}}`), text);
}

async function expectNoRow(table: string, id: number): Promise<void> {
  const { text } = await send(table, `{"findOne":{"filter":{"id":${id}}}}`);
  assert.ok(text.startsWith('{"data":{"document":null}'), text);
}

describe('texts for a vector column with a service', () => {
  it('become vectors in insertOne; the text is kept only where the caller put it', async () => {
    await createTable('texts', { v: { provider: 'ours', modelName: 'm' } });
    const table = withHeaders('/v1/default_keyspace/texts');
    const before = provider().received.length;
    await table(
      key,
      '{"insertOne":{"document":{"id":1,"v":"a red apple","note":"a red apple"}}}',
      inserted(1),
    );
    await table(key, '{"insertOne":{"document":{"id":2,"v":"a green pear"}}}', inserted(2));
    await expectVector('texts', 1, shownVector('a red apple'));
    const { text } = await send('texts', '{"findOne":{"filter":{"id":2}}}');
    assert.doesNotMatch(text, /pear/);
    const [first, second] = provider().received.slice(before);
    assert.equal(first?.headers['authorization'], 'Bearer sk-Test.123');
    assert.deepEqual([first?.body['input'], second?.body['input']], [['a red apple'], ['a green pear']]);
  });

  it('become vectors in insertMany, each different text once', async () => {
    const before = provider().received.length;
    await withHeaders('/v1/default_keyspace/texts')(
      key,
      '{"insertMany":{"documents":[{"id":11,"v":"one"},{"id":12,"v":[1,2,3,4]},{"id":13,"v":"two"},{"id":14,"v":"one"}]}}',
      `{"status":{"insertedIds":[[11],[12],[13],[14]],${idSchema}}}`,
    );
    await expectVector('texts', 11, shownVector('one'));
    await expectVector('texts', 12, '[1.0,2.0,3.0,4.0]');
    await expectVector('texts', 13, shownVector('two'));
    await expectVector('texts', 14, shownVector('one'));
    const requests = provider().received.slice(before);
    assert.deepEqual(requests.flatMap(({ body }) => body['input']).sort(), ['one', 'two']);
  });

  it('become vectors in $set, also of a row that is not there', async () => {
    for (const text of ['a text', 'another']) {
      await withHeaders('/v1/default_keyspace/texts')(
        key,
        `{"updateOne":{"filter":{"id":21},"update":{"$set":{"v":"${text}","note":"n"}}}}`,
        '{"status":{"matchedCount":1,"modifiedCount":1}}',
      );
      await expectVector('texts', 21, shownVector(text));
    }
  });

  it('that are blank are the same as no value, and need no provider', async () => {
    const before = provider().received.length;
    const table = at('/v1/default_keyspace/texts');
    await table('{"insertOne":{"document":{"id":31,"v":" \\n"}}}', inserted(31));
    await expectVector('texts', 31, undefined);
    await table(
      '{"updateOne":{"filter":{"id":11},"update":{"$set":{"v":""}}}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await expectVector('texts', 11, undefined);
    assert.equal(provider().received.length, before);
  });

  it('stand beside vectors, which ask nobody', async () => {
    const before = provider().received.length;
    await at('/v1/default_keyspace/texts')(
      '{"insertOne":{"document":{"id":41,"v":[0,1,0,1]}}}',
      inserted(41),
    );
    await expectVector('texts', 41, '[0.0,1.0,0.0,1.0]');
    assert.equal(provider().received.length, before);
  });

  it('are checked with the rest of the row before a provider is called', async () => {
    const before = provider().received.length;
    await withHeaders('/v1/default_keyspace/texts')(
      key,
      '{"insertOne":{"document":{"id":"x","v":"a text"}}}',
      '{"errors":[<REQUEST DOCUMENT INVALID_COLUMN_VALUES: Values do not fit their columns>]}',
    );
    assert.equal(provider().received.length, before);
  });

  it('are embedded after a restart as before', async () => {
    await restart();
    await withHeaders('/v1/default_keyspace/texts')(
      key,
      '{"insertOne":{"document":{"id":51,"v":"later"}}}',
      inserted(51),
    );
    await expectVector('texts', 51, shownVector('later'));
  });

  it('service token and providers: no header of a request reaches a provider but the key for it', async () => {
    const headers = { ...key, token: 'T-1', cookie: 'c=1', authorization: 'Bearer B-1', 'x-other': 'o-1' };
    const table = withHeaders('/v1/default_keyspace/texts');
    await table(headers, '{"insertOne":{"document":{"id":71,"v":"headers"}}}', inserted(71));
    const sent = JSON.stringify(provider().received.at(-1)?.headers);
    assert.match(sent, /sk-Test\.123/);
    for (const value of ['T-1', 'c=1', 'B-1', 'o-1']) assert.ok(!sent.includes(value), value);
  });

  it('need no key where the provider wants none', async () => {
    await createTable('free', { v: { provider: 'free', modelName: 'm' } });
    await at('/v1/default_keyspace/free')('{"insertOne":{"document":{"id":1,"v":"a text"}}}', inserted(1));
    await expectVector('free', 1, shownVector('a text'));
  });

  it('are embedded by the built-in provider out of the box', async () => {
    await createTable('built_in', { v: { provider: 'colonnade', modelName: 'hashed-ngrams' } });
    await at('/v1/default_keyspace/built_in')(
      '{"insertOne":{"document":{"id":1,"v":"a text"}}}',
      inserted(1),
    );
    const { text } = await send('built_in', '{"findOne":{"projection":{"v":1}}}');
    const { data } = JSON.parse(text) as { data: { document: { v: number[] } } }; // of a findOne
    assert.equal(data.document.v.length, 384);
    const length = Math.hypot(...data.document.v);
    assert.ok(Math.abs(length - 1) < 1e-5, String(length));
  });
});

describe('when an embedding fails, nothing of the command is stored', () => {
  const insert = '{"insertMany":{"documents":[{"id":1,"note":"no text"},{"id":2,"v":"a text"}]}}';
  const problems: readonly (readonly [
    provider: string,
    misbehaviours: readonly Misbehaviour[],
    problem: string,
    ...facts: readonly string[],
  ])[] = [
    [
      'free',
      [answering(401, '{"error":{"message":"wrong key"}}')],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_CLIENT_ERROR: Embedding provider refused the request',
      'HTTP 401: "wrong key"',
      'provider free (model m)',
    ],
    [
      'free',
      [answering(429, '{"error":{"message":"slow down"}}', { 'retry-after': '100' })],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_RATE_LIMITED: Embedding provider limits the rate',
      '"slow down"',
    ],
    [
      'free',
      [answering(500, ''), answering(500, ''), answering(503, 'down')],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_SERVER_ERROR: Embedding provider failed',
      'HTTP 503: "down"',
    ],
    [
      'impatient',
      [silent, silent, silent],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_TIMEOUT: Embedding provider took too long',
      '40 ms',
    ],
    [
      'free',
      [(response) => response.destroy(), (response) => response.destroy(), (response) => response.destroy()],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_UNAVAILABLE: Embedding provider not available',
    ],
    [
      'nowhere',
      [],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_BAD_HOST_NAME: Host of the embedding provider unknown',
      'embeddings.invalid',
    ],
    [
      'free',
      [answering(200, '{"data":[{"index":0,"embedding":[1,2,3]}]}')],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_UNEXPECTED_RESPONSE: Reply of the embedding provider unexpected',
      '3 dimensions instead of 4',
    ],
    [
      'ours',
      [],
      'EMBEDDING_PROVIDER EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED: Key for the embedding provider missing',
      'x-embedding-api-key',
    ],
  ];
  for (const [place, [name, misbehaviours, problem, ...facts]] of problems.entries()) {
    it(problem, async () => {
      await createTable(`failing${place}`, { v: { provider: name, modelName: 'm' } });
      const table = at(`/v1/default_keyspace/failing${place}`);
      provider().misbehave(...misbehaviours);
      await table(insert, `{"errors":[<SERVER ${problem}>]}`, ...facts);
      await expectNoRow(`failing${place}`, 1);
      await expectNoRow(`failing${place}`, 2);
    });
  }

  it('bedrock: has names of its own for what cannot be written or read', async () => {
    const parts = {
      provider: 'bedrock',
      modelName: 'amazon.titan-embed-text-v1',
      parameters: { region: 'eu-west-1' },
    };
    await createTable('aws', { v: parts });
    const table = withHeaders('/v1/default_keyspace/aws');
    const keys = { 'x-embedding-access-id': 'AKIDEXAMPLE', 'x-embedding-secret-id': 's3cret' };
    const before = provider().received.length;
    await table(
      keys,
      String.raw`{"insertOne":{"document":{"id":1,"v":"half an owl \ud83e"}}}`,
      '{"errors":[<SERVER EMBEDDING_PROVIDER EMBEDDING_REQUEST_ENCODING_ERROR: Request to the embedding provider cannot be written>]}',
      'half an owl',
    );
    assert.equal(provider().received.length, before);
    for (const [reply, fact] of [
      ['{"data":[{"index":0,"embedding":[1,2,3,4]}]}', 'no embeddings where they are expected'],
      ['oops', 'it begins with "oops"'],
    ] as const) {
      provider().misbehave(answering(200, reply));
      await table(
        keys,
        '{"insertOne":{"document":{"id":1,"v":"an owl"}}}',
        '{"errors":[<SERVER EMBEDDING_PROVIDER EMBEDDING_RESPONSE_DECODING_ERROR: Reply of the embedding provider cannot be read>]}',
        fact,
      );
    }
    await expectNoRow('aws', 1);
  });

  it('insertMany: nor are its good rows where another row is bad', async () => {
    provider().misbehave(answering(400, ''));
    await at('/v1/default_keyspace/free')(
      '{"insertMany":{"documents":[{"id":101},{"id":"x"},{"id":102,"v":"a text"}],"options":{"ordered":false}}}',
      '{"errors":[<SERVER EMBEDDING_PROVIDER EMBEDDING_PROVIDER_CLIENT_ERROR: Embedding provider refused the request>]}',
    );
    await expectNoRow('free', 101);
  });

  it('updateOne leaves the row as it was', async () => {
    provider().misbehave(answering(400, ''));
    await at('/v1/default_keyspace/free')(
      '{"updateOne":{"filter":{"id":1},"update":{"$set":{"v":"other","note":"changed"}}}}',
      '{"errors":[<SERVER EMBEDDING_PROVIDER EMBEDDING_PROVIDER_CLIENT_ERROR: Embedding provider refused the request>]}',
    );
    await expectVector('free', 1, shownVector('a text'));
    await expectVector('free', 1, undefined, 'note');
  });

  it('no reply has the key in it, whatever the provider says', async () => {
    provider().misbehave((response, request) =>
      answering(403, String(request.headers['authorization']))(response, request),
    );
    const { text } = await send('texts', '{"insertOne":{"document":{"id":61,"v":"a text"}}}', key);
    assert.match(text, /EMBEDDING_PROVIDER_CLIENT_ERROR.*\*\*\*/);
    assert.ok(!text.includes(key['x-embedding-api-key']));
  });

  it('no reply has a part of the key in it, where a long answer of the provider is cut', async () => {
    const secret = key['x-embedding-api-key'];
    for (const shown of [1, 5, secret.length - 1]) {
      const quoted = 'x'.repeat(499 - shown) + secret; // 500 characters are shown, the last one of them `…`
      const forms: readonly (readonly [status: number, body: string])[] = [
        [403, quoted],
        [403, JSON.stringify({ error: { message: quoted } })],
        [200, quoted],
      ];
      for (const [status, body] of forms) {
        provider().misbehave(answering(status, body));
        const { text } = await send('texts', '{"insertOne":{"document":{"id":61,"v":"a text"}}}', key);
        assert.match(text, /xxx\*/); // what stands in its place, perhaps cut
        assert.ok(!text.includes(`x${secret.slice(0, shown)}`), text.slice(-200));
      }
    }
  });

  it('no reply has a key in it that JSON writes otherwise', async () => {
    const secret = 'sk-"1\\2';
    provider().misbehave(answering(403, JSON.stringify({ error: { code: 7, key: secret } })));
    const headers = { 'x-embedding-api-key': secret };
    const { text } = await send('texts', '{"insertOne":{"document":{"id":61,"v":"a text"}}}', headers);
    assert.match(text, /EMBEDDING_PROVIDER_CLIENT_ERROR.*\*\*\*/);
    assert.ok(!text.includes('sk-'), text);
  });
});

describe('a service that the server does not offer any more', () => {
  const insert = '{"insertOne":{"document":{"id":1000,"v":"a text"}}}';
  const table = at('/v1/default_keyspace/free');
  const unavailable =
    '{"errors":[<SERVER EMBEDDING_PROVIDER EMBEDDING_PROVIDER_UNAVAILABLE: Embedding provider not available>]}';

  it('a provider that is off or not for this region: texts are refused, vectors are taken', async () => {
    await server.restartWith({ free: { enabled: false } });
    await table(insert, unavailable, 'provider free (model m)', 'it is not enabled on this server');
    await server.restartWith({ free: { regions: ['eu-west-1'] } });
    await table(insert, unavailable, 'not available in the region "local"');
    await server.restartWith({ free: { models: [{ name: 'new', dimension }] } });
    await table(insert, unavailable, 'does not offer the model');
    await table('{"insertOne":{"document":{"id":1001,"v":[1,1,1,1]}}}', inserted(1001));
    await expectNoRow('free', 1000);
  });

  it('a model past its end of life embeds nothing, a deprecated one still does', async () => {
    const model = (status: string) => ({ models: [{ name: 'm', dimension, status, message: 'Take n.' }] });
    await server.restartWith({ free: model('END_OF_LIFE') });
    const problem = 'SCHEMA END_OF_LIFE_AI_MODEL: Model no longer available';
    await table(insert, `{"errors":[<REQUEST ${problem}>]}`, 'model m of the provider free', 'Take n.');
    await server.restartWith({ free: model('DEPRECATED') });
    await table(insert, inserted(1000));
  });
});

async function send(table: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  return server.send({
    path: `/v1/default_keyspace/${table}`,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
