// Sorts by similarity in find and findOne: order, filters, options, and every error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skippedUnlessOnCluster } from '../acceptance/server-args.js';
import { unbroken, useWireServer } from './wire-server.js';

const create = `{"createTable":{"name":"rows","definition":{"columns":{"id":"int","kind":"text","n":"int","t":"text",
  "v":{"type":"vector","dimension":2},"w":{"type":"vector","dimension":2},"u":{"type":"vector","dimension":3},
  "bare":{"type":"vector","dimension":2}},"primaryKey":"id"}}}`;
const index = (column: string, metric: string) =>
  `{"createVectorIndex":{"name":"by_${column}","definition":{"column":"${column}","options":{"metric":"${metric}"}}}}`;
/** Row 7 has no vectors at all. Searches find no two rows equally similar, but those that say so. */
const rows = [
  '{"id":1,"kind":"a","n":1,"v":[1,0],"w":[1,0],"u":[1,0,0]}',
  '{"id":2,"kind":"b","n":2,"v":[1,1],"w":[1,1],"u":[0,1,0]}',
  '{"id":3,"kind":"a","n":3,"v":[0,5],"w":[0,5],"u":[0,0,1]}',
  '{"id":4,"kind":"b","n":4,"v":[-2,0],"w":[-2,0]}',
  '{"id":5,"kind":"a","n":5,"v":[3,1],"w":[3,1]}',
  '{"id":6,"kind":"b","n":6,"v":[0.5,-1],"w":[0.5,-1]}',
  '{"id":7,"kind":"a","n":7}',
];
const path = '/v1/default_keyspace/rows';
const { at, send } = useWireServer({
  prepare: [
    ['/v1/default_keyspace', unbroken(create)],
    [path, `{"insertMany":{"documents":[${rows.join(',')}]}}`],
    [path, index('v', 'cosine')],
    [path, index('w', 'dot_product')],
    [path, index('u', 'euclidean')],
    [path, '{"createIndex":{"name":"by_n","definition":{"column":"n"}}}'],
  ],
});
const table = at(path);
const id = '"projection":{"id":1}';
const schema = '"projectionSchema":{"id":{"type":"int"}}';
const found = (documents: string, status = schema) =>
  `{"data":{"documents":[${documents}],"nextPageState":null},"status":{${status}}}`;
const ids = (...numbers: readonly number[]) => numbers.map((number) => `{"id":${number}}`).join(',');

describe('a vector sort', () => {
  it('gives the rows with a vector, the most similar first', async () => {
    await table(`{"find":{"sort":{"v":[1,0]},${id}}}`, found(ids(1, 5, 2, 6, 3, 4)));
    await table(`{"find":{"sort":{"w":[1,0.1]},${id}}}`, found(ids(5, 2, 1, 3, 6, 4)));
    await table(`{"find":{"sort":{"u":[0,0.9,0.2]},${id}}}`, found(ids(2, 3, 1)));
  });

  it('equally similar rows (embedded): come by key', () =>
    table(`{"find":{"sort":{"u":[5,5,5]},${id}}}`, found(ids(1, 2, 3))));

  it('equally similar rows on a cluster: come in any order', { skip: skippedUnlessOnCluster() }, async () => {
    const { text } = await send({ path, body: `{"find":{"sort":{"u":[5,5,5]},${id}}}` });
    const order = JSON.parse(text).data.documents.map((row: { id: number }) => row.id);
    assert.deepEqual(order.toSorted(), [1, 2, 3]);
  });

  it('shows the similarity by the formulas of Cassandra, as 32-bit floats', async () => {
    const sorted = (column: string, query: string) =>
      `{"find":{"sort":{"${column}":${query}},${id},"options":{"includeSimilarity":true}}}`;
    await table(
      sorted('v', '[1,0]'),
      found(`{"id":1,"$similarity":1.0},{"id":5,"$similarity":0.97434163},{"id":2,"$similarity":0.8535534},
        {"id":6,"$similarity":0.7236068},{"id":3,"$similarity":0.5},{"id":4,"$similarity":0.0}`),
    );
    await table(
      sorted('w', '[1,0.5]'),
      found(`{"id":5,"$similarity":2.25},{"id":3,"$similarity":1.75},{"id":2,"$similarity":1.25},
        {"id":1,"$similarity":1.0},{"id":6,"$similarity":0.5},{"id":4,"$similarity":-0.5}`),
    );
    await table(
      sorted('u', '[0,1,2]'),
      found('{"id":3,"$similarity":0.33333334},{"id":2,"$similarity":0.2},{"id":1,"$similarity":0.14285715}'),
    );
  });

  const isOpposite = (query: string) =>
    table(
      `{"findOne":{"filter":{"id":2},"sort":{"v":${query}},${id},"options":{"includeSimilarity":true}}}`,
      `{"data":{"document":{"id":2,"$similarity":0.0}},"status":{${schema}}}`,
    );

  it('shows 0 for the opposite direction, whatever the lengths', async () => {
    for (const query of ['[-1,-1]', '[-0.25,-0.25]', '[-1e-45,-1e-45]', '[-1e17,-1e17]'])
      await isOpposite(query);
  });

  it('vectors with large elements (embedded): have their opposites', () => isOpposite('[-3e38,-3e38]'));

  it('vectors with large elements (embedded): have an infinite similarity, or none', async () => {
    const sorted = (column: string, query: string) =>
      `{"findOne":{"sort":{"${column}":${query}},${id},"options":{"includeSimilarity":true}}}`;
    const first = (document: string) => `{"data":{"document":${document}},"status":{${schema}}}`;
    await table(sorted('w', '[3e38,0]'), first('{"id":5,"$similarity":"Infinity"}'));
    await table(sorted('w', '[1e38,0]'), first('{"id":5,"$similarity":1.5e+38}'));
    await table(sorted('u', '[0,1e20,0]'), first('{"id":1,"$similarity":0.0}'));
  });

  it('takes a query in base64, and gives it back as a list of numbers', async () => {
    await table(
      `{"find":{"sort":{"v":{"$binary":"PczMzb+AAAA="}},${id},"options":{"limit":2,"includeSortVector":true}}}`,
      found(ids(6, 1), `${schema},"sortVector":[0.1,-1.0]`),
    );
    await table(
      `{"findOne":{"sort":{"v":[0.10,-1.0]},${id},"options":{"includeSortVector":true}}}`,
      `{"data":{"document":{"id":6}},"status":{${schema},"sortVector":[0.1,-1.0]}}`,
    );
  });

  it('gives vectors and similarity beside each other', () =>
    table(
      '{"findOne":{"sort":{"v":[-1,0]},"projection":{"v":1,"id":1},"options":{"includeSimilarity":true}}}',
      `{"data":{"document":{"id":4,"v":[-2.0,0.0],"$similarity":1.0}},"status":{"projectionSchema":{"id":{"type":"int"},
        "v":{"type":"vector","dimension":2,"apiSupport":{"createTable":true,"insert":true,"read":true,"filter":false,
        "cqlDefinition":"vector<float, 2>"}}}}}`,
    ));

  it('is combined with filters, which may warn of what they lack', async () => {
    const where = (filter: string) => `{"find":{"filter":${filter},"sort":{"v":[1,0]},${id}}}`;
    const missing = '"warnings":[<REQUEST WARNING MISSING_INDEX: Filter without an index>]';
    await table(where('{"kind":"a"}'), found(ids(1, 5, 3), `${schema},${missing}`));
    await table(where('{"n":{"$gt":3}}'), found(ids(5, 6, 4)));
    await table(where('{"$or":[{"n":2},{"n":3}]}'), found(ids(2, 3)));
    await table(where('{"id":3}'), found(ids(3)));
    await table(where('{"id":{"$in":[4,1,7,9]}}'), found(ids(1, 4)));
    await table(where('{"id":7}'), found(''));
    await table(where('{"n":{"$in":[]}}'), found(''));
  });

  it('an ANN find: one page of up to the limit, 1000 without one', async () => {
    await table(`{"find":{"sort":{"v":[1,0]},${id},"options":{"limit":2}}}`, found(ids(1, 5)));
    await table(
      `{"find":{"sort":{"v":[1,0]},${id},"options":{"limit":1000,"pageState":""}}}`,
      found(ids(1, 5, 2, 6, 3, 4)),
    );
  });

  it('finds in findOne the most similar row, or none', async () => {
    await table(
      `{"findOne":{"sort":{"u":[0,0,7]},${id},"options":{"includeSimilarity":true}}}`,
      `{"data":{"document":{"id":3,"$similarity":0.027027028}},"status":{${schema}}}`,
    );
    await table(
      `{"findOne":{"filter":{"id":7},"sort":{"u":[0,0,7]},${id}}}`,
      `{"data":{"document":null},"status":{${schema}}}`,
    );
  });

  it('finds a row as soon as it is written, and no more when it is gone or has no vector', async () => {
    const nearest = (number: number) =>
      table(`{"find":{"sort":{"u":[9.5,9,9]},${id},"options":{"limit":1}}}`, found(ids(number)));
    const insert = '{"insertOne":{"document":{"id":8,"u":[8,9,9]}}}';
    await table(insert, '{"status":{"insertedIds":[[8]],"primaryKeySchema":{"id":{"type":"int"}}}}');
    await nearest(8);
    const change = (operator: string) => `{"updateOne":{"filter":{"id":8},"update":${operator}}}`;
    const done = '{"status":{"matchedCount":1,"modifiedCount":1}}';
    await table(change('{"$set":{"u":[-9,-9,-9]}}'), done);
    await nearest(1);
    await table(change('{"$set":{"u":[9,9,9]}}'), done);
    await nearest(8);
    await table(change('{"$unset":{"u":1}}'), done);
    await nearest(1);
    await table(change('{"$set":{"u":[9,9,9]}}'), done);
    await table('{"deleteOne":{"filter":{"id":8}}}', '{"status":{"deletedCount":-1}}');
    await nearest(1);
  });
});

describe('a vector sort is refused', () => {
  const notValid = 'SORT INVALID_VECTOR_SORT_EXPRESSION: Vector to search for not valid';
  const noFloats = 'SORT SORT_CLAUSE_VALUE_INVALID: Value of a sort not usable';
  const others = 'SORT CANNOT_SORT_ON_SPECIAL_WITH_OTHERS: Search cannot be combined with a sort';
  const dimension =
    'SORT CANNOT_VECTOR_SORT_ON_MISMATCHED_VECTOR_DIMENSIONS: Vector dimension differs from the column';
  const cases: readonly (readonly [row: string, sort: string, problem: string, fact: string])[] = [
    ['a sort by the direction of a vector', '{"v":1}', notValid, 'v(vector<float,2>)'],
    ['a sort by the direction of a vector', '{"v":-1}', notValid, 'has the number -1'],
    ['no vector', '{"v":42}', notValid, 'the number 42'],
    ['no vector', '{"v":null}', notValid, 'null'],
    ['no vector', '{"v":true}', notValid, 'the boolean true'],
    ['no vector', '{"v":{"$vector":[1,0]}}', notValid, 'an object of 1 member'],
    ['no vector', '{"n":1,"v":1}', notValid, 'v(vector<float,2>)'],
    ['NaN or Infinity in a query vector', '{"v":[1,"NaN"]}', notValid, 'element 2: expected a number'],
    ['NaN or Infinity in a query vector', '{"v":[1e39,1]}', notValid, 'element 1: 1e39 is outside'],
    ['NaN or Infinity in a query vector', '{"v":{"$binary":"f8AAAD+AAAA="}}', notValid, 'element 1 is NaN'],
    [
      'NaN or Infinity in a query vector',
      '{"v":{"$binary":"P4AAAH+AAAA="}}',
      notValid,
      'element 2 is Infinity',
    ],
    ['a zero query vector on a cosine index', '{"v":[0,-0.0]}', notValid, 'a zero vector has no direction'],
    ['a zero query vector on a cosine index', '{"v":{"$binary":"AAAAAAAAAAA="}}', notValid, 'zero vector'],
    ['bad base64', '{"v":{"$binary":"PczMzb+AAAA"}}', noFloats, 'is not base64 with padding'],
    ['bad base64', '{"v":{"$binary":5}}', noFloats, 'found a number'],
    ['bad base64', '{"v":{"$binary":"AAAAAAAA"}}', noFloats, 'it has 6 bytes'],
    ['another dimension', '{"v":[1,0,0]}', dimension, 'a vector of 3 elements'],
    ['another dimension', '{"v":[]}', dimension, 'The vectors of that column have 2.'],
    ['another dimension', '{"v":{"$binary":"PczMzQ=="}}', dimension, 'a vector of 1 element'],
    ['two searches', '{"v":[1,0],"w":[1,0]}', others, 'Searched by vector: v, w.'],
    ['a search with a sort', '{"n":1,"v":[1,0]}', others, 'Sorted: n.'],
    ['a search with a text', '{"v":[1,0],"t":"x"}', others, 'Searched by vector: v.\nSearched by text: t.'],
    [
      'no index',
      '{"bare":[1,0]}',
      'SORT CANNOT_VECTOR_SORT_NON_INDEXED_VECTOR_COLUMNS: Vector search needs a vector index',
      'Columns with a vector index: v(vector<float,2>), w(vector<float,2>), u(vector<float,3>).',
    ],
    [
      'no vector column',
      '{"t":[1,0]}',
      'SORT CANNOT_VECTOR_SORT_NON_VECTOR_COLUMNS: Vector search needs a vector column',
      't(text)',
    ],
    [
      'no service',
      '{"v":"a text"}',
      'SORT CANNOT_VECTORIZE_SORT_WHEN_MISSING_VECTORIZE_DEFINITION: Search by text needs an embedding service',
      'v(vector<float,2>)',
    ],
  ];
  for (const [row, sort, problem, fact] of cases) {
    it(`${row}: ${sort}`, async () => {
      for (const command of ['find', 'findOne']) {
        await table(`{"${command}":{"sort":${sort}}}`, `{"errors":[<REQUEST ${problem}>]}`, fact);
      }
    });
  }

  const withOptions = (options: string, sort = '{"v":[1,0]}') =>
    `{"find":{"sort":${sort},"options":${options}}}`;
  it('with a limit over 1000', () =>
    table(
      withOptions('{"limit":1001}'),
      '{"errors":[<REQUEST SORT CANNOT_VECTOR_SORT_WITH_LIMIT_EXCEEDS_MAX: Limit of a vector search too high>]}',
      'at most 1000 rows',
    ));

  it('with skip', () =>
    table(
      withOptions('{"skip":1}'),
      '{"errors":[<REQUEST SORT CANNOT_VECTOR_SORT_WITH_SKIP_OPTION: Skip not supported by vector search>]}',
    ));

  it('with a limit over 1000 and skip: one error for each', () =>
    table(
      withOptions('{"limit":1001,"skip":1}'),
      `{"errors":[
        <REQUEST SORT CANNOT_VECTOR_SORT_WITH_LIMIT_EXCEEDS_MAX: Limit of a vector search too high>,
        <REQUEST SORT CANNOT_VECTOR_SORT_WITH_SKIP_OPTION: Skip not supported by vector search>]}`,
    ));

  it('with a page state', () =>
    table(
      withOptions('{"pageState":"x"}'),
      '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
      'command.options.pageState',
      'a vector search has one page',
    ));

  it('in updates and deletes', async () => {
    const sort = '"sort":{"v":[1,0]}';
    const { text } = await send({ path, body: `{"deleteOne":{"filter":{"id":1},${sort}}}` });
    assert.match(text, /UNSUPPORTED_SORT_FOR_TABLE_DELETE_COMMAND/);
  });
});

describe('a find without a vector sort', () => {
  it('takes the options for similarity, which change nothing', () =>
    table(
      `{"find":{"filter":{"id":7},${id},"options":{"includeSimilarity":true,"includeSortVector":true}}}`,
      found(ids(7)),
    ));
});
