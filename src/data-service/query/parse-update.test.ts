// Update clauses: the order of the checks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { listOf, mapOf, setOf } from '../column-types/containers.js';
import { int, varint } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import { makeTable } from '../schema/table.js';
import { parseUpdateClause, resolveUpdate } from './parse-update.js';
import type { ColumnChange } from './write.js';

const columns = ['p', 'c', 'a', 'b'].map((name) => ({ name, type: int }));
const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      ...columns,
      { name: 'big', type: varint },
      { name: 'l', type: listOf(int) },
      { name: 's', type: setOf(int) },
      { name: 'm', type: mapOf(text, int) },
    ],
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: 1 }],
  },
);

describe('updates', () => {
  const assigned: readonly (readonly [json: string, expected: readonly (readonly [string, unknown])[]])[] = [
    [
      '{"$set":{"a":1,"b":null}}',
      [
        ['a', 1],
        ['b', null],
      ],
    ],
    [
      '{"$unset":{"a":"anything","b":{"x":[1]}}}',
      [
        ['a', null],
        ['b', null],
      ],
    ],
    [
      '{"$unset":{"b":""},"$set":{"a":2}}',
      [
        ['b', null],
        ['a', 2],
      ],
    ],
    ['{"$set":{"a":2},"$unset":{},"$push":{}}', [['a', 2]]],
  ];
  for (const [json, expected] of assigned) {
    it(`assigns what ${json} says`, () => {
      const found = resolve(json);
      assert.deepEqual(
        found.map((change) => [change.column.name, change.kind === 'set' ? change.value : change.kind]),
        expected,
      );
    });
  }

  const pushed: readonly (readonly [json: string, expected: unknown])[] = [
    ['{"$push":{"l":1}}', [1]],
    ['{"$push":{"l":{"$each":[2,1,2]}}}', [2, 1, 2]],
    ['{"$push":{"s":{"$each":[2,1,2]}}}', [1, 2]],
    ['{"$push":{"l":{"$each":[]}}}', []],
    ['{"$push":{"m":{"k":1}}}', [['k', 1]]],
    ['{"$push":{"m":["k",1]}}', [['k', 1]]],
    [
      '{"$push":{"m":{"$each":[["k",1],{"a":2},["k",3]]}}}',
      [
        ['a', 2],
        ['k', 3],
      ],
    ],
    ['{"$pullAll":{"l":[2,1,2]}}', [2, 1, 2]],
    ['{"$pullAll":{"s":[]}}', []],
    ['{"$pullAll":{"m":["k","a"]}}', ['k', 'a']],
    ['{"$set":{"l":[]}}', null],
    ['{"$set":{"m":{}}}', null],
  ];
  for (const [json, expected] of pushed) {
    it(`reads the members of ${json}`, () => assert.deepEqual(resolve(json).map(operandOf), [expected]));
  }

  /** In the order of the checks: each violates its own rule and, where possible, later ones. */
  const refused: readonly (readonly [json: string, code: string])[] = [
    ['{"$set":{"no":1},"$foo":{}}', 'UNSUPPORTED_UPDATE_OPERATION'],
    ['{"set":{"a":1}}', 'UNSUPPORTED_UPDATE_OPERATION'],
    ['{"$set":{"no":1},"$unset":["a"]}', 'UNSUPPORTED_UPDATE_DATA_TYPE'],
    ['{"$inc":1}', 'UNSUPPORTED_UPDATE_DATA_TYPE'],
    ['{"$inc":{"a":1},"$set":{"no":1,"a":"x"}}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"$set":{"a.b":1}}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"$unset":{"no":1}}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"$set":{"a":"x"},"$push":{"no":1}}', 'INVALID_COLUMN_VALUES'],
    ['{"$push":{"a":1},"$set":{"b":"x"}}', 'UNSUPPORTED_UPDATE_OPERATOR'],
    ['{"$pullAll":{"a":[1]}}', 'UNSUPPORTED_UPDATE_OPERATOR'],
    ['{"$push":{"l":[1],"a":1}}', 'UNSUPPORTED_UPDATE_OPERATOR'],
    ['{"$push":{"s":"x","l":[1]},"$inc":{}}', 'INVALID_PUSH_OPERATOR_USAGE'],
    ['{"$push":{"l":"x"},"$inc":{}}', 'INVALID_COLUMN_VALUES'],
    ['{"$pullAll":{"l":1}}', 'INVALID_COLUMN_VALUES'],
    ['{"$push":{"l":1},"$set":{"l":[1]}}', 'UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS'],
    ['{"$set":{"a":1.5,"b":"x","p":1},"$inc":{}}', 'INVALID_COLUMN_VALUES'],
    ['{"$set":{"p":1,"a":1},"$unset":{"a":1},"$inc":{"b":1}}', 'UNSUPPORTED_UPDATE_OPERATIONS_FOR_TABLE'],
    ['{"$currentDate":{}}', 'UNSUPPORTED_UPDATE_OPERATIONS_FOR_TABLE'],
    ['{}', 'MISSING_UPDATE_OPERATIONS'],
    ['{"$set":{},"$unset":{}}', 'MISSING_UPDATE_OPERATIONS'],
    ['{"$set":{"p":1,"a":1},"$unset":{"a":1}}', 'UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS'],
    ['{"$set":{"a":1,"p":1}}', 'UNSUPPORTED_UPDATE_FOR_PRIMARY_KEY_COLUMNS'],
    ['{"$unset":{"c":1}}', 'UNSUPPORTED_UPDATE_FOR_PRIMARY_KEY_COLUMNS'],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () => assert.throws(() => resolve(json), { code, scope: 'UPDATE' }));
  }

  it('names all values that do not fit', () => {
    assert.throws(() => resolve('{"$set":{"a":"x","b":true}}'), /a\(int\).*b\(int\)/s);
  });

  it('refuses numbers of too many digits as a limit', () => {
    assert.throws(() => resolve('{"$set":{"a":"x","big":1e300000}}'), { code: 'SHRED_DOC_LIMIT_VIOLATION' });
  });
});

function operandOf(change: ColumnChange): unknown {
  return change.kind === 'pull' ? change.names : change.value;
}

function resolve(json: string) {
  return resolveUpdate(parseUpdateClause(objectOf(json)), table).changes;
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
