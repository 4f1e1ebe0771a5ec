// find and findOne: filters, projections and warnings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const { at, send } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"readings","definition":{
        "columns":{"place":"text","at":"int","no":"int","value":"double","wait":"duration","note":"text","_id":"int"},
        "primaryKey":{"partitionBy":["place"],"partitionSort":{"at":1,"no":-1}}}}}`,
    ],
    [
      '/v1/default_keyspace/readings',
      `{"insertMany":{"documents":[
        {"place":"b","at":1,"no":1,"value":1.5,"note":"x","_id":1},
        {"place":"a","at":1,"no":1,"value":0.5,"wait":"1h","_id":2},
        {"place":"a","at":1,"no":2,"note":"y","_id":3},
        {"place":"a","at":2,"no":1,"value":"NaN","_id":4}]}}`,
    ],
  ],
});
const table = at('/v1/default_keyspace/readings');

const schemas: Readonly<Record<string, string>> = {
  place: 'text',
  at: 'int',
  no: 'int',
  value: 'double',
  wait: 'duration',
  note: 'text',
  _id: 'int',
};
const schemaOf = (...names: readonly string[]) =>
  `"projectionSchema":{${names.map((name) => `"${name}":{"type":"${schemas[name]}"}`).join(',')}}`;
const all = schemaOf(...Object.keys(schemas));
const zeroFilter = '<REQUEST WARNING ZERO_FILTER_OPERATIONS: Read without a filter>';
const missingIndex = '<REQUEST WARNING MISSING_INDEX: Filter without an index>';
const incompleteKey = '<REQUEST WARNING INCOMPLETE_PRIMARY_KEY_FILTER: Primary key incomplete in the filter>';
const warned = (warning: string) => (warning === '' ? '' : `,"warnings":[${warning}]`);

/** Finds with a filter and expects the rows with these values of `_id`. */
function finds(
  filter: string,
  ids: readonly number[],
  warning: string,
  ...facts: readonly string[]
): Promise<void> {
  const documents = ids.map((id) => `{"_id":${id}}`).join(',');
  return table(
    `{"find":{"filter":${filter},"projection":{"_id":1}}}`,
    `{"data":{"documents":[${documents}],"nextPageState":null},"status":{${schemaOf('_id')}${warned(warning)}}}`,
    ...facts,
  );
}

/** Expects a find and a findOne with this filter to be refused. */
async function refuses(filter: string, problem: string, ...facts: readonly string[]): Promise<void> {
  for (const command of ['find', 'findOne']) {
    await table(`{"${command}":{"filter":${filter}}}`, `{"errors":[<REQUEST ${problem}>]}`, ...facts);
  }
}

describe('find and findOne', () => {
  it('unsorted reads (embedded): rows come by primary key', () =>
    table(
      '{"find":{}}',
      `{"data":{"documents":[
          {"place":"a","at":1,"no":2,"note":"y","_id":3},
          {"place":"a","at":1,"no":1,"value":0.5,"wait":"PT1H","_id":2},
          {"place":"a","at":2,"no":1,"value":"NaN","_id":4},
          {"place":"b","at":1,"no":1,"value":1.5,"note":"x","_id":1}],"nextPageState":null},
        "status":{${all}${warned(zeroFilter)}}}`,
      'readings',
    ));

  it('give one row, or null', async () => {
    await table(
      '{"findOne":{"filter":{"place":"a","at":1,"no":1},"projection":{"_id":1}}}',
      `{"data":{"document":{"_id":2}},"status":{${schemaOf('_id')}}}`,
    );
    await table(
      '{"findOne":{"filter":{"place":"a","at":9,"no":1},"projection":{"_id":1}}}',
      `{"data":{"document":null},"status":{${schemaOf('_id')}}}`,
    );
    await table(
      '{"find":{"filter":{"place":"z"},"projection":{"_id":1}}}',
      `{"data":{"documents":[],"nextPageState":null},"status":{${schemaOf('_id')}}}`,
    );
  });

  it('take null for filter, projection, sort and options', () =>
    table(
      '{"findOne":{"filter":null,"projection":null,"sort":null,"options":null}}',
      `{"data":{"document":{"place":"a","at":1,"no":2,"note":"y","_id":3}},"status":{${all}${warned(zeroFilter)}}}`,
    ));

  it('take the options for similarity, which change nothing without a vector', () =>
    table(
      `{"findOne":{"filter":{"place":"b"},"projection":{"_id":1},
        "options":{"includeSimilarity":true,"includeSortVector":false}}}`,
      `{"data":{"document":{"_id":1}},"status":{${schemaOf('_id')}}}`,
    ));

  it('need a limit of at least 1 and a skip of at least 0, as whole numbers', async () => {
    const invalid = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
    const mismatch = '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}';
    await table('{"find":{"options":{"limit":0}}}', invalid, '"command.options.limit"', 'the number 0');
    await table('{"find":{"options":{"limit":-1}}}', invalid);
    await table('{"find":{"options":{"limit":2147483648}}}', invalid);
    await table('{"find":{"sort":{"at":1},"options":{"skip":-1}}}', invalid, '"command.options.skip"');
    await table('{"find":{"options":{"limit":1.5}}}', mismatch, 'command.options.limit');
    await table('{"find":{"options":{"limit":"1"}}}', mismatch);
    await table('{"find":{"options":{"includeSimilarity":1}}}', mismatch);
    await table(
      '{"findOne":{"options":{"limit":1}}}',
      '{"errors":[<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>]}',
      'Known fields: includeSimilarity, includeSortVector.',
    );
  });

  it('take a skip of 0 as none', async () => {
    const skips = ['', '"skip":0'];
    for (const parts of ['', '"sort":{},', '"sort":{"at":-1},', '"filter":{"place":"a"},"sort":{"at":1},']) {
      const [without, zero] = await Promise.all(
        skips.map((skip) =>
          send({ path: '/v1/default_keyspace/readings', body: `{"find":{${parts}"options":{${skip}}}}` }),
        ),
      );
      assert.equal(shortened(zero?.text ?? ''), shortened(without?.text ?? ''), parts);
      assert.ok(!zero?.text.includes('"errors"'), zero?.text);
    }
  });

  for (const sort of ['', '"sort":null,', '"sort":{},']) {
    it(`refuse a skip without a sort: ${sort || 'absent'}`, () =>
      table(
        `{"find":{${sort}"options":{"skip":5}}}`,
        '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}',
        '"command.options.skip"',
        '"skip" needs a "sort"',
        'It was: the number 5.',
      ));
  }
});

describe('projections', () => {
  const key = '"filter":{"place":"b","at":1,"no":1}';
  const row = '{"place":"b","at":1,"no":1,"value":1.5,"note":"x","_id":1}';
  const rest = '{"at":1,"no":1,"value":1.5,"note":"x","_id":1}';
  const without = schemaOf('at', 'no', 'value', 'wait', 'note', '_id');
  const selections: readonly (readonly [projection: string, document: string, schema: string])[] = [
    ['{}', row, all],
    ['{"*":1}', row, all],
    ['{"*":true}', row, all],
    ['[]', row, all],
    ['"value"', row, all],
    ['5', row, all],
    ['false', row, all],
    ['{"value":1,"at":true}', '{"at":1,"value":1.5}', schemaOf('at', 'value')],
    ['{"value":7}', '{"value":1.5}', schemaOf('value')],
    ['{"value":0.0}', '{"value":1.5}', schemaOf('value')],
    ['{"wait":1}', '{}', schemaOf('wait')],
    ['{"value":1,"nothing":1}', '{"value":1.5}', schemaOf('value')],
    ['{"place":0}', rest, without],
    ['{"place":-0}', rest, without],
    ['{"place":false,"nothing":0}', rest, without],
  ];
  for (const [projection, document, schema] of selections) {
    it(`select columns: ${projection}`, () =>
      table(
        `{"findOne":{${key},"projection":${projection}}}`,
        `{"data":{"document":${document}},"status":{${schema}}}`,
      ));
  }

  const parameter = 'PROJECTION UNSUPPORTED_PROJECTION_PARAM: Projection parameter not supported';
  const unknown = 'PROJECTION UNKNOWN_TABLE_COLUMNS: Columns unknown in the table';
  const refusals: readonly (readonly [projection: string, problem: string, fact: string])[] = [
    ['{"at":1,"no":0}', parameter, 'includes some columns and excludes others'],
    ['{"at":{"x":1}}', parameter, 'the value for "at" is an object'],
    ['{"at":"yes"}', parameter, 'the value for "at" is the string "yes"'],
    ['{"at":null}', parameter, 'the value for "at" is null'],
    ['{"at":[1]}', parameter, 'the value for "at" is an array'],
    ['{"":1}', parameter, 'empty name'],
    ['{"*":1,"at":1}', parameter, '"*" must be the only member'],
    ['{"*":0}', unknown, 'Unknown columns: *.'],
    ['{"nothing":1,"x":1}', unknown, 'Unknown columns: nothing, x.'],
    ['{"nothing":0}', unknown, 'The projection has only columns that the table readings does not have.'],
    [
      '["at"]',
      'PROJECTION UNSUPPORTED_PROJECTION_DEFINITION: Projection is not an object',
      'an array of 1 element',
    ],
  ];
  for (const [projection, problem, fact] of refusals) {
    it(`a projection array gives its proper error: so does ${projection}`, async () => {
      await table(`{"find":{"projection":${projection}}}`, `{"errors":[<REQUEST ${problem}>]}`, fact);
      await table(`{"findOne":{"projection":${projection}}}`, `{"errors":[<REQUEST ${problem}>]}`, fact);
    });
  }
});

describe('filters', () => {
  const cases: readonly (readonly [filter: string, ids: readonly number[], warning: string])[] = [
    ['{"place":"a"}', [3, 2, 4], ''],
    ['{"place":"a","at":1}', [3, 2], ''],
    ['{"place":"a","at":{"$gt":1}}', [4], ''],
    ['{"place":{"$eq":"a"},"at":1,"no":{"$lte":1}}', [2], ''],
    ['{"place":{"$in":["b","a","a","z"]}}', [3, 2, 4, 1], ''],
    ['{"$and":[{"place":"a"},{"at":1}]}', [3, 2], ''],
    ['{"$or":[{"place":"b"},{"place":"z"}]}', [1], ''],
    ['{"at":1}', [3, 2, 1], incompleteKey],
    ['{"place":"a","no":1}', [2, 4], incompleteKey],
    ['{"value":{"$gte":1}}', [4, 1], missingIndex],
    ['{"value":{"$gt":0.5,"$lt":"Infinity"}}', [1], missingIndex],
    ['{"note":{"$ne":"x"}}', [3], missingIndex],
    ['{"note":{"$in":["x","y"]}}', [3, 1], missingIndex],
    ['{"wait":"PT1H"}', [2], missingIndex],
    ['{"wait":{"$in":["1h"]}}', [2], missingIndex],
    ['{"$not":{"note":"x"}}', [3], missingIndex],
    ['{"$not":{"$or":[{"note":"x"},{"value":{"$gt":0}}]}}', [], missingIndex],
    ['{"$or":[{"note":"x"},{"_id":4}]}', [4, 1], missingIndex],
    ['{"$and":[{}]}', [3, 2, 4, 1], zeroFilter],
    ['{}', [3, 2, 4, 1], zeroFilter],
  ];
  for (const [filter, ids, warning] of cases) {
    it(`find the rows that match ${filter}`, () => finds(filter, ids, warning));
  }

  it('null: `$in: []` matches nothing, `$nin: []` rows that have a value', async () => {
    await finds('{"note":{"$in":[]}}', [], missingIndex);
    await finds('{"note":{"$nin":[]}}', [3, 1], missingIndex);
    await finds('{"place":{"$in":[]}}', [], '');
  });

  it('`$or` on the partition key: finds the rows of every partition', async () => {
    await finds('{"$or":[{"place":"b"},{"place":"a","at":1}]}', [3, 2, 1], '');
    await finds('{"$or":[{"place":{"$in":["a","z"]}},{"place":"b"}]}', [3, 2, 4, 1], '');
  });

  it('`$or`, `$ne`, `$nin`, `$not` run without a retry: no warning says so', async () => {
    await finds('{"$or":[{"note":{"$ne":"x"}},{"at":2}]}', [3, 4], missingIndex);
    await finds('{"$not":{"note":{"$nin":["x"]}}}', [1], missingIndex);
  });

  it('name in their warning what they lack', async () => {
    await finds('{"no":1,"note":"x"}', [1], missingIndex, 'no(int), note(text)');
    await finds('{"no":1}', [2, 4, 1], incompleteKey, 'Missing: place(text), at(int).');
  });

  it('every filter on a column counts for warnings, not only the last', () =>
    finds('{"$and":[{"note":"x"},{"place":"b"}]}', [1], missingIndex, 'place(text), note(text)'));

  it('several comparisons on a column named `_id` are allowed', () =>
    finds('{"_id":{"$gt":1,"$lt":4}}', [3, 2], missingIndex));

  it('may have 64 comparisons and 100 values in a list, not more', async () => {
    const comparisons = (count: number) => Array.from({ length: count }, () => '{"at":{"$gte":2}}').join(',');
    await finds(`{"$and":[${comparisons(64)}]}`, [4], incompleteKey);
    await refuses(
      `{"$and":[${comparisons(65)}]}`,
      'FILTER FILTER_FIELDS_LIMIT_VIOLATION: Too many comparisons in the filter',
      '65 comparisons; at most 64',
    );
    const values = (count: number) => Array.from({ length: count }, (_, id) => id + 1).join(',');
    await finds(`{"_id":{"$in":[${values(100)}]}}`, [3, 2, 4, 1], missingIndex);
    await refuses(
      `{"_id":{"$nin":[${values(101)}]}}`,
      'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed',
      '101 values; at most 100',
    );
  });

  it('must be an object', () =>
    table(
      '{"find":{"filter":[]}}',
      '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}',
      'command.filter',
    ));
});

describe('filters that are refused', () => {
  const malformed = 'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed';
  const unknownOperator = 'FILTER FILTER_UNSUPPORTED_OPERATOR: Filter operator unknown';
  const object = 'FILTER FILTER_UNSUPPORTED_DATA_TYPE: Filter value of an unsupported kind';
  const badValue = 'FILTER INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column';
  const impossible = 'FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column';
  const unknownColumns = 'FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table';
  const cases: readonly (readonly [row: string, filter: string, problem: string, fact: string])[] = [
    [
      'unknown columns',
      '{"x":1,"at":1,"y":2,"x ":3}',
      unknownColumns,
      'columns that the table readings does not have.\nUnknown columns: x, y, x .',
    ],
    ['unknown columns', '{"$or":[{"at":1},{"a.t":1}]}', unknownColumns, 'Unknown columns: a.t.'],
    [
      'operators',
      '{"at":{"$foo":1}}',
      unknownOperator,
      '"$foo" is not a filter operator on the column at.\nOn a column or path: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin.',
    ],
    ['operators', '{"at":{"$not":{"$gt":1}}}', unknownOperator, 'Around filters: $and, $or, $not.'],
    ['operators', '{"$foo":1}', unknownOperator, '"$foo" is not a filter operator around filters.'],
    ['operators', '{"at":{"$gt":1,"x":2}}', unknownOperator, '"x"'],
    ['objects as values', '{"at":{"x":1}}', object, '"at"'],
    ['objects as values', '{"at":{}}', object, '"at"'],
    ['objects as values', '{"at":{"$in":[{}]}}', object, '"at"'],
    ['arrays as values', '{"at":[1]}', malformed, 'array'],
    ['operands of ranges', '{"at":{"$gt":null}}', malformed, '$gt on "at" cannot compare with null'],
    [
      'operands of ranges',
      '{"at":{"$lte":{"x":1}}}',
      malformed,
      '$lte on "at" cannot compare with an object',
    ],
    ['operands of ranges', '{"at":{"$gte":[1]}}', malformed, '$gte on "at" cannot compare with an array'],
    [
      'operands of ranges',
      '{"$not":{"at":{"$lt":{}}}}',
      malformed,
      '$lt on "at" cannot compare with an object',
    ],
    ['lists', '{"at":{"$in":1}}', malformed, '$in on "at" needs an array'],
    ['lists', '{"at":{"$nin":{"a":1}}}', malformed, '$nin on "at" needs an array'],
    ['null: empty `$and`, `$or`', '{"$and":[]}', malformed, '$and needs an array of at least one'],
    ['null: empty `$and`, `$or`', '{"$or":[]}', malformed, '$or'],
    ['logic', '{"$or":{"at":1}}', malformed, '$or'],
    ['logic', '{"$and":[1]}', malformed, '$and needs an array of filter objects only'],
    ['logic', '{"$not":[{"at":1}]}', malformed, '$not needs one filter object'],
    ['null: null inside `$in`', '{"at":{"$in":[1,null]}}', impossible, 'null'],
    ['null equality, `$exists`, `$size`, `$all` on a scalar column', '{"at":null}', impossible, 'at(int)'],
    [
      'null equality, `$exists`, `$size`, `$all` on a scalar column',
      '{"at":{"$ne":null}}',
      impossible,
      'null',
    ],
    [
      'null equality, `$exists`, `$size`, `$all` on a scalar column',
      '{"at":{"$exists":true}}',
      impossible,
      '$exists',
    ],
    [
      'null equality, `$exists`, `$size`, `$all` on a scalar column',
      '{"at":{"$exists":"x"}}',
      impossible,
      '$exists',
    ],
    [
      'null equality, `$exists`, `$size`, `$all` on a scalar column',
      '{"at":{"$size":1}}',
      impossible,
      '$size',
    ],
    ['null equality, `$exists`, `$size`, `$all` on a scalar column', '{"at":{"$all":1}}', impossible, '$all'],
    ['a filter operation that the column cannot take', '{"wait":{"$gt":"1h"}}', impossible, 'wait(duration)'],
    ['a filter operation that the column cannot take', '{"wait":{"$lte":[1]}}', impossible, '$lte'],
    ['a filter value that cannot be converted', '{"at":"1"}', badValue, 'at(int)'],
    ['a filter value that cannot be converted', '{"at":{"$in":[1,1.5]}}', badValue, 'Cause: '],
    ['a filter value that cannot be converted', '{"at":2147483648}', badValue, '2147483648'],
    ['a filter value that cannot be converted', '{"wait":"soon"}', badValue, '"soon"'],
    ['a filter value that cannot be converted', '{"at":{"$date":5}}', badValue, 'an object'],
    [
      'text search',
      '{"note":{"$match":"x"}}',
      'FILTER CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS: Text search needs a text index',
      'note(text)',
    ],
  ];
  for (const [row, filter, problem, fact] of cases) {
    it(`${row}: ${filter}`, () => refuses(filter, problem, fact));
  }

  it('are looked at for structure, then for unknown columns, then for values', async () => {
    await refuses('{"x":1,"at":{"$foo":1}}', unknownOperator);
    await refuses('{"at":"1","x":1}', unknownColumns);
  });

  it('come before projections, those before sorts', async () => {
    const both = '"projection":{"x":1},"sort":{"x":1}';
    await table(`{"find":{"filter":{"x":1},${both}}}`, `{"errors":[<REQUEST ${unknownColumns}>]}`);
    await table(
      `{"find":{${both}}}`,
      '{"errors":[<REQUEST PROJECTION UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}',
    );
  });
});
