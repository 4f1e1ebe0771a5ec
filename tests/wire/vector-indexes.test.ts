// createVectorIndex, and vector indexes in listIndexes, dropIndex and alterTable.
import { describe, it } from 'node:test';
import { unbroken, useWireServer } from './wire-server.js';

const { at, restart } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      unbroken(`{"createTable":{"name":"rows","definition":{"columns":{"id":"int","n":"int","part":"text",
        "v":{"type":"vector","dimension":2},"w":{"type":"vector","dimension":2},"one":{"type":"vector","dimension":1}},
        "primaryKey":{"partitionBy":["part"],"partitionSort":{"id":-1}}}}}`),
    ],
  ],
});
const keyspace = at('/v1/default_keyspace');
const table = at('/v1/default_keyspace/rows');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;

const create = (name: string, column: string, options = '{}', more = '') =>
  `{"createVectorIndex":{"name":"${name}","definition":{"column":"${column}","options":${options}}${more}}}`;
const drop = (name: string) => keyspace(`{"dropIndex":{"name":"${name}"}}`, ok);
const listed = (...indexes: readonly string[]) =>
  table(
    '{"listIndexes":{"options":{"explain":true}}}',
    `{"status":{"indexes":[${indexes.map((index) => unbroken(index)).join(',')}]}}`,
  );
const described = (name: string, column: string, metric: string, sourceModel: string) =>
  `{"name":"${name}","definition":{"column":"${column}","options":{"metric":"${metric}",
    "sourceModel":"${sourceModel}"}},"indexType":"vector"}`;

describe('createVectorIndex', () => {
  it('measures by cosine by default, and is listed beside regular indexes', async () => {
    await table('{"createIndex":{"name":"by_n","definition":{"column":"n"}}}', ok);
    await table('{"createVectorIndex":{"name":"by_v","definition":{"column":"v"}}}', ok);
    await table('{"listIndexes":{}}', '{"status":{"indexes":["by_n","by_v"]}}');
    const regular = '{"name":"by_n","definition":{"column":"n","options":{}},"indexType":"regular"}';
    await listed(regular, described('by_v', 'v', 'cosine', 'other'));
    await restart();
    await listed(regular, described('by_v', 'v', 'cosine', 'other'));
    await drop('by_n');
    await drop('by_v');
    await listed();
  });

  const cases: readonly (readonly [options: string, metric: string, sourceModel: string])[] = [
    ['null', 'cosine', 'other'],
    ['{"metric":"cosine"}', 'cosine', 'other'],
    ['{"metric":"dot_product"}', 'dot_product', 'other'],
    ['{"metric":"euclidean","sourceModel":null}', 'euclidean', 'other'],
    ['{"metric":"Cosine"}', 'cosine', 'other'],
    ['{"metric":"DOT_PRODUCT"}', 'dot_product', 'other'],
    ['{"metric":"EUCLIDEAN"}', 'euclidean', 'other'],
    ['{"sourceModel":"other"}', 'cosine', 'other'],
    ...['ada002', 'bert', 'cohere-v3', 'gecko', 'nv-qa-4', 'openai-v3-large', 'openai-v3-small'].map(
      (model) => [`{"sourceModel":"${model}"}`, 'dot_product', model] as const,
    ),
    ['{"metric":"euclidean","sourceModel":"bert"}', 'euclidean', 'bert'],
    ['{"metric":"cosine","sourceModel":"gecko"}', 'cosine', 'gecko'],
  ];
  for (const [options, metric, sourceModel] of cases) {
    it(`takes the options ${options}`, async () => {
      await table(create('chosen', 'v', options), ok);
      await listed(described('chosen', 'v', metric, sourceModel));
      await drop('chosen');
    });
  }

  it('makes an index on each vector column, and none twice', async () => {
    await table(create('first', 'v', '{}', ',"indexType":"vector","options":{"ifNotExists":false}'), ok);
    const exists = failed('SCHEMA CANNOT_ADD_EXISTING_INDEX: Index exists');
    await table(create('first', 'w'), exists, 'first');
    await table(create('second', 'v'), exists, 'first', 'v(vector<float,2>)');
    await table(create('first', 'w', '{}', ',"options":{"ifNotExists":true}'), ok);
    await table(create('second', 'w', '{"metric":"euclidean"}'), ok);
    await listed(described('first', 'v', 'cosine', 'other'), described('second', 'w', 'euclidean', 'other'));
    await table(
      '{"createIndex":{"name":"third","definition":{"column":"v"}}}',
      failed('SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index'),
      'v(vector<float,2>)',
    );
    await table(
      '{"alterTable":{"operation":{"drop":{"columns":["w"]}}}}',
      failed('SCHEMA CANNOT_DROP_INDEXED_COLUMNS: Indexed columns cannot be dropped'),
      'second',
    );
    await drop('first');
    await drop('second');
  });

  const noVectors = 'SCHEMA UNSUPPORTED_VECTOR_INDEX_FOR_DATA_TYPES: Column cannot have a vector index';
  const badValue = 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid';
  const refusals: readonly (readonly [body: string, problem: string, fact: string])[] = [
    [create('ix', 'n'), noVectors, 'the column n(int) is not a vector column'],
    [create('ix', 'x'), 'SCHEMA UNKNOWN_INDEX_COLUMN: Column of the index unknown', 'no column "x"'],
    [create('ix', ''), badValue, '"command.definition.column"'],
    [create('i-x', 'v'), 'SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported', 'an index'],
    [
      create('ix', 'v', '{"metric":"COSINES"}'),
      badValue,
      'it must be one of "cosine", "dot_product", "euclidean"',
    ],
    [create('ix', 'v', '{"metric":""}'), badValue, '"command.definition.options.metric"'],
    [
      create('ix', 'v', '{"metric":5}'),
      'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch',
      'command.definition.options.metric',
    ],
    [
      create('ix', 'v', '{"sourceModel":"ada-002"}'),
      'SCHEMA UNKNOWN_VECTOR_SOURCE_MODEL: Source model of a vector index unknown',
      'Source models: ada002, bert, cohere-v3, gecko, nv-qa-4, openai-v3-large, openai-v3-small, other.',
    ],
    [create('ix', 'v', '{"ascii":true}'), 'COMMAND_FIELD_UNKNOWN: Command field unknown', '"ascii"'],
    [
      create('ix', 'v', '{}', ',"indexType":"regular"'),
      'SCHEMA UNSUPPORTED_INDEX_TYPE: Index type belongs to another command',
      '"vector"',
    ],
  ];
  for (const [body, problem, fact] of refusals) {
    it(`refuses ${body.slice('{"createVectorIndex":'.length, -1)}`, () => table(body, failed(problem), fact));
  }

  it('cosine index on one dimension: refused, other metrics are not', async () => {
    const refused = failed('SCHEMA UNSUPPORTED_VECTOR_DIMENSION: Vector dimension not supported');
    await table(create('ix', 'one'), refused, 'a whole number from 2 to 8192');
    await table(create('ix', 'one', '{"metric":"cosine","sourceModel":"bert"}'), refused, 'one');
    await table(create('ix', 'one', '{"sourceModel":"bert"}'), ok);
    await drop('ix');
  });
});

describe('zero vectors', () => {
  const insert = (document: string, id: number) =>
    table(
      `{"insertOne":{"document":${document}}}`,
      `{"status":{"insertedIds":[["a",${id}]],"primaryKeySchema":{"part":{"type":"text"},"id":{"type":"int"}}}}`,
    );
  const remove = () => table('{"deleteMany":{"filter":{}}}', '{"status":{"deletedCount":-1}}');

  it('a zero vector written to a column with a cosine index: refused', async () => {
    await table(create('ix', 'v'), ok);
    const badValues = 'INVALID_COLUMN_VALUES: Values do not fit their columns';
    for (const zero of ['[0,0]', '[-0.0,0]', '[1e-99,0]', '{"$binary":"AAAAAIAAAAA="}']) {
      await table(
        `{"insertOne":{"document":{"part":"a","id":1,"v":${zero}}}}`,
        `{"errors":[<REQUEST DOCUMENT ${badValues}>]}`,
        'v(vector<float,2>) - Cause: a zero vector has no direction',
      );
      await table(
        `{"updateOne":{"filter":{"part":"a","id":1},"update":{"$set":{"v":${zero}}}}}`,
        `{"errors":[<REQUEST UPDATE ${badValues}>]}`,
        'v(vector<float,2>) - Cause: a zero vector has no direction',
      );
    }
    await insert('{"part":"a","id":1,"v":[1e-45,0]}', 1);
    await drop('ix');
    await remove();
  });

  it('zero vectors (embedded): are taken without an index, and under one with another metric', async () => {
    await insert('{"part":"a","id":1,"v":[0,0],"w":[0,0]}', 1);
    for (const options of ['{"metric":"dot_product"}', '{"metric":"euclidean"}', '{"sourceModel":"gecko"}']) {
      await table(create('ix', 'v', options), ok);
      await insert('{"part":"a","id":2,"v":[0,0]}', 2);
      await drop('ix');
    }
    await remove();
  });

  it('zero vectors under a new cosine index: refused, naming some rows (embedded)', async () => {
    await insert('{"part":"a","id":1,"v":[0,1]}', 1);
    await insert('{"part":"a","id":2}', 2);
    await table(create('ix', 'v'), ok);
    await drop('ix');
    for (const id of [3, 4, 5, 6, 7]) await insert(`{"part":"a","id":${id},"v":[0,-0.0]}`, id);
    await table(
      create('ix', 'v'),
      failed(noVectorIndex),
      'v(vector<float,2>) holds zero vectors',
      'in the rows with the keys ["a",3], ["a",4], ["a",5] and others',
    );
    await listed();
    await table(create('ix', 'v', '{"metric":"dot_product"}'), ok);
    await drop('ix');
    await remove();
    await table(create('ix', 'v'), ok);
    await drop('ix');
  });
  const noVectorIndex = 'SCHEMA UNSUPPORTED_VECTOR_INDEX_FOR_DATA_TYPES: Column cannot have a vector index';
});
