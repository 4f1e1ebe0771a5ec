// Filters on the members of lists, sets and maps in the extended dialect: with all indexes, and without any.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const columns =
  '{"id":"int","l":{"type":"list","valueType":"text"},"s":{"type":"set","valueType":"text"},' +
  '"m":{"type":"map","keyType":"text","valueType":"text"},"n":{"type":"set","valueType":"int"},' +
  '"t":{"type":"set","valueType":"timestamp"},"b":{"type":"list","valueType":"blob"},"v":"int","w":"int"}';
const rows = [
  '{"id":1,"l":["apple","orange"],"s":["monkey","tiger"],"m":[["UK","London"],["CHINA","Beijing"]],' +
    '"n":[1,2],"t":["2026-01-01T00:00:00Z"],"b":[{"$binary":"AQI="}],"v":1,"w":1}',
  '{"id":2,"l":["banana","grape"],"s":["lion","elephant"],"m":[["USA","Washington"],["CANADA","Ottawa"]],"v":1}',
  '{"id":3,"l":["kiwi","melon","mongo"],"s":["zebra","giraffe","pig"],"m":[["FRANCE","Paris"],["GERMANY","Berlin"]]}',
];
const table = (name: string): readonly (readonly [string, string])[] => [
  [
    '/v1/default_keyspace',
    `{"createTable":{"name":"${name}","definition":{"columns":${columns},"primaryKey":"id"}}}`,
  ],
  [`/v1/default_keyspace/${name}`, `{"insertMany":{"documents":[${rows.join(',')}]}}`],
];
const index = (name: string, column: string) =>
  [
    '/v1/default_keyspace/indexed',
    `{"createIndex":{"name":"${name}","definition":{"column":${column}}}}`,
  ] as const;

const { at } = useWireServer({
  args: ['--dialect', 'extended'],
  prepare: [
    ...table('indexed'),
    ...table('plain'),
    ...['"l"', '{"s":"$values"}', '"m"', '{"m":"$keys"}', '{"m":"$values"}', '"n"', '"t"', '"v"'].map(
      (column, place) => index(`i${place}`, column),
    ),
  ],
});
const indexed = at('/v1/default_keyspace/indexed');
const plain = at('/v1/default_keyspace/plain');

const find = (filter: string) => `{"find":{"filter":${filter},"projection":{"id":1}}}`;
const missing = '<REQUEST WARNING MISSING_INDEX: Filter without an index>';
const found = (ids: readonly number[], ...warnings: readonly string[]) =>
  `{"data":{"documents":[${ids.map((id) => `{"id":${id}}`).join(',')}],"nextPageState":null},"status":` +
  `{"projectionSchema":{"id":{"type":"int"}}${warnings.length === 0 ? '' : `,"warnings":[${warnings.join(',')}]`}}}`;
const error = (problem: string) => `{"errors":[<REQUEST FILTER ${problem}>]}`;
const badMembers =
  '{"errors":[<REQUEST FILTER INVALID_MAP_SET_LIST_FILTER: Filter on a list, set or map not well-formed>]}';
const badForm = error('FILTER_INVALID_EXPRESSION: Filter expression not well-formed');
const badValue = error('INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column');
const impossible = error('INVALID_FILTER_EXPRESSION: Filter operation not possible on the column');

describe('filters on members', () => {
  const cases: readonly (readonly [filter: string, ids: readonly number[]])[] = [
    ['{"l":{"$in":["apple","orange"]}}', [1]],
    ['{"l":{"$nin":["apple"]}}', [2, 3]],
    ['{"l":{"$all":["kiwi","melon","mongo"]}}', [3]],
    ['{"$not":{"l":{"$all":["apple","orange"]}}}', [2, 3]],
    ['{"s":{"$in":["lion","pig"]}}', [2, 3]],
    ['{"s":{"$nin":["lion"]}}', [1, 3]],
    ['{"s":{"$all":["lion","elephant"]}}', [2]],
    ['{"m":{"$in":[["USA","Washington"],["CHINA","Beijing"]]}}', [1, 2]],
    ['{"m":{"$nin":[["USA","Washington"],["CHINA","Beijing"]]}}', [3]],
    ['{"m":{"$all":[["USA","Washington"],["CANADA","Ottawa"]]}}', [2]],
    ['{"$not":{"m":{"$all":[["UK","London"],["CHINA","Beijing"]]}}}', [2, 3]],
    ['{"m":{"$keys":{"$in":["USA","FRANCE"]}}}', [2, 3]],
    ['{"m":{"$keys":{"$nin":["USA","FRANCE"]}}}', [1]],
    ['{"m":{"$keys":{"$all":["GERMANY","FRANCE"]}}}', [3]],
    ['{"$not":{"m":{"$keys":{"$all":["UK","CANADA"]}}}}', [1, 2, 3]],
    ['{"m":{"$values":{"$in":["Washington","London"]}}}', [1, 2]],
    ['{"m":{"$values":{"$nin":["Washington","London"]}}}', [3]],
    ['{"m":{"$values":{"$all":["Washington","London"]}}}', []],
    ['{"$not":{"m":{"$values":{"$all":["Washington","Ottawa"]}}}}', [1, 3]],
    // Markers in any case; several operators and parts must all be true.
    ['{"m":{"$KEYS":{"$in":["USA","UK"],"$nin":["CHINA"]}}}', [2]],
    ['{"m":{"$keys":{"$in":["USA","UK"]},"$Values":{"$in":["London"]},"$nin":[["UK","Paris"]]}}', [1]],
    ['{"$not":{"l":{"$in":["apple"]}}}', [2, 3]],
    ['{"$not":{"l":{"$nin":["apple"]}}}', [1]],
    ['{"$or":[{"l":{"$in":["apple"]}},{"m":{"$keys":{"$in":["USA"]}}}]}', [1, 2]],
    // An entry is another one if its key has another value.
    ['{"m":{"$in":[["USA","London"]]}}', []],
    ['{"m":{"$nin":[["USA","London"]]}}', [1, 2, 3]],
    // A missing value has no members.
    ['{"n":{"$in":[1,3]}}', [1]],
    ['{"n":{"$nin":[1]}}', [2, 3]],
    ['{"n":{"$all":[1,2]}}', [1]],
    ['{"$not":{"n":{"$all":[1,2]}}}', [2, 3]],
    ['{"n":{"$in":[1.0,1]}}', [1]],
    ['{"t":{"$in":[{"$date":1767225600000}]}}', [1]],
    ['{"t":{"$all":["2026-01-01T01:00:00+01:00"]}}', [1]],
    // Together with the key, and with an index of another column.
    ['{"id":{"$in":[3,2]},"l":{"$in":["kiwi","apple"]}}', [3]],
    ['{"id":1,"l":{"$in":["apple"]}}', [1]],
    ['{"v":1,"s":{"$in":["lion","tiger"]}}', [1, 2]],
    ['{"v":{"$in":[1,2]},"s":{"$in":["lion","tiger"]}}', [1, 2]],
  ];
  for (const [filter, ids] of cases) {
    it(`finds the same rows by indexes and without: ${filter}`, async () => {
      await indexed(find(filter), found(ids));
      const isByValue = filter.startsWith('{"v"');
      await plain(find(filter), found(ids, ...(isByValue ? [missing, missing] : [missing])));
    });
  }

  it('extended values as members in filters: found, also binary ones, which cannot have an index', async () => {
    const bytes = '{"b":{"$in":[{"$binary":"AQI="}]}}';
    await indexed(find(bytes), found([1], missing), 'b(list<blob>)');
  });

  it('no members listed in a filter: $in matches no row, $nin every row', async () => {
    await indexed(find('{"n":{"$in":[]}}'), found([]));
    await indexed(find('{"n":{"$nin":[]}}'), found([1, 2, 3]));
    await plain(find('{"$not":{"m":{"$keys":{"$in":[]}}}}'), found([1, 2, 3], missing));
  });

  it('without operators: no condition', async () => {
    const zero = '<REQUEST WARNING ZERO_FILTER_OPERATIONS: Read without a filter>';
    for (const filter of ['{"l":{}}', '{"m":{"$keys":{}}}', '{"m":{"$keys":{},"$values":{}}}'])
      await plain(find(filter), found([1, 2, 3], zero));
  });

  it('warn of columns and of members without an index separately', async () => {
    await plain(find('{"w":1,"v":1,"l":{"$in":["apple"]}}'), found([1], missing, missing), 'v(int), w(int).');
    await indexed(find('{"v":1,"w":1,"l":{"$nin":["x"]}}'), found([1], missing), 'w(int).');
    await plain(find('{"id":1,"m":{"$keys":{"$in":["UK"]}}}'), found([1], missing), 'm(map<text,text>).');
  });
});

describe('refusals of filters on members', () => {
  const refused: readonly (readonly [filter: string, reply: string, ...facts: string[]])[] = [
    ['{"l":["a"]}', badForm, '$in, $nin or $all'],
    ...['$eq', '$ne', '$gt', '$lte', '$exists', '$size', '$not', 'x'].map(
      (name) => [`{"l":{"${name}":["a"]}}`, badMembers, `${name} is not an operator`] as const,
    ),
    ['{"l":{"$match":"a"}}', impossible, '$match needs a text column'],
    ['{"l":{"$keys":{"$in":["a"]}}}', badMembers],
    ['{"s":{"$values":{"$in":["a"]}}}', badMembers],
    ['{"m":{"$keys":{"$gt":["a"]}}}', badMembers],
    ['{"m":{"UK":"London"}}', badMembers, '$keys, $values'],
    ['{"l":{"$in":"a"}}', badMembers, '$in needs an array'],
    ['{"m":{"$values":{"$all":{}}}}', badMembers],
    ['{"m":{"$keys":["a"]}}', badMembers, '$keys needs an object'],
    ['{"m":{"$in":[{"k":1}]}}', badMembers, '[key, value]'],
    ['{"m":{"$in":[["k"]]}}', badMembers],
    ['{"m":{"$in":["k"]}}', badMembers],
    ['{"l":{"$in":["a",1]}}', badValue, 'l(list<text>)'],
    ['{"m":{"$all":[["k",1]]}}', badValue],
    ['{"m":{"$in":[["k",null]]}}', badValue],
    ['{"l":{"$all":[]}}', badForm],
    ['{"$not":{"m":{"$keys":{"$all":[]}}}}', badForm],
  ];
  for (const [filter, reply, ...facts] of refused)
    it(`refuse ${filter}`, () => plain(find(filter), reply, ...facts));

  const values = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => `${at}`));

  it('a scalar or null compared with a list, set or map: refused', async () => {
    for (const operand of ['"a"', 'null', '7', '{"$in":[null]}', '{"$nin":["a",null]}', '{"$all":[null]}'])
      await plain(find(`{"l":${operand}}`), impossible, 'l(list<text>)');
    await plain(find('{"m":{"$keys":{"$nin":["a",null]}}}'), impossible);
  });

  it('allow 100 values in $in and $nin, and any number in $all', async () => {
    await indexed(find(`{"l":{"$in":${values(100)}}}`), found([]));
    await indexed(find(`{"m":{"$keys":{"$nin":${values(100)}}}}`), found([1, 2, 3]));
    await indexed(find(`{"l":{"$all":${values(101)}}}`), found([]));
    await indexed(find(`{"l":{"$in":${values(101)}}}`), badForm, '101 values; at most 100');
    await indexed(find(`{"m":{"$keys":{"$nin":${values(101)}}}}`), badForm);
  });

  it('count each operator of each part as a comparison', async () => {
    const two = '{"m":{"$keys":{"$in":["UK"]},"$in":[["UK","London"]]}}';
    const parts = (count: number) => `{"$and":[${Array.from({ length: count }, () => two).join(',')}]}`;
    await indexed(find(parts(32)), found([1]));
    const tooMany = error('FILTER_FIELDS_LIMIT_VIOLATION: Too many comparisons in the filter');
    await indexed(find(parts(33)), tooMany, '66');
  });

  it('refuse updates and deletes by members', async () => {
    const otherColumns = error(
      'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE: Filter on other columns than the primary key',
    );
    const filter = '{"id":1,"l":{"$in":["apple"]}}';
    await plain(
      `{"updateOne":{"filter":${filter},"update":{"$set":{"v":2}}}}`,
      otherColumns,
      'l(list<text>)',
    );
    await plain(`{"deleteOne":{"filter":${filter}}}`, otherColumns);
    await plain(
      '{"deleteMany":{"filter":{"m":{"$keys":{"$in":["UK"]}}}}}',
      otherColumns,
      'm(map<text,text>)',
    );
  });
});
