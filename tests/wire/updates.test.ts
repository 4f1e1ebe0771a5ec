// updateOne: what it assigns, the row it makes, and its checks in their order.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"rows","definition":{"columns":{"p":"text","c":"int","n":"int","t":"text","v":"varint"},
        "primaryKey":{"partitionBy":["p"],"partitionSort":{"c":1}}}}}`,
    ],
  ],
});
const table = at('/v1/default_keyspace/rows');
const done = '{"status":{"matchedCount":1,"modifiedCount":1}}';
const schema = `"projectionSchema":{"p":{"type":"text"},"c":{"type":"int"},"n":{"type":"int"},"t":{"type":"text"},
  "v":{"type":"varint"}}`;
const key = (p: string) => `"filter":{"p":"${p}","c":1}`;
const update = (p: string, clause: string) => table(`{"updateOne":{${key(p)},"update":${clause}}}`, done);
const expect = (p: string, document: string) =>
  table(`{"findOne":{${key(p)}}}`, `{"data":{"document":${document}},"status":{${schema}}}`);

describe('updateOne', () => {
  it('sets and unsets columns', async () => {
    await update('a', '{"$set":{"n":1,"t":"x","v":1e30}}');
    await expect('a', '{"p":"a","c":1,"n":1,"t":"x","v":1000000000000000000000000000000}');
    await update('a', '{"$set":{"n":2},"$unset":{"v":"anything"}}');
    await expect('a', '{"p":"a","c":1,"n":2,"t":"x"}');
    await update('a', '{"$set":{"t":null}}');
    await expect('a', '{"p":"a","c":1,"n":2}');
  });

  it('takes an empty operator beside another, and $unset with any value', async () => {
    await update('b', '{"$set":{"n":1,"t":"x"},"$unset":{}}');
    await update('b', '{"$set":{},"$unset":{"n":{"any":["thing"]}}}');
    await expect('b', '{"p":"b","c":1,"t":"x"}');
  });

  it('takes the option upsert, which changes nothing', async () => {
    for (const upsert of ['true', 'false', 'null']) {
      await table(
        `{"updateOne":{${key('u')},"update":{"$set":{"n":1}},"options":{"upsert":${upsert}}}}`,
        done,
      );
    }
    await expect('u', '{"p":"u","c":1,"n":1}');
  });

  it('upsert and row liveness: an update makes the row, and takes it away with its last value', async () => {
    await update('made', '{"$set":{"n":1,"t":"x"}}');
    await update('made', '{"$unset":{"n":""}}');
    await expect('made', '{"p":"made","c":1,"t":"x"}');
    await update('made', '{"$set":{"t":null}}');
    await expect('made', 'null');
  });

  it('upsert and row liveness: unsetting columns of no row makes none', async () => {
    await update('never', '{"$unset":{"n":""}}');
    await expect('never', 'null');
  });

  it('upsert and row liveness: a row that was inserted stays without a value', async () => {
    await table(
      '{"insertOne":{"document":{"p":"kept","c":1,"n":1}}}',
      '{"status":{"insertedIds":[["kept",1]],"primaryKeySchema":{"p":{"type":"text"},"c":{"type":"int"}}}}',
    );
    await update('kept', '{"$unset":{"n":""}}');
    await expect('kept', '{"p":"kept","c":1}');
  });

  it('names the row with $eq as well', async () => {
    await table(
      '{"updateOne":{"filter":{"$and":[{"p":{"$eq":"e"}},{"c":1}]},"update":{"$set":{"n":5}}}}',
      done,
    );
    await expect('e', '{"p":"e","c":1,"n":5}');
  });
});

const unknownOperator = 'UPDATE UNSUPPORTED_UPDATE_OPERATION: Update operator unknown';
const noObject = 'UPDATE UNSUPPORTED_UPDATE_DATA_TYPE: Operator takes an object';
const sorted = 'SORT UNSUPPORTED_SORT_FOR_TABLE_UPDATE_COMMAND: Sort not supported by update';
const unknownColumn = 'UPDATE UNKNOWN_TABLE_COLUMNS: Columns unknown in the table';
const wrongOperator = 'UPDATE UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the column';
const badValues = 'UPDATE INVALID_COLUMN_VALUES: Values do not fit their columns';
const forDocuments =
  'UPDATE UNSUPPORTED_UPDATE_OPERATIONS_FOR_TABLE: Update operators not supported on tables';
const nothing = 'UPDATE MISSING_UPDATE_OPERATIONS: Nothing to update';
const twice = 'UPDATE UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS: A column is assigned twice';
const ofKey = 'UPDATE UNSUPPORTED_UPDATE_FOR_PRIMARY_KEY_COLUMNS: Primary key columns cannot be updated';
const noFilter = 'FILTER MISSING_FILTER_FOR_UPDATE_DELETE: Filter missing';

describe('updateOne refuses', () => {
  const good = '{"$set":{"n":1}}';
  const refuse = (members: string, problem: string, ...facts: readonly string[]) =>
    table(`{"updateOne":{${members}}}`, `{"errors":[<REQUEST ${problem}>]}`, ...facts);

  const clauses: readonly (readonly [update: string, problem: string, fact: string])[] = [
    [
      '{"$foo":{"n":1}}',
      unknownOperator,
      '"$foo" is not an update operator.\nOperators for tables: $set, $unset',
    ],
    ['{"n":1}', unknownOperator, '"n"'],
    ['{"$set":5}', noObject, '$set needs an object of names and values, but has: the number 5'],
    ['{"$unset":["n"]}', noObject, 'an array of 1 element'],
    ['{"$set":{"x":1,"n":1,"t.a":1}}', unknownColumn, 'Unknown columns: x, t.a.'],
    ['{"$unset":{"x":1}}', unknownColumn, 'The update has columns that the table rows does not have.'],
    ['{"$push":{"n":1}}', wrongOperator, '$push cannot be used on: n(int)'],
    ['{"$pullAll":{"t":["a"]}}', wrongOperator, '$pullAll cannot be used on: t(text)'],
    [
      '{"$set":{"n":"1","t":2}}',
      badValues,
      'n(int) - Cause: expected a number, found a string.\nt(text) - Cause: ',
    ],
    ['{}', nothing, '$set, $unset'],
    ['{"$set":{},"$unset":{}}', nothing, 'does not change any column'],
    ['{"$set":{"n":1},"$unset":{"n":1}}', twice, 'changed by more than one operator: n(int)'],
    ['{"$set":{"p":"x","n":1}}', ofKey, 'p(text)'],
    ['{"$unset":{"c":1}}', ofKey, 'The primary key is: p(text), c(int).'],
    ...['$inc', '$mul', '$min', '$max', '$rename', '$pop', '$addToSet', '$currentDate', '$setOnInsert'].map(
      (operator) => [`{"${operator}":{"n":1}}`, forDocuments, operator] as const,
    ),
  ];
  for (const [clause, problem, fact] of clauses) {
    it(`an update of ${clause}`, () => refuse(`${key('x')},"update":${clause}`, problem, fact));
  }

  it('a sort that is not empty', async () => {
    await refuse(`${key('x')},"update":${good},"sort":{"n":1}`, sorted);
    await table(`{"updateOne":{${key('x')},"update":${good},"sort":{}}}`, done);
  });

  it('what is missing or has another shape', async () => {
    const invalid = 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid';
    const mismatch = 'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch';
    await refuse(key('x'), invalid, '"command.update"');
    await refuse(`${key('x')},"update":[]`, mismatch, 'command.update');
    await refuse(`"filter":[],"update":${good}`, mismatch, 'command.filter');
    await refuse(`${key('x')},"update":${good},"options":{"upsert":1}`, mismatch, 'command.options.upsert');
    await refuse(
      `${key('x')},"update":${good},"options":{"multi":true}`,
      'COMMAND_FIELD_UNKNOWN: Command field unknown',
      'upsert',
    );
  });

  it('one thing after the other, in the documented order', async () => {
    const sort = '"sort":{"n":1}';
    const bad = '"filter":{}';
    // Each update also breaks every rule behind the one it is refused for.
    const order: readonly (readonly [update: string, sort: string, problem: string])[] = [
      ['{"$set":{"x":1},"$inc":{"n":1},"$foo":{}}', sort, unknownOperator],
      ['{"$set":{"x":1},"$inc":{"n":1}}', sort, sorted],
      ['{"$set":{"n":"1"},"$unset":{"x":1},"$inc":{"n":1}}', '"sort":{}', badValues],
      ['{"$set":{"n":"1","x":1},"$inc":{"n":1}}', '"sort":{}', unknownColumn],
      ['{"$push":{"n":1},"$inc":{"n":1}}', '"sort":{}', wrongOperator],
      ['{"$inc":{"n":1}}', '"sort":{}', forDocuments],
      ['{"$set":{}}', '"sort":{}', nothing],
      ['{"$set":{"p":"y"},"$unset":{"p":1}}', '"sort":{}', twice],
      ['{"$set":{"p":"y"}}', '"sort":{}', ofKey],
      [good, '"sort":{}', noFilter],
    ];
    for (const [clause, sortMember, problem] of order) {
      await refuse(`${bad},"update":${clause},${sortMember}`, problem);
    }
  });
});
