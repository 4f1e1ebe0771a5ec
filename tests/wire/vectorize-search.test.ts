// Searches by text: find and findOne sort a vector column that has a service by a string.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answering, vectorFor } from '../conformance/embedding-server.js';
import { dimension, useEmbeddingWireServer } from './embedding-wire-server.js';

const texts = ['a red apple', 'a green pear', 'a yellow banana'];
const path = '/v1/default_keyspace/fruit';
const vector = { type: 'vector', service: { provider: 'free', modelName: 'm' } };
const definition = {
  columns: { id: 'int', note: 'text', v: vector, bare: vector, off: vector },
  primaryKey: 'id',
};
const index = (column: string) =>
  JSON.stringify({ createVectorIndex: { name: `by_${column}`, definition: { column } } });
const { at, withHeaders, provider, send } = useEmbeddingWireServer({
  prepare: [
    ['/v1/default_keyspace', JSON.stringify({ createTable: { name: 'fruit', definition } })],
    [path, '{"alterTable":{"operation":{"dropVectorize":{"columns":["off"]}}}}'],
    [path, index('v')],
    [path, index('off')],
    [
      path,
      JSON.stringify({ insertMany: { documents: texts.map((text, id) => ({ id, note: text, v: text })) } }),
    ],
  ],
});
const keyspace = at('/v1/default_keyspace');
const table = at(path);
const ok = '{"status":{"ok":1}}';
const schema = '"projectionSchema":{"note":{"type":"text"}}';
const note = '"projection":{"note":1}';

async function post(name: string, body: string) {
  const { text } = await send({ path: `/v1/default_keyspace/${name}`, body });
  assert.ok(!text.includes('"errors"'), text);
  return text;
}

describe('a sort by a text', () => {
  it('finds the rows whose texts give the nearest vectors', async () => {
    for (const text of texts) {
      await table(
        `{"find":{"sort":{"v":"${text}"},${note},"options":{"limit":1}}}`,
        `{"data":{"documents":[{"note":"${text}"}],"nextPageState":null},"status":{${schema}}}`,
      );
      await table(
        `{"findOne":{"sort":{"v":"${text}"},${note}}}`,
        `{"data":{"document":{"note":"${text}"}},"status":{${schema}}}`,
      );
    }
  });

  it('`includeSortVector`, `$similarity`: they are given for a text, too', async () => {
    const [text = ''] = texts;
    const reply = await post(
      'fruit',
      `{"findOne":{"sort":{"v":"${text}"},${note},"options":{"includeSimilarity":true,"includeSortVector":true}}}`,
    );
    const { data, status } = JSON.parse(reply) as { data: unknown; status: { sortVector: number[] } }; // of findOne
    assert.deepEqual(data, { document: { note: text, $similarity: 1 } });
    assert.deepEqual(status.sortVector.map(Math.fround), [...Float32Array.from(vectorFor(text, dimension))]);
  });

  it('takes filters and limits, as any vector sort does', () =>
    table(
      `{"find":{"filter":{"id":{"$gt":0}},"sort":{"v":"${texts[0]}"},${note},"options":{"limit":5}}}`,
      `{"data":{"documents":[${[2, 1]
        .map((id) => `{"note":"${texts[id]}"}`)
        .sort(bySimilarity)
        .join(',')}],"nextPageState":null},"status":{${schema}}}`,
    ));

  it('text for stored rows and for queries: the provider gets which it is', async () => {
    const service = '{"provider":"nvidia","modelName":"m"}';
    await keyspace(
      `{"createTable":{"name":"sorted","definition":{"columns":{"id":"int","v":{"type":"vector","service":${service}}},
        "primaryKey":"id"}}}`,
      ok,
    );
    const sorted = withHeaders('/v1/default_keyspace/sorted');
    const key = { 'x-embedding-api-key': 'k' };
    await sorted(key, '{"createVectorIndex":{"name":"by_sorted","definition":{"column":"v"}}}', ok);
    const kinds: unknown[] = [];
    const noteKind = () => kinds.push(provider().received.at(-1)?.body['input_type']);
    await sorted(
      key,
      '{"insertOne":{"document":{"id":1,"v":"a text"}}}',
      '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    noteKind();
    await sorted(
      key,
      '{"updateOne":{"filter":{"id":1},"update":{"$set":{"v":"a text"}}}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    noteKind();
    await sorted(
      key,
      '{"findOne":{"sort":{"v":"a text"},"projection":{"id":1}}}',
      '{"data":{"document":{"id":1}},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
    );
    noteKind();
    assert.deepEqual(kinds, ['passage', 'passage', 'query']);
  });
});

describe('a sort by a text is refused', () => {
  const refused = (problem: string) => `{"errors":[<${problem}>]}`;
  const cases: readonly (readonly [sort: string, problem: string, ...facts: readonly string[]])[] = [
    [
      '{"off":"a text"}',
      'REQUEST SORT CANNOT_VECTORIZE_SORT_WHEN_MISSING_VECTORIZE_DEFINITION: Search by text needs an embedding service',
      'off(vector<float,4>)',
    ],
    [
      '{"bare":"a text"}',
      'REQUEST SORT CANNOT_VECTOR_SORT_NON_INDEXED_VECTOR_COLUMNS: Vector search needs a vector index',
      'bare(vector<float,4>)',
    ],
    ['{"v":"  "}', 'REQUEST SORT INVALID_VECTOR_SORT_EXPRESSION: Vector to search for not valid', 'blank'],
  ];
  for (const [sort, problem, ...facts] of cases) {
    it(`${sort}, before a provider is called`, async () => {
      const before = provider().received.length;
      for (const command of ['find', 'findOne'])
        await table(`{"${command}":{"sort":${sort}}}`, refused(problem), ...facts);
      assert.equal(provider().received.length, before);
    });
  }

  it('beside other columns', () =>
    table(
      '{"find":{"sort":{"v":"a text","id":1}}}',
      refused('REQUEST SORT CANNOT_SORT_ON_SPECIAL_WITH_OTHERS: Search cannot be combined with a sort'),
    ));

  it('when the provider fails', async () => {
    provider().misbehave(answering(400, '{"error":{"message":"too long"}}'));
    await table(
      '{"findOne":{"sort":{"v":"a text"}}}',
      refused(
        'SERVER EMBEDDING_PROVIDER EMBEDDING_PROVIDER_CLIENT_ERROR: Embedding provider refused the request',
      ),
      '"too long"',
    );
  });

  it('a zero vector under a cosine index: also where a provider gives it', async () => {
    const zeros = answering(200, '{"data":[{"index":0,"embedding":[0,0,0,0]}]}');
    provider().misbehave(zeros, zeros, zeros);
    await table(
      '{"findOne":{"sort":{"v":"nothing"}}}',
      refused('REQUEST SORT INVALID_VECTOR_SORT_EXPRESSION: Vector to search for not valid'),
    );
    const bad = 'INVALID_COLUMN_VALUES: Values do not fit their columns';
    await table(
      '{"insertOne":{"document":{"id":9,"v":"nothing"}}}',
      refused(`REQUEST DOCUMENT ${bad}`),
      'zero vector',
    );
    await table(
      '{"updateOne":{"filter":{"id":1},"update":{"$set":{"v":"nothing"}}}}',
      refused(`REQUEST UPDATE ${bad}`),
      'zero vector',
    );
  });

  it('a zero vector under a cosine index: of a provider, keeps only its own row out of insertMany', async () => {
    const embeddings = [
      [0, 0, 0, 0],
      [1, 2, 3, 4],
    ].map((embedding, at) => ({ index: at, embedding }));
    const bad = '"errors":[<REQUEST DOCUMENT INVALID_COLUMN_VALUES: Values do not fit their columns>]';
    const key = '"primaryKeySchema":{"id":{"type":"int"}}';
    const documents =
      '"documents":[{"id":20,"note":"first"},{"id":21,"v":"nothing"},{"id":22,"v":"something"}]';
    const exchanges = [
      [`{"insertMany":{${documents}}}`, `{"status":{"insertedIds":[[20],[22]],${key}},${bad}}`],
      [
        `{"insertMany":{${documents},"options":{"ordered":true,"returnDocumentResponses":true}}}`,
        `{"status":{"documentResponses":[{"_id":[20],"status":"OK"},{"_id":[21],"status":"ERROR","errorsIdx":0},
          {"_id":[22],"status":"SKIPPED"}],${key}},${bad}}`,
      ],
    ] as const;
    for (const [body, reply] of exchanges) {
      provider().misbehave(answering(200, JSON.stringify({ data: embeddings })));
      await table(body, reply, 'zero vector');
    }
    await table('{"deleteMany":{"filter":{"id":20}}}', '{"status":{"deletedCount":-1}}');
    await table('{"deleteMany":{"filter":{"id":22}}}', '{"status":{"deletedCount":-1}}');
  });
});

/** The order in which a search for the first text finds these. */
function bySimilarity(left: string, right: string): number {
  const cosine = (shown: string) => {
    const text = texts.find((one) => shown.includes(one)) ?? '';
    const [query, found] = [vectorFor(texts[0] ?? '', dimension), vectorFor(text, dimension)];
    const dot = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, x, place) => sum + x * (b[place] ?? 0), 0);
    return dot(query, found) / Math.sqrt(dot(found, found));
  };
  return cosine(right) - cosine(left);
}
