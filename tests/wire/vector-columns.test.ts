// vector columns: their definitions, their values in and out, and every error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const { at, send, restart } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"rows","definition":{"columns":{"id":"int","v":{"type":"vector","dimension":3},
        "w":{"type":"vector","dimension":"1"}},"primaryKey":"id"}}}`.replaceAll(/\n\s*/g, ''),
    ],
  ],
});
const keyspace = at('/v1/default_keyspace');
const table = at('/v1/default_keyspace/rows');
const ok = '{"status":{"ok":1}}';
const done = '{"status":{"matchedCount":1,"modifiedCount":1}}';
const described = (dimension: number) =>
  `{"type":"vector","dimension":${dimension},"apiSupport":{"createTable":true,
  "insert":true,"read":true,"filter":false,"cqlDefinition":"vector<float, ${dimension}>"}}`.replaceAll(
    /\n\s*/g,
    '',
  );
const schema = `"projectionSchema":{"id":{"type":"int"},"v":${described(3)},"w":${described(1)}}`;

const insert = (document: string, id: number) =>
  table(
    `{"insertOne":{"document":${document}}}`,
    `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`,
  );
const set = (id: number, columns: string) =>
  table(`{"updateOne":{"filter":{"id":${id}},"update":{"$set":${columns}}}}`, done);
const expect = (id: number, document: string) =>
  table(`{"findOne":{"filter":{"id":${id}}}}`, `{"data":{"document":${document}},"status":{${schema}}}`);
const binary = (...floats: readonly number[]) => {
  const bytes = Buffer.alloc(floats.length * 4);
  for (const [at, float] of floats.entries()) bytes.writeFloatBE(float, at * 4);
  return `{"$binary":"${bytes.toString('base64')}"}`;
};

describe('columns of vectors', () => {
  it('are described with their dimension and with what cannot be done with them', async () => {
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    assert.ok(text.includes(`"columns":{"id":{"type":"int"},"v":${described(3)},"w":${described(1)}}`), text);
  });

  it('are added and dropped, each with its own dimension', async () => {
    const columns = (text: string) => `{"alterTable":{"operation":${text}}}`;
    await keyspace(
      '{"createTable":{"name":"changing","definition":{"columns":{"id":"int"},"primaryKey":"id"}}}',
      ok,
    );
    const changing = at('/v1/default_keyspace/changing');
    await changing(
      columns(
        '{"add":{"columns":{"a":{"type":"vector","dimension":8192},"b":{"dimension":2,"type":"vector"}}}}',
      ),
      ok,
    );
    await changing(
      '{"find":{"filter":{"id":1}}}',
      `{"data":{"documents":[],"nextPageState":null},"status":{"projectionSchema":{"id":{"type":"int"},
        "a":${described(8192)},"b":${described(2)}}}}`,
    );
    await changing(columns('{"drop":{"columns":["a"]}}'), ok);
    await changing(
      columns('{"add":{"columns":{"a":{"type":"vector","dimension":8191}}}}'),
      `{"status":{"ok":0},"errors":[<REQUEST SCHEMA CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN: Column was dropped with
        another type>]}`.replaceAll(/\n\s*/g, ' '),
      'a(vector<float,8191>)',
      'vector<float,8192>',
    );
    await changing(columns('{"add":{"columns":{"a":{"type":"vector","dimension":8192}}}}'), ok);
    await keyspace('{"dropTable":{"name":"changing"}}', ok);
  });
});

describe('a definition of a vector', () => {
  const define = (type: string, key = '"id"') =>
    `{"createTable":{"name":"t","definition":{"columns":{"id":"int","c":${type}},"primaryKey":${key}}}}`;
  const missing = 'SCHEMA MISSING_DIMENSION_IN_VECTOR_COLUMN: Vector dimension missing';
  const unsupported = 'SCHEMA UNSUPPORTED_VECTOR_DIMENSION: Vector dimension not supported';
  const cases: readonly (readonly [type: string, problem: string, fact: string])[] = [
    ['{"type":"vector"}', missing, 'from 1 to 8192'],
    ['{"type":"vector","dimension":null}', missing, 'column c'],
    ['{"type":"vector","dimension":0}', unsupported, 'the number 0'],
    ['{"type":"vector","dimension":-3}', unsupported, 'the number -3'],
    ['{"type":"vector","dimension":1.5}', unsupported, 'the number 1.5'],
    ['{"type":"vector","dimension":"three"}', unsupported, 'the string "three"'],
    ['{"type":"vector","dimension":[3]}', unsupported, 'an array of 1 element'],
    [
      '"vector"',
      'SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown',
      '{"type": "vector", "dimension": 384}',
    ],
    ['{"type":"vector","size":3}', 'COMMAND_FIELD_UNKNOWN: Command field unknown', '"size"'],
  ];
  for (const [type, problem, fact] of cases) {
    it(`cannot be ${type}, in createTable and alterTable`, async () => {
      const refused = `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
      await keyspace(define(type), refused, fact);
      await table(`{"alterTable":{"operation":{"add":{"columns":{"c":${type}}}}}}`, refused, fact);
    });
  }

  for (const dimension of ['8193', '"100000"', '1e9']) {
    it(`dimension over 8192: refused is ${dimension}`, () =>
      keyspace(
        define(`{"type":"vector","dimension":${dimension}}`),
        `{"status":{"ok":0},"errors":[<REQUEST ${unsupported}>]}`,
        'from 1 to 8192',
      ));
  }

  it('duration, vector, counter, list, set, map in a key: refused is a vector', async () => {
    const refused =
      `{"status":{"ok":0},"errors":[<REQUEST SCHEMA UNSUPPORTED_PRIMARY_KEY_TYPES: Column types not
      supported in the primary key>]}`.replaceAll(/\n\s*/g, ' ');
    const vector = '{"type":"vector","dimension":2}';
    await keyspace(define(vector, '"c"'), refused, 'c(vector<float,2>)');
    await keyspace(define(vector, '{"partitionBy":["id"],"partitionSort":{"c":1}}'), refused, 'c(vector');
  });
});

describe('vectors', () => {
  it('are written as arrays, and come back as the shortest numbers of the same 32-bit floats', async () => {
    await insert('{"id":1,"v":[0.1,-3,1e0],"w":[16777217]}', 1);
    await expect(1, '{"id":1,"v":[0.1,-3.0,1.0],"w":[16777216.0]}');
    await insert('{"id":1,"v":[0.12345678901234567890123,-0.0,1e17]}', 1);
    await expect(1, '{"id":1,"v":[0.12345679,-0.0,100000000000000000.0],"w":[16777216.0]}');
    await insert('{"id":1,"v":[1e-45,1e-99,-1.1754944e-38],"w":null}', 1);
    await expect(1, '{"id":1,"v":[1e-45,0.0,-1.1754944e-38]}');
  });

  it('vectors with large elements (embedded): go to the greatest 32-bit float', async () => {
    await insert('{"id":7,"v":[3.4028235e38,1,-3.4028235e38]}', 7);
    await expect(7, '{"id":7,"v":[3.4028235e+38,1.0,-3.4028235e+38]}');
  });

  it('zero vectors (embedded): are taken without an index', async () => {
    await insert('{"id":8,"v":[0,-0.0,0],"w":[0]}', 8);
    await expect(8, '{"id":8,"v":[0.0,-0.0,0.0],"w":[0.0]}');
  });

  it('are written as big-endian floats in base64, and come back as arrays', async () => {
    await insert(`{"id":2,"v":{"$binary":"PczMzT9AAAC/gAAA"},"w":${binary(2)}}`, 2);
    await expect(2, '{"id":2,"v":[0.1,0.75,-1.0],"w":[2.0]}');
  });

  it('are set and unset by updateOne, also where they make the row', async () => {
    await set(3, '{"v":[1,2,3]}');
    await expect(3, '{"id":3,"v":[1.0,2.0,3.0]}');
    await set(3, `{"v":${binary(4, 5, 6)},"w":[7]}`);
    await expect(3, '{"id":3,"v":[4.0,5.0,6.0],"w":[7.0]}');
    await table('{"updateOne":{"filter":{"id":3},"update":{"$unset":{"v":1},"$set":{"w":null}}}}', done);
    await expect(3, 'null');
  });

  it('are written by insertMany, which stores its good rows beside the errors', () =>
    table(
      '{"insertMany":{"documents":[{"id":4,"v":[1,1,1]},{"id":5,"v":[1,1]},{"id":6}]}}',
      `{"status":{"insertedIds":[[4],[6]],"primaryKeySchema":{"id":{"type":"int"}}},"errors":[<REQUEST DOCUMENT
        INVALID_COLUMN_VALUES: Values do not fit their columns>]}`.replaceAll(/\n\s*/g, ' '),
      'v(vector<float,3>) - Cause: expected a vector of 3 elements (12 bytes), found 2 elements.',
    ));

  it('of 8,192 elements come back, also after a restart', async () => {
    await keyspace(
      `{"createTable":{"name":"large","definition":{"columns":{"id":"int","v":{"type":"vector","dimension":8192}},
        "primaryKey":"id"}}}`,
      ok,
    );
    const vector = `[${Array.from({ length: 8192 }, (_, place) => (place - 4096) / 8).join(',')}]`;
    const large = { path: '/v1/default_keyspace/large' };
    const body = `{"insertOne":{"document":{"id":1,"v":${vector}}}}`;
    assert.ok(!(await send({ ...large, body })).text.includes('errors'));
    await restart();
    const { text } = await send({ ...large, body: '{"findOne":{"filter":{"id":1},"projection":{"v":1}}}' });
    const shown = vector.replaceAll(/-?\d+(?=[,\]])(?<![.]\d+)/g, '$&.0');
    assert.ok(text.startsWith(`{"data":{"document":{"v":${shown}}}`));
  });
});

describe('values of vector columns are refused', () => {
  const badValues = 'INVALID_COLUMN_VALUES: Values do not fit their columns';
  const cases: readonly (readonly [row: string, value: string, cause: string])[] = [
    ['wrong length', '[]', 'expected a vector of 3 elements (12 bytes), found 0 elements.'],
    ['wrong length', '[1,2,3,4]', 'expected a vector of 3 elements (12 bytes), found 4 elements.'],
    ['wrong length', binary(1, 2), 'expected a vector of 3 elements (12 bytes), found 8 bytes.'],
    [
      'NaN, Infinity or a non-number in a vector',
      '[1,"NaN",3]',
      'element 2: expected a number, found a string.',
    ],
    ['NaN, Infinity or a non-number in a vector', '[1,2,null]', 'element 3: expected a number, found null.'],
    [
      'NaN, Infinity or a non-number in a vector',
      '[[1],2,3]',
      'element 1: expected a number, found an array.',
    ],
    [
      'NaN, Infinity or a non-number in a vector',
      '[1,2,1e39]',
      'element 3: 1e39 is outside the range of a float.',
    ],
    [
      'NaN, Infinity or a non-number in a vector',
      binary(1, Number.NaN, 1),
      'element 2 is NaN, which is not finite.',
    ],
    ['NaN, Infinity or a non-number in a vector', binary(1, 1, -Infinity), 'element 3 is -Infinity, which'],
    ['bad base64', '{"$binary":"PczMzT9AAAC/gAA"}', '"PczMzT9AAAC/gAA" is not base64 with padding.'],
    ['bad base64', '{"$binary":5}', 'expected a base64 string in "$binary", found a number.'],
    ['another kind', '{"$binary":"PczMzT9AAAC/gAAA","x":1}', 'without other members.'],
    [
      'another kind',
      '{"$vector":[1,2,3]}',
      'expected an object {"$binary": "<base64>"} without other members.',
    ],
    ['another kind', '1', 'expected an array of 3 numbers, or {"$binary": "<base64>"}, found a number.'],
    ['another kind', 'true', 'found a boolean.'],
  ];
  for (const [row, value, cause] of cases) {
    it(`${row}: ${value}, by insertOne and $set`, async () => {
      await table(
        `{"insertOne":{"document":{"id":100,"v":${value}}}}`,
        `{"errors":[<REQUEST DOCUMENT ${badValues}>]}`,
        'v(vector<float,3>) - Cause: ',
        cause,
      );
      await table(
        `{"updateOne":{"filter":{"id":100},"update":{"$set":{"v":${value}}}}}`,
        `{"errors":[<REQUEST UPDATE ${badValues}>]}`,
        cause,
      );
    });
  }

  it('texts, where the column has no service; other bad values come first', async () => {
    const inDocument =
      'DOCUMENT UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION: Text for a vector column without service';
    const inUpdate =
      'UPDATE UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION: Text for a vector column without service';
    const insertOne = (document: string) => `{"insertOne":{"document":${document}}}`;
    await table(
      insertOne('{"v":"a text","w":""}'),
      `{"errors":[<REQUEST ${inDocument}>]}`,
      'v(vector<float,3>), w(vector<float,1>)',
    );
    await table(
      insertOne('{"v":"a text","w":[]}'),
      `{"errors":[<REQUEST DOCUMENT ${badValues}>]}`,
      'w(vector',
    );
    await table(
      insertOne('{"v":"a text","x":1}'),
      '{"errors":[<REQUEST DOCUMENT UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}',
    );
    const setBoth = (values: string) => `{"updateOne":{"filter":{"id":100},"update":{"$set":${values}}}}`;
    await table(setBoth('{"v":"a text"}'), `{"errors":[<REQUEST ${inUpdate}>]}`, 'v(vector<float,3>)');
    await table(setBoth('{"v":"a text","w":[]}'), `{"errors":[<REQUEST UPDATE ${badValues}>]}`, 'w(vector');
  });

  it('and nothing of them is stored', () => expect(100, 'null'));
});

describe('vector columns cannot be', () => {
  const filtered = '<REQUEST FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column>';
  for (const filter of [
    '[1,2,3]',
    '5',
    binary(1, 2, 3),
    '{"$in":[[1,2,3]]}',
    '{"$gt":1}',
    'null',
    '"text"',
  ]) {
    it(`a filter operation that the column cannot take: compared with ${filter}`, async () => {
      for (const command of ['find', 'findOne']) {
        await table(
          `{"${command}":{"filter":{"v":${filter}}}}`,
          `{"errors":[${filtered}]}`,
          'columns of the type vector<float,3> cannot be filtered',
        );
      }
    });
  }

  it('pushed to or pulled from', async () => {
    for (const clause of ['{"$push":{"v":1}}', '{"$pullAll":{"v":[1]}}']) {
      await table(
        `{"updateOne":{"filter":{"id":1},"update":${clause}}}`,
        `{"errors":[<REQUEST UPDATE UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the
          column>]}`.replaceAll(/\n\s*/g, ' '),
        'v(vector<float,3>)',
      );
    }
  });

  it('in a regular index, whatever part is named', async () => {
    const create = (column: string) => `{"createIndex":{"name":"ix","definition":{"column":${column}}}}`;
    const refused = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST SCHEMA ${problem}>]}`;
    const noIndex = 'UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index';
    await table(create('"v"'), refused(noIndex), 'v(vector<float,3>)');
    const { text } = await send({ path: '/v1/default_keyspace/rows', body: create('{"v":"$values"}') });
    assert.match(shortened(text), /SCHEMA INVALID_FORMAT_FOR_INDEX_CREATION_COLUMN/);
  });
});
