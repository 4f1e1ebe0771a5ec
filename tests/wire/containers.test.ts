// list, set and map columns: their definitions, every command on them, and every error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const rowsTable = `{"createTable":{"name":"rows","definition":{"columns":{"id":"int",
  "l":{"type":"list","valueType":"text"},"s":{"type":"set","valueType":{"type":"int"}},
  "m":{"type":"map","keyType":"text","valueType":{"type":"decimal"}},"b":{"type":"list","valueType":"blob"},
  "bm":{"type":"map","keyType":"ascii","valueType":"blob"},"n":"int"},"primaryKey":"id"}}}`;
const { at, send, restart } = useWireServer({
  prepare: [['/v1/default_keyspace', rowsTable.replaceAll(/\n\s*/g, '')]],
});
const keyspace = at('/v1/default_keyspace');
const table = at('/v1/default_keyspace/rows');
const done = '{"status":{"matchedCount":1,"modifiedCount":1}}';
const ok = '{"status":{"ok":1}}';
const schema = `"projectionSchema":{"id":{"type":"int"},"l":{"type":"list","valueType":"text"},
  "s":{"type":"set","valueType":"int"},"m":{"type":"map","keyType":"text","valueType":"decimal"},
  "b":{"type":"list","valueType":"blob"},"bm":{"type":"map","keyType":"ascii","valueType":"blob"},"n":{"type":"int"}}`;

const insert = (document: string, id: string) =>
  table(
    `{"insertOne":{"document":${document}}}`,
    `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`,
  );
const update = (id: number, clause: string) =>
  table(`{"updateOne":{"filter":{"id":${id}},"update":${clause}}}`, done);
const expect = (id: number, document: string) =>
  table(`{"findOne":{"filter":{"id":${id}}}}`, `{"data":{"document":${document}},"status":{${schema}}}`);

describe('columns of lists, sets and maps', () => {
  it('are described in the long form, with short names of their parts', async () => {
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    const columns = schema.replace('"projectionSchema":', '').replaceAll(/\n\s*/g, '');
    assert.ok(text.includes(`"columns":${columns},"primaryKey":{"partitionBy":["id"]`), text);
  });

  it('are written by insertOne, and rows come without empty ones', async () => {
    await insert(
      '{"id":1,"l":["b","a","b"],"s":[3,1e0,3],"m":{"z":1.50,"a":2},"b":[{"$binary":""}],"bm":{}}',
      '1',
    );
    await expect(1, '{"id":1,"l":["b","a","b"],"s":[1,3],"m":{"a":2,"z":1.5},"b":[{"$binary":""}]}');
    await insert('{"id":1,"l":[],"s":null,"m":{},"b":[]}', '1');
    await expect(1, '{"id":1}');
  });

  it('map: an object or a list of pairs in, an object out', async () => {
    await insert('{"id":2,"m":[["b",1],["a",2],["b",3]],"bm":[["k",{"$binary":"AA=="}]]}', '2');
    await expect(2, '{"id":2,"m":{"a":2,"b":3},"bm":{"k":{"$binary":"AA=="}}}');
  });

  it('are written by insertMany and read by find with a projection', async () => {
    await table(
      '{"insertMany":{"documents":[{"id":3,"l":["x"]},{"id":4,"l":[1]},{"id":5,"s":[]}]}}',
      `{"status":{"insertedIds":[[3],[5]],"primaryKeySchema":{"id":{"type":"int"}}},"errors":[<REQUEST
        DOCUMENT INVALID_COLUMN_VALUES: Values do not fit their columns>]}`.replaceAll(/\n\s*/g, ' '),
      'l(list<text>) - Cause: element 1: expected a string, found a number.',
    );
    await table(
      '{"find":{"filter":{"id":{"$in":[3,5]}},"projection":{"l":1,"s":1}}}',
      `{"data":{"documents":[{"l":["x"]},{}],"nextPageState":null},"status":{"projectionSchema":
        {"l":{"type":"list","valueType":"text"},"s":{"type":"set","valueType":"int"}}}}`,
    );
  });

  it('are set and unset by updateOne', async () => {
    await update(6, '{"$set":{"l":["b","a"],"s":[2,1],"m":[["k",0.10]]}}');
    await expect(6, '{"id":6,"l":["b","a"],"s":[1,2],"m":{"k":0.1}}');
    await update(6, '{"$set":{"l":[]},"$unset":{"s":1}}');
    await expect(6, '{"id":6,"m":{"k":0.1}}');
    await update(6, '{"$set":{"m":{}}}');
    await expect(6, 'null');
  });

  it('take what $push adds: one, or several with $each', async () => {
    await update(
      7,
      '{"$push":{"l":"b","s":2,"m":{"b":1},"b":{"$binary":"AA=="},"bm":["k",{"$binary":"AQ=="}]}}',
    );
    await update(
      7,
      '{"$push":{"l":{"$each":["a","b"]},"s":{"$each":[1,2,3]},"m":{"$each":[["a",2],{"b":3},["$each",4]]}}}',
    );
    await expect(
      7,
      `{"id":7,"l":["b","a","b"],"s":[1,2,3],"m":{"$each":4,"a":2,"b":3},"b":[{"$binary":"AA=="}],
        "bm":{"k":{"$binary":"AQ=="}}}`,
    );
    await update(7, '{"$push":{"l":{"$each":[]},"b":{"$each":[{"$binary":""}]},"bm":{"a":{"$binary":""}}}}');
    await expect(
      7,
      `{"id":7,"l":["b","a","b"],"s":[1,2,3],"m":{"$each":4,"a":2,"b":3},"b":[{"$binary":"AA=="},{"$binary":""}],
        "bm":{"a":{"$binary":""},"k":{"$binary":"AQ=="}}}`,
    );
  });

  it('lose what $pullAll names, and the row with its last value', async () => {
    await update(8, '{"$set":{"l":["a","b","a"],"s":[1,2],"m":{"a":1,"b":2}}}');
    await update(8, '{"$pullAll":{"l":["a","x"],"s":[2],"m":["a","x"]}}');
    await expect(8, '{"id":8,"l":["b"],"s":[1],"m":{"b":2}}');
    await update(8, '{"$pullAll":{"l":[]}}');
    await update(8, '{"$pullAll":{"l":["b"],"s":[1],"m":["b"]}}');
    await expect(8, 'null');
    await update(8, '{"$pullAll":{"l":["b"]}}');
    await expect(8, 'null');
  });

  it('are changed beside other columns in one update', async () => {
    await update(9, '{"$set":{"n":1,"l":["a"],"s":[1,2]}}');
    await update(9, '{"$set":{"n":null},"$push":{"l":"b","m":{"k":1}},"$pullAll":{"s":[1]}}');
    await expect(9, '{"id":9,"l":["a","b"],"s":[2],"m":{"k":1}}');
  });

  it('lose no push of those that come at the same time', async () => {
    const numbers = Array.from({ length: 64 }, (_, number) => number);
    const replies = await Promise.all(
      numbers.map((number) => {
        const clause = `{"$push":{"l":"${number}","s":${number}}}`;
        const body = `{"updateOne":{"filter":{"id":10},"update":${clause}}}`;
        return send({ path: '/v1/default_keyspace/rows', body });
      }),
    );
    assert.deepEqual(new Set(replies.map(({ text }) => text)), new Set([done]));
    const { text } = await send({
      path: '/v1/default_keyspace/rows',
      body: '{"findOne":{"filter":{"id":10}}}',
    });
    const { l, s } = JSON.parse(text).data.document;
    assert.deepEqual(s, numbers);
    assert.deepEqual(
      l.map(Number).sort((left: number, right: number) => left - right),
      numbers,
    );
  });

  it('are still there after a restart, and are added and dropped by alterTable', async () => {
    await restart();
    await expect(9, '{"id":9,"l":["a","b"],"s":[2],"m":{"k":1}}');
    await update(9, '{"$push":{"m":{"a":2}}}');
    await expect(9, '{"id":9,"l":["a","b"],"s":[2],"m":{"a":2,"k":1}}');
    const add = (type: string) => `{"alterTable":{"operation":{"add":{"columns":{"later":${type}}}}}}`;
    await table(add('{"type":"set","valueType":"text"}'), ok);
    await table('{"alterTable":{"operation":{"drop":{"columns":["later"]}}}}', ok);
    await table(
      add('{"type":"set","valueType":"ascii"}'),
      `{"status":{"ok":0},"errors":[<REQUEST SCHEMA CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN: Column was dropped with
        another type>]}`.replaceAll(/\n\s*/g, ' '),
      'later(set<ascii>)',
      'its type was set<text>',
    );
    await restart();
    await table(add('{"type":"set","valueType":"text"}'), ok);
    await table('{"alterTable":{"operation":{"drop":{"columns":["later"]}}}}', ok);
  });
});

describe('a definition of a list, set or map', () => {
  const define = (type: string, key = '"id"') =>
    `{"createTable":{"name":"t","definition":{"columns":{"id":"int","c":${type}},"primaryKey":${key}}}}`;
  const refuse = (type: string, problem: string, ...facts: readonly string[]) =>
    keyspace(define(type), `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`, ...facts);
  const badList = 'SCHEMA UNSUPPORTED_LIST_DEFINITION: List definition not supported';
  const badSet = 'SCHEMA UNSUPPORTED_SET_DEFINITION: Set definition not supported';
  const badMap = 'SCHEMA UNSUPPORTED_MAP_DEFINITION: Map definition not supported';

  const unsupported = [
    ...['"list"', '"set"', '"map"', '"vector"', '"nonsense"', '"counter"', '"timeuuid"', '"varchar"'],
    ...['{"type":"list","valueType":"int"}', '{"type":"vector","dimension":3}', '{"type":"counter"}'],
    ...['{"type":"userDefined","udtName":"u"}', '"list<int>"'],
  ];
  for (const type of unsupported) {
    it(`has no members of the type ${type}`, async () => {
      const parsed: string | { type: string } = JSON.parse(type);
      const name = typeof parsed === 'string' ? parsed : parsed.type;
      await refuse(`{"type":"list","valueType":${type}}`, badList, `a list with the value type ${name}.`);
      await refuse(`{"type":"set","valueType":${type}}`, badSet, `a set with the value type ${name}.`);
      await refuse(
        `{"type":"map","keyType":"text","valueType":${type}}`,
        badMap,
        `a map with the key type text and the value type ${name}.`,
      );
    });
  }

  it('has types of keys and values', async () => {
    await refuse('{"type":"list"}', badList, 'value type [MISSING].', 'Value types: text, ascii, tinyint');
    await refuse('{"type":"set","valueType":null}', badSet, 'value type [MISSING].', 'Value types: text');
    await refuse('{"type":"list","valueType":{}}', badList, 'value type [MISSING].');
    await refuse('{"type":"map"}', badMap, 'the key type [MISSING] and the value type [MISSING].');
    await refuse('{"type":"map","keyType":"text"}', badMap, 'key type text and the value type [MISSING].');
    await refuse('{"type":"map","valueType":"int"}', badMap, 'key type [MISSING] and the value type int.');
  });

  it('no set of durations: refused, for Cassandra refuses it', async () => {
    await refuse('{"type":"set","valueType":"duration"}', badSet, 'a set with the value type duration.');
    const columns = '{"type":"map","keyType":"text","valueType":"duration"}';
    await keyspace(define(columns), ok);
    await keyspace('{"dropTable":{"name":"t"}}', ok);
  });

  it('map keys: text and ascii only', async () => {
    for (const type of ['int', 'uuid', 'varchar', 'date', 'blob', 'duration', 'list', 'nonsense']) {
      await refuse(`{"type":"map","keyType":"${type}","valueType":"int"}`, badMap, `key type ${type}`);
      await refuse(
        `{"type":"map","keyType":{"type":"${type}"},"valueType":"int"}`,
        badMap,
        'Key types: text, ascii.',
      );
    }
  });

  it('has the shape of a definition', async () => {
    const mismatch = 'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch';
    await refuse('{"type":"list","valueType":5}', mismatch, 'command.definition.columns.c.valueType');
    await refuse('{"type":"map","keyType":["text"],"valueType":"int"}', mismatch, 'columns.c.keyType');
    const unknown = 'COMMAND_FIELD_UNKNOWN: Command field unknown';
    await refuse('{"type":"set","valueType":{"type":"int","size":1}}', unknown, '"size"');
    await refuse('{"type":"set","valueType":"int","size":1}', unknown, '"size"');
  });

  it('is refused in the same way when it is added', async () => {
    const add = (type: string) => `{"alterTable":{"operation":{"add":{"columns":{"c":${type}}}}}}`;
    const refused = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
    await table(add('{"type":"list","valueType":"counter"}'), refused(badList));
    await table(add('{"type":"set"}'), refused(badSet));
    await table(add('{"type":"map","keyType":"int","valueType":"int"}'), refused(badMap));
  });

  it('duration, vector, counter, list, set, map in a key: refused is a container', async () => {
    const refused =
      `{"status":{"ok":0},"errors":[<REQUEST SCHEMA UNSUPPORTED_PRIMARY_KEY_TYPES: Column types not
      supported in the primary key>]}`.replaceAll(/\n\s*/g, ' ');
    await keyspace(define('{"type":"list","valueType":"int"}', '"c"'), refused, 'c(list<int>)');
    const sorted = '{"partitionBy":["id"],"partitionSort":{"c":1}}';
    await keyspace(define('{"type":"set","valueType":"int"}', sorted), refused, 'c(set<int>)');
    await keyspace(
      define('{"type":"map","keyType":"text","valueType":"int"}', '{"partitionBy":["id","c"]}'),
      refused,
      'c(map<text,int>)',
    );
  });
});

describe('values of lists, sets and maps are refused', () => {
  const badValues = 'INVALID_COLUMN_VALUES: Values do not fit their columns';
  const cases: readonly (readonly [column: string, value: string, cause: string])[] = [
    ['l', '"a"', 'l(list<text>) - Cause: expected an array of text values, found a string.'],
    ['l', '{"a":1}', 'l(list<text>) - Cause: expected an array of text values, found an object.'],
    ['l', '["a",null]', 'l(list<text>) - Cause: element 2: null is not allowed in a list.'],
    ['l', '["a",["b"]]', 'l(list<text>) - Cause: element 2: expected a string, found an array.'],
    ['s', '[1,"2"]', 's(set<int>) - Cause: element 2: expected a number, found a string.'],
    ['s', '[2147483648]', 's(set<int>) - Cause: element 1: '],
    ['m', '[]', 'm(map<text,decimal>) - Cause: an empty map is written {}.'],
    ['m', '["a",1]', 'm(map<text,decimal>) - Cause: pair 1: expected an array of a key and a value.'],
    ['m', '{"a":"1"}', 'm(map<text,decimal>) - Cause: the value of "a": expected a number, found a string.'],
    ['m', '{"a":null}', 'm(map<text,decimal>) - Cause: the value of "a": null is not allowed in a map.'],
    ['m', '[[1,1]]', 'm(map<text,decimal>) - Cause: the key of pair 1: expected a string, found a number.'],
    ['bm', '{"é":{"$binary":""}}', 'bm(map<ascii,blob>) - Cause: the key "é": character 1 is not US-ASCII.'],
    ['b', '[{"$binary":"x"}]', 'b(list<blob>) - Cause: element 1: "x" is not base64 with padding.'],
  ];
  for (const [column, value, cause] of cases) {
    it(`${value} in ${column}, by insertOne and $set`, async () => {
      await table(
        `{"insertOne":{"document":{"id":100,"${column}":${value}}}}`,
        `{"errors":[<REQUEST DOCUMENT ${badValues}>]}`,
        cause,
      );
      await table(
        `{"updateOne":{"filter":{"id":100},"update":{"$set":{"${column}":${value}}}}}`,
        `{"errors":[<REQUEST UPDATE ${badValues}>]}`,
        cause,
      );
    });
  }

  it('numbers of too many digits inside them', () =>
    table(
      '{"insertOne":{"document":{"id":100,"m":{"a":1e300000}}}}',
      '{"errors":[<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>]}',
      'm: the value of "a": ',
    ));
});

describe('$push and $pullAll refuse', () => {
  const wrongUse = 'UPDATE INVALID_PUSH_OPERATOR_USAGE: Operand of $push not well-formed';
  const badValues = 'UPDATE INVALID_COLUMN_VALUES: Values do not fit their columns';
  const wrongOperator = 'UPDATE UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the column';
  const cases: readonly (readonly [clause: string, problem: string, fact: string])[] = [
    [
      '{"$push":{"l":["a"]}}',
      wrongUse,
      '$push cannot be applied to l(list<text>): to push several, use {"$each": […]}.',
    ],
    ['{"$push":{"s":[]}}', wrongUse, 's(set<int>)'],
    ['{"$push":{"l":{"$each":"a"}}}', wrongUse, '"$each" needs an array and allows no other members'],
    [
      '{"$push":{"l":{"$each":["a"],"$position":0}}}',
      wrongUse,
      '"$each" needs an array and allows no other members',
    ],
    ['{"$push":{"m":{"$each":{"a":1}}}}', wrongUse, 'm(map<text,decimal>): "$each" needs an array'],
    ['{"$push":{"m":{"a":1,"b":2}}}', wrongUse, 'an entry must be {"key": value}'],
    ['{"$push":{"m":{}}}', wrongUse, 'an entry must be {"key": value}'],
    ['{"$push":{"m":[["a",1]]}}', wrongUse, 'to push several, use {"$each": […]}'],
    ['{"$push":{"m":[["a",1],["b",2]]}}', wrongUse, 'to push several, use {"$each": […]}'],
    ['{"$push":{"m":["a"]}}', wrongUse, 'an entry in array form must have a key and a value'],
    ['{"$push":{"m":["a",1,"b",2]}}', wrongUse, 'an entry in array form must have a key and a value'],
    ['{"$push":{"m":"a"}}', wrongUse, 'an entry of a map must be {"key": value} or ["key", value]'],
    ['{"$push":{"m":null}}', wrongUse, 'an entry of a map must be'],
    ['{"$push":{"m":{"$each":["a"]}}}', wrongUse, 'an entry of a map must be'],
    ['{"$push":{"m":{"$each":[["a",1],{"b":1,"c":2}]}}}', wrongUse, 'an entry must be {"key": value}'],
    ['{"$push":{"l":1}}', badValues, 'l(list<text>) - Cause: element 1: expected a string, found a number.'],
    ['{"$push":{"l":null}}', badValues, 'element 1: null is not allowed in a list.'],
    ['{"$push":{"l":{"a":1}}}', badValues, 'element 1: expected a string, found an object.'],
    ['{"$push":{"s":{"$each":[1,"2"]}}}', badValues, 's(set<int>) - Cause: element 2: '],
    ['{"$push":{"m":["a","b"]}}', badValues, 'm(map<text,decimal>) - Cause: the value of pair 1: '],
    ['{"$push":{"m":{"$each":[["a",1],[2,2]]}}}', badValues, 'the key of pair 2: expected a string'],
    ['{"$push":{"m":{"a":null}}}', badValues, 'the value of pair 1: null is not allowed in a map.'],
    ['{"$push":{"n":1}}', wrongOperator, '$push cannot be used on: n(int)'],
    ['{"$pullAll":{"n":[1]}}', wrongOperator, '$pullAll cannot be used on: n(int)'],
    [
      '{"$pullAll":{"l":"a"}}',
      badValues,
      'l(list<text>) - Cause: expected an array of text values, found a string.',
    ],
    [
      '{"$pullAll":{"m":{"a":1}}}',
      badValues,
      'm(map<text,decimal>) - Cause: expected an array of text values',
    ],
    ['{"$pullAll":{"s":[1,"2"]}}', badValues, 's(set<int>) - Cause: element 2: expected a number'],
    ['{"$pullAll":{"l":["a",null]}}', badValues, 'element 2: null is not allowed in a list.'],
    ['{"$pullAll":{"m":[1]}}', badValues, 'm(map<text,decimal>) - Cause: element 1: expected a string'],
    ['{"$push":{"x":["a"],"l":["a"]}}', 'UPDATE UNKNOWN_TABLE_COLUMNS: Columns unknown in the table', ': x.'],
    ['{"$push":{"l":["a"],"n":1}}', wrongOperator, 'n(int)'],
    ['{"$push":{"l":["a"],"s":"1"}}', wrongUse, 'l(list<text>)'],
    ['{"$push":{"s":"1"},"$inc":{"n":1}}', badValues, 's(set<int>)'],
    [
      '{"$push":{"l":"a"},"$pullAll":{"l":["b"]}}',
      'UPDATE UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS: A column is assigned twice',
      'l(list<text>)',
    ],
    ['{"$push":["l"]}', 'UPDATE UNSUPPORTED_UPDATE_DATA_TYPE: Operator takes an object', '$push'],
    ['{"$push":{},"$pullAll":{}}', 'UPDATE MISSING_UPDATE_OPERATIONS: Nothing to update', '$pullAll'],
  ];
  for (const [clause, problem, fact] of cases) {
    it(`an update of ${clause}`, () =>
      table(
        `{"updateOne":{"filter":{"id":1},"update":${clause}}}`,
        `{"errors":[<REQUEST ${problem}>]}`,
        fact,
      ));
  }
});

describe('list, set, map in filters', () => {
  const operands = [
    ...[
      '"a"',
      '["a"]',
      '{"a":1}',
      'null',
      '{"$eq":"a"}',
      '{"$ne":null}',
      '{"$gt":1}',
      '{"$in":["a"]}',
      '{"$in":5}',
    ],
    ...[
      '{"$nin":{}}',
      '{"$all":["a"]}',
      '{"$exists":true}',
      '{"$size":1}',
      '{"$match":5}',
      '{"$binary":"AA=="}',
    ],
    ...['{"$keys":{"$in":["a"]}}', '{"$values":{"$all":[1]}}', '{"$in":[["a",1]]}'],
  ];
  const refused =
    '{"errors":[<REQUEST FILTER INVALID_FILTER_EXPRESSION: Filter operation not possible on the column>]}';
  for (const operand of operands) {
    it(`list, set, map in filters: ${operand} is refused by find and findOne, whatever its shape`, async () => {
      for (const [column, type] of [
        ['l', 'list<text>'],
        ['s', 'set<int>'],
        ['m', 'map<text,decimal>'],
      ]) {
        const fact = `The filter on ${column}(${type}) is not possible`;
        await table(`{"find":{"filter":{"${column}":${operand}}}}`, refused, fact);
        await table(`{"findOne":{"filter":{"id":1,"$not":{"${column}":${operand}}}}}`, refused, fact);
      }
    });
  }

  it('have an operator that exists, and stand behind unknown columns', async () => {
    const unknown = '{"errors":[<REQUEST FILTER FILTER_UNSUPPORTED_OPERATOR: Filter operator unknown>]}';
    await table('{"find":{"filter":{"l":{"$foo":1}}}}', unknown, '"$foo"');
    await table(
      '{"find":{"filter":{"l":{"$in":5},"x":1}}}',
      '{"errors":[<REQUEST FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}',
      'Unknown columns: x.',
    );
  });

  it('$keys and $values of other columns are refused as well', () =>
    table(
      '{"find":{"filter":{"n":{"$keys":1}}}}',
      refused,
      '$keys cannot be used on columns of the type int',
    ));

  it('are not key columns, for updates and deletes', async () => {
    const notOfKey =
      '{"errors":[<REQUEST FILTER UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE: Filter on other columns than the primary key>]}';
    for (const operand of ['"a"', '{"$in":["a"]}', '{"$keys":{"$in":["a"]}}']) {
      await table(`{"updateOne":{"filter":{"l":${operand}},"update":{"$set":{"n":1}}}}`, notOfKey);
      await table(`{"deleteOne":{"filter":{"id":1,"s":${operand}}}}`, notOfKey);
      await table(`{"deleteMany":{"filter":{"m":${operand}}}}`, notOfKey);
    }
  });
});

describe('sorts by lists, sets and maps', () => {
  it('a sort by a list, set or map: refused', async () => {
    const refused = '{"errors":[<REQUEST SORT INVALID_REGULAR_SORT_EXPRESSION: Sort direction not valid>]}';
    await table(
      '{"find":{"sort":{"l":1}}}',
      refused,
      'The sort of l(list<text>) is not possible: values of the type list<text> cannot be sorted.',
    );
    await table('{"findOne":{"filter":{"id":1},"sort":{"n":1,"m":-1}}}', refused, 'm(map<text,decimal>)');
    await table('{"find":{"sort":{"s":5}}}', refused, 's(set<int>) must be 1', 'is the number 5');
    const { text } = await send({
      path: '/v1/default_keyspace/rows',
      body: '{"find":{"sort":{"l":["a"]}}}',
    });
    assert.match(shortened(text), /SORT CANNOT_VECTOR_SORT_NON_VECTOR_COLUMNS/);
  });
});

describe('an index on a list, set or map', () => {
  it('list, set, map in createIndex: refused', async () => {
    const refused =
      '{"status":{"ok":0},"errors":[<REQUEST SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index>]}';
    for (const [column, type] of [
      ['l', 'list<text>'],
      ['s', 'set<int>'],
      ['m', 'map<text,decimal>'],
    ])
      await table(
        `{"createIndex":{"name":"i","definition":{"column":"${column}"}}}`,
        refused,
        `${column}(${type})`,
      );
  });
});
