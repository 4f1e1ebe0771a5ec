// Filters that select rows by their key, every rule of wire 3.6 in its order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import { makeTable } from '../schema/table.js';
import { conjunctionOf, matchesAll } from './filter.js';
import { parseKeyOfOneRow, parseKeySlice, wholeKeyOf } from './key-filter.js';
import { parseFilter } from './parse-filter.js';

const names = ['v', 'd', 'c', 'q', 'p'];
const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: names.map((name) => ({ name, type: int })),
    partitionKey: ['p', 'q'],
    clustering: [
      { name: 'c', direction: 1 },
      { name: 'd', direction: -1 },
    ],
  },
);

describe('parseKeyOfOneRow', () => {
  const named = [
    '{"p":1,"q":2,"c":3,"d":4}',
    '{"d":{"$eq":4},"c":3,"q":2,"p":1}',
    '{"$and":[{"p":1},{"q":2,"$or":[{"c":3}]}],"d":4}',
    '{"$not":{"p":{"$ne":1}},"q":2,"c":3,"d":4}',
    '{"$not":{"$or":[{"p":{"$ne":1}},{"q":{"$ne":2}},{"c":{"$ne":3}}]},"d":4}',
    '{"p":1,"q":2,"c":3,"d":4,"$and":[{}]}',
  ];
  for (const json of named) {
    it(`names the row of ${json} in key order`, () => {
      assert.deepEqual(parseKeyOfOneRow(objectOf(json), table), [1, 2, 3, 4]);
    });
  }

  /** Each violates its own rule and the following ones. */
  const refused: readonly (readonly [json: string, code: string])[] = [
    ['{}', 'MISSING_FILTER_FOR_UPDATE_DELETE'],
    ['{"$and":[{}]}', 'MISSING_FILTER_FOR_UPDATE_DELETE'],
    ['{"$not":{}}', 'MISSING_FILTER_FOR_UPDATE_DELETE'],
    ['{"no":1,"v":{"$gt":1}}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"v":{"$gt":1},"p":{"$gt":1}}', 'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE'],
    ['{"p":1,"q":2,"c":3,"d":4,"v":5}', 'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE'],
    ['{"p":{"$gt":"x"}}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"p":{"$in":[1]},"q":2,"c":3,"d":4}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"p":{"$exists":true}}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"$not":{"p":1},"q":2,"c":3,"d":4}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"$or":[{"p":1},{"q":2}],"c":3,"d":4}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"$not":{"p":{"$ne":1},"q":{"$ne":2}},"c":3,"d":4}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"p":1,"q":2,"c":3,"d":4,"$not":{}}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"p":1,"q":2,"c":"x"}', 'MISSING_FULL_PRIMARY_KEY_FOR_UPDATE_DELETE'],
    ['{"c":3,"d":4}', 'MISSING_FULL_PRIMARY_KEY_FOR_UPDATE_DELETE'],
    ['{"p":1,"q":2,"c":3,"$and":[{"d":4},{"d":4}]}', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE'],
    ['{"p":1,"q":2,"c":3,"d":"x"}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"p":1,"q":2,"c":3,"d":null}', 'INVALID_FILTER_EXPRESSION'],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () => {
      assert.throws(() => parseKeyOfOneRow(objectOf(json), table), { code, scope: 'FILTER' });
    });
  }

  it('refuses an absent filter', () => {
    assert.throws(() => parseKeyOfOneRow(undefined, table), { code: 'MISSING_FILTER_FOR_UPDATE_DELETE' });
  });
});

describe('parseKeySlice', () => {
  it('names everything without a filter', () => {
    for (const filter of [undefined, objectOf('{}')]) {
      assert.ok(matchesAll(parseKeySlice(filter, table)));
    }
  });

  it('takes an empty branch for a mistake', () => {
    for (const json of ['{"$and":[{}]}', '{"$or":[{}]}', '{"$not":{"$not":{}}}']) {
      assert.throws(() => parseKeySlice(objectOf(json), table), { code: 'INVALID_PRIMARY_KEY_FILTER' });
    }
  });

  const sliced = [
    '{"p":1,"q":2}',
    '{"p":{"$in":[1,2]},"q":2}',
    '{"p":1,"q":2,"c":3}',
    '{"p":1,"q":2,"c":{"$in":[3]}}',
    '{"p":1,"q":2,"c":{"$gt":3}}',
    '{"p":1,"q":2,"c":{"$gte":3,"$lt":5}}',
    '{"p":1,"q":2,"c":{"$in":[3]},"d":{"$lte":4}}',
    '{"p":1,"q":2,"c":3,"d":4}',
    '{"$not":{"p":{"$ne":1}},"$and":[{"q":2},{"c":{"$gt":1}}]}',
  ];
  for (const json of sliced) {
    it(`takes ${json}`, () => assert.ok(conjunctionOf(parseKeySlice(objectOf(json), table))));
  }

  const refused: readonly (readonly [json: string, code: string])[] = [
    ['{"no":1,"v":1}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"v":"x"}', 'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE'],
    ['{"p":"x"}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"p":1}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"c":1,"d":2}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":{"$gt":2}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":{"$ne":2}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":{"$eq":2,"$in":[2]}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"d":4}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"c":{"$gt":3},"d":4}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"c":{"$ne":3}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"c":{"$nin":[3]}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"c":{"$gt":3,"$gte":3}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"c":{"$eq":3,"$lt":3}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"$or":[{"p":1,"q":2},{"p":2,"q":2}]}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"$not":{}}', 'INVALID_PRIMARY_KEY_FILTER'],
    ['{"p":1,"q":2,"$not":{}}', 'INVALID_PRIMARY_KEY_FILTER'],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () => {
      assert.throws(() => parseKeySlice(objectOf(json), table), { code, scope: 'FILTER' });
    });
  }
});

describe('wholeKeyOf', () => {
  const keys: readonly (readonly [json: string, key: readonly number[] | undefined])[] = [
    ['{"d":4,"c":3,"q":2,"p":1}', [1, 2, 3, 4]],
    ['{"p":1,"q":2,"c":3}', undefined],
    ['{"p":1,"q":2,"c":3,"v":4}', undefined],
    ['{"p":1,"q":2,"c":3,"d":4,"v":5}', undefined],
    ['{"p":1,"q":2,"$and":[{"c":3},{"c":3}]}', undefined],
    ['{"p":1,"q":2,"c":3,"d":{"$in":[4]}}', [1, 2, 3, 4]],
    ['{"p":1,"q":2,"c":3,"d":{"$in":[4,5]}}', undefined],
  ];
  for (const [json, key] of keys) {
    it(`${key === undefined ? 'finds no key' : 'finds the key'} in ${json}`, () => {
      assert.deepEqual(wholeKeyOf(conjunctionOf(parseFilter(objectOf(json), table)) ?? [], table), key);
    });
  }

  it('finds no key in a text that is compared as an index folds it', () => {
    const named = makeTable(
      { id: 2, version: 1, keyspace: 'k' },
      { name: 'named', columns: [{ name: 'id', type: text }], partitionKey: ['id'], clustering: [] },
    );
    const filter = parseFilter(objectOf('{"id":"a"}'), named);
    const [exact, ...others] = conjunctionOf(filter) ?? [];
    assert.ok(exact !== undefined && others.length === 0);
    assert.deepEqual(wholeKeyOf([exact], named), ['a']);
    const fold = { ascii: false, caseSensitive: false, normalize: false };
    assert.equal(wholeKeyOf([{ ...exact, fold }], named), undefined);
  });
});

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 100, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
