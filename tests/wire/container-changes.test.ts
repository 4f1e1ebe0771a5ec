// Changes of lists, sets and maps in the extended dialect, and the rows that their indexes find behind each change.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const columns =
  '{"id":"int","l":{"type":"list","valueType":"int"},"s":{"type":"set","valueType":"blob"},' +
  '"m":{"type":"map","keyType":"text","valueType":"int"},"x":"text"}';
const path = '/v1/default_keyspace/t';
const { at } = useWireServer({
  args: ['--dialect', 'extended'],
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"t","definition":{"columns":${columns},"primaryKey":"id"}}}`,
    ],
    [path, '{"createIndex":{"name":"l","definition":{"column":"l"}}}'],
    [path, '{"createIndex":{"name":"e","definition":{"column":"m"}}}'],
    [path, '{"createIndex":{"name":"k","definition":{"column":{"m":"$keys"}}}}'],
  ],
});
const t = at(path);

const updated = '{"status":{"matchedCount":1,"modifiedCount":1}}';
const update = (clause: string) => `{"updateOne":{"filter":{"id":1},"update":${clause}}}`;
const find = (filter: string) => `{"find":{"filter":${filter},"projection":{"id":1}}}`;
const found = (...ids: readonly number[]) =>
  `{"data":{"documents":[${ids.map((id) => `{"id":${id}}`).join(',')}],"nextPageState":null},` +
  '"status":{"projectionSchema":{"id":{"type":"int"}}}}';
const refused = (problem: string) => `{"errors":[<REQUEST UPDATE ${problem}>]}`;
const misused = refused('INVALID_PUSH_OPERATOR_USAGE: Operand of $push not well-formed');
const badValue = refused('INVALID_COLUMN_VALUES: Values do not fit their columns');
const unsupported = refused('UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the column');

describe('changes of containers with indexes', () => {
  const steps: readonly (readonly [clause: string, filter: string, isFound: boolean])[] = [
    ['{"$push":{"l":1,"m":{"a":1}}}', '{"l":{"$in":[1]},"m":{"$in":[["a",1]]}}', true],
    ['{"$push":{"m":["b",2]}}', '{"m":{"$keys":{"$all":["a","b"]}}}', true],
    ['{"$push":{"m":{"$each":[{"a":7},["c",3]]}}}', '{"m":{"$in":[["a",1]]}}', false],
    [
      '{"$push":{"l":{"$each":[]},"s":{"$each":[]},"m":{"$each":[]}}}',
      '{"m":{"$all":[["a",7],["c",3]]}}',
      true,
    ],
    ['{"$push":{"l":{"$each":[1,2]},"s":{"$binary":"AQ=="}}}', '{"l":{"$all":[1,2]}}', true],
    ['{"$pullAll":{"l":[1,9],"m":["a","nope"]}}', '{"l":{"$in":[1]}}', false],
    ['{"$set":{"x":"y"}}', '{"m":{"$keys":{"$in":["a"]}}}', false],
    ['{"$set":{"m":[["z",1]]}}', '{"m":{"$in":[["z",1]]}}', true],
    ['{"$set":{"m":{}}}', '{"m":{"$keys":{"$in":["z"]}}}', false],
    ['{"$unset":{"l":1}}', '{"l":{"$in":[2]}}', false],
    ['{"$set":{"l":[]}}', '{"l":{"$nin":[2]}}', true],
  ];
  it('are found by their members', async () => {
    for (const [clause, filter, isFound] of steps) {
      await t(update(clause), updated);
      await t(find(filter), isFound ? found(1) : found());
    }
  });

  const refusals: readonly (readonly [clause: string, reply: string])[] = [
    ['{"$push":{"l":[1]}}', misused],
    ['{"$push":{"l":{"$each":[1],"$position":0}}}', misused],
    ['{"$push":{"l":{"$each":1}}}', misused],
    ['{"$push":{"l":null}}', badValue],
    ['{"$push":{"s":{"$each":[null]}}}', badValue],
    ['{"$push":{"m":7}}', misused],
    ['{"$push":{"m":{}}}', misused],
    ['{"$push":{"m":{"a":1,"b":2}}}', misused],
    ['{"$push":{"m":["a"]}}', misused],
    ['{"$push":{"m":["a",1,2]}}', misused],
    ['{"$push":{"m":[1,1]}}', badValue],
    ['{"$pullAll":{"l":[null]}}', badValue],
    ['{"$pullAll":{"l":1}}', badValue],
    ['{"$pullAll":{"m":[1]}}', badValue],
    ['{"$push":{"x":"a"}}', unsupported],
    ['{"$pullAll":{"x":["a"]}}', unsupported],
  ];
  for (const [clause, reply] of refusals) it(`refuse ${clause}`, () => t(update(clause), reply));
});
