// deleteOne and deleteMany, and the filters that name rows by their key.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const path = '/v1/default_keyspace/rows';
const { at, send } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"rows","definition":{"columns":{"p":"int","q":"int","c":"int","d":"int","n":"int"},
        "primaryKey":{"partitionBy":["p","q"],"partitionSort":{"c":1,"d":-1}}}}}`,
    ],
  ],
});
const table = at(path);
const done = '{"status":{"deletedCount":-1}}';
const rows: readonly string[] = [1, 2].flatMap((p) =>
  [1, 2].flatMap((c) => [2, 1].map((d) => `{"p":${p},"q":1,"c":${c},"d":${d}}`)),
);

/** Stores the eight rows, runs a deleteMany, and expects `left` of them to be there still. */
async function deletes(filter: string, left: readonly number[]): Promise<void> {
  await send({ path, body: '{"deleteMany":{}}' });
  await send({ path, body: `{"insertMany":{"documents":[${rows}]}}` });
  await table(`{"deleteMany":{"filter":${filter}}}`, done);
  await table(
    '{"find":{"filter":{"p":{"$in":[1,2]},"q":1},"projection":{"n":0}}}',
    `{"data":{"documents":[${left.map((place) => rows[place]).join(',')}],"nextPageState":null},
      "status":{"projectionSchema":{"p":{"type":"int"},"q":{"type":"int"},"c":{"type":"int"},"d":{"type":"int"}}}}`,
  );
}

const malformed = 'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed';
const noFilter = 'FILTER MISSING_FILTER_FOR_UPDATE_DELETE: Filter missing';
const unknownColumns = 'FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table';
const otherColumns =
  'FILTER UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE: Filter on other columns than the primary key';
const onlyEquality = 'FILTER UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE: Only equality can select one row';
const incomplete = 'FILTER MISSING_FULL_PRIMARY_KEY_FOR_UPDATE_DELETE: Primary key incomplete in the filter';
const noSlice = 'FILTER INVALID_PRIMARY_KEY_FILTER: Filter selects no key, partition or slice';
const badValue = 'FILTER INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column';
const impossible = 'FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column';

describe('deleteOne', () => {
  it('deletes the row with this key, and does no harm where there is none', async () => {
    await send({ path, body: `{"insertMany":{"documents":[${rows}]}}` });
    const one = '{"deleteOne":{"filter":{"p":1,"q":1,"c":1,"d":2}}}';
    await table(one, done);
    await table(one, done);
    await table(
      '{"find":{"filter":{"p":1,"q":1},"projection":{"c":1,"d":1}}}',
      `{"data":{"documents":[{"c":1,"d":1},{"c":2,"d":2},{"c":2,"d":1}],"nextPageState":null},
        "status":{"projectionSchema":{"c":{"type":"int"},"d":{"type":"int"}}}}`,
    );
  });

  it('takes a filter, no sort and no options', async () => {
    const filter = '"filter":{"p":1,"q":1,"c":1,"d":2}';
    const invalid = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
    await table('{"deleteOne":{}}', invalid, '"command.filter"');
    await table('{"deleteOne":{"filter":null}}', invalid);
    await table(
      `{"deleteOne":{${filter},"sort":{"c":1}}}`,
      '{"errors":[<REQUEST SORT UNSUPPORTED_SORT_FOR_TABLE_DELETE_COMMAND: Sort not supported by delete>]}',
    );
    await table(`{"deleteOne":{${filter},"sort":{}}}`, done);
    await table(
      `{"deleteOne":{${filter},"options":{"limit":1}}}`,
      '{"errors":[<REQUEST COMMAND_ACCEPTS_NO_OPTIONS: Command accepts no options>]}',
    );
  });
});

describe('the filter of updateOne and deleteOne', () => {
  const key = '"p":1,"q":1,"c":1';
  const cases: readonly (readonly [filter: string, problem: string, fact: string])[] = [
    ['{}', noFilter, 'primary key: p(int), q(int), c(int), d(int).'],
    ['{"$and":[{}]}', noFilter, 'needs a filter'],
    ['{"x":1,"n":{"$gt":1}}', unknownColumns, 'Unknown columns: x.'],
    ['{"n":{"$gt":1},"p":1}', otherColumns, 'Other columns: n(int).'],
    [`{${key},"d":{"$gt":1}}`, onlyEquality, '$gt'],
    [`{${key},"d":{"$in":[1]}}`, onlyEquality, '$in'],
    [`{${key},"d":{"$ne":1}}`, onlyEquality, '$ne'],
    ['{"p":{"$lt":"x"}}', onlyEquality, '$lt'],
    [`{${key},"$or":[{"d":1},{"d":2}]}`, onlyEquality, '$or'],
    [`{${key},"$not":{"d":1}}`, onlyEquality, '$ne'],
    [`{${key}}`, incomplete, 'Missing: d(int).'],
    ['{"d":1}', incomplete, 'Missing: p(int), q(int), c(int).'],
    ['{"p":"1"}', incomplete, 'Missing: q(int), c(int), d(int).'],
    [`{${key},"d":"1"}`, badValue, 'd(int)'],
    [`{${key},"d":null}`, impossible, 'null'],
    ['{"$or":[]}', malformed, '$or'],
  ];
  for (const [filter, problem, fact] of cases) {
    it(`is refused: ${filter}`, async () => {
      const reply = `{"errors":[<REQUEST ${problem}>]}`;
      await table(`{"deleteOne":{"filter":${filter}}}`, reply, fact);
      await table(`{"updateOne":{"filter":${filter},"update":{"$set":{"n":1}}}}`, reply, fact);
    });
  }
});

describe('deleteMany', () => {
  const all = [0, 1, 2, 3, 4, 5, 6, 7];
  const cases: readonly (readonly [what: string, filter: string, left: readonly number[]])[] = [
    ['a partition', '{"p":1,"q":1}', [4, 5, 6, 7]],
    ['several partitions', '{"p":{"$in":[1,2]},"q":1}', []],
    ['no partition', '{"p":9,"q":1}', all],
    ['an empty list of partitions', '{"p":{"$in":[]},"q":1}', all],
    ['a slice by equality', '{"p":1,"q":1,"c":1}', [2, 3, 4, 5, 6, 7]],
    ['a slice by range', '{"p":1,"q":1,"c":{"$gt":1}}', [0, 1, 4, 5, 6, 7]],
    ['a slice between bounds', '{"p":1,"q":1,"c":{"$gte":1,"$lt":2}}', [2, 3, 4, 5, 6, 7]],
    ['a slice of the second clustering column', '{"p":1,"q":1,"c":1,"d":{"$lte":1}}', [0, 2, 3, 4, 5, 6, 7]],
    ['several slices', '{"p":1,"q":1,"c":{"$in":[1,2]},"d":1}', [0, 2, 4, 5, 6, 7]],
    ['one row', '{"p":1,"q":1,"c":1,"d":2}', [1, 2, 3, 4, 5, 6, 7]],
    ['everything, with an empty filter', '{}', []],
    ['everything, with null', 'null', []],
  ];
  for (const [what, filter, left] of cases) {
    it('deletes all of many rows of a partition, and no others', async () => {
      await send({ path, body: '{"deleteMany":{}}' });
      await send({ path, body: `{"insertMany":{"documents":[${rows}]}}` });
      for (let first = 0; first < 1_200; first += 100) {
        const some = Array.from({ length: 100 }, (_, at) => `{"p":7,"q":1,"c":${first + at},"d":1}`);
        await send({ path, body: `{"insertMany":{"documents":[${some}]}}` });
      }
      await table('{"deleteMany":{"filter":{"p":7,"q":1,"c":{"$lt":1199}}}}', done);
      await table(
        '{"find":{"filter":{"p":{"$in":[2,7]},"q":1},"projection":{"p":1,"c":1,"d":1}}}',
        `{"data":{"documents":[${[...rows.slice(4).map((row) => row.replace('"q":1,', '')), '{"p":7,"c":1199,"d":1}']}],
        "nextPageState":null},
        "status":{"projectionSchema":{"p":{"type":"int"},"c":{"type":"int"},"d":{"type":"int"}}}}`,
      );
    });

    it(`deletes ${what}: ${filter}`, () => deletes(filter, left));
  }

  it('deletes everything without a filter', async () => {
    await send({ path, body: `{"insertMany":{"documents":[${rows}]}}` });
    await table('{"deleteMany":{}}', done);
    await table(
      '{"find":{"filter":{"p":1,"q":1},"projection":{"n":1}}}',
      '{"data":{"documents":[],"nextPageState":null},"status":{"projectionSchema":{"n":{"type":"int"}}}}',
    );
  });

  const list = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, at) => at));
  const manySlices = `{"p":{"$in":[1]},"q":{"$in":${list(100)}},"c":{"$in":${list(100)}},"d":{"$in":[1,2]}}`;
  const refusals: readonly (readonly [filter: string, problem: string, fact: string])[] = [
    ['{"x":1,"n":1}', unknownColumns, 'Unknown columns: x.'],
    ['{"n":1,"p":1,"q":1}', otherColumns, 'Other columns: n(int).'],
    ['{"p":1}', noSlice, 'the partition column q is not restricted'],
    ['{"c":1}', noSlice, 'the partition column p is not restricted'],
    ['{"p":1,"q":1,"d":1}', noSlice, 'a clustering column before d is not restricted to single values'],
    [
      '{"p":1,"q":1,"c":{"$gt":1},"d":1}',
      noSlice,
      'a clustering column before d is not restricted to single values',
    ],
    ['{"p":{"$gt":1},"q":1}', noSlice, 'the partition column p needs exactly one $eq or $in'],
    ['{"p":1,"q":{"$ne":1}}', noSlice, 'the partition column q needs'],
    ['{"p":1,"q":1,"c":{"$ne":1}}', noSlice, 'the clustering column c needs'],
    ['{"p":1,"q":1,"c":{"$gt":1,"$gte":2}}', noSlice, 'the clustering column c needs'],
    ['{"$or":[{"p":1,"q":1},{"p":2,"q":1}]}', noSlice, '$or and $not cannot select'],
    [manySlices, noSlice, '20000 slices'],
    ['{"p":"1","q":1}', badValue, 'p(int)'],
    ['{"p":null,"q":1}', impossible, 'null'],
  ];
  for (const [filter, problem, fact] of refusals) {
    it(`refuses ${filter}`, () =>
      table(`{"deleteMany":{"filter":${filter}}}`, `{"errors":[<REQUEST ${problem}>]}`, fact));
  }

  it('takes no options', () =>
    table(
      '{"deleteMany":{"options":{"limit":1}}}',
      '{"errors":[<REQUEST COMMAND_ACCEPTS_NO_OPTIONS: Command accepts no options>]}',
    ));
});
