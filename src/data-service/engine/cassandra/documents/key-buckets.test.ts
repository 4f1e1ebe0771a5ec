// Buckets of keys: a key in a range is always in one of the buckets of the range.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { comparedKeys, entryKey } from '../../../documents/entries.js';
import { rangeTest } from '../../../documents/value-tests.js';
import { comparedValue } from '../../../documents/values.js';
import { bucketsOf, bucketsWithin, type KeyBucket } from './key-buckets.js';

const values = [
  ...[
    '-1e400',
    '-1e40',
    '-12345.678',
    '-1',
    '-0.001',
    '-1e-40',
    '0',
    '1e-40',
    '0.5',
    '1',
    '1.001',
    '2',
    '990',
  ],
  ...['1000', '1024', '1700000000000', '1700000086400', '1e30', '1e400'],
  ...['""', '"\\u0000"', '"1"', '"2024-05-01"', '"A"', '"a"', '"ab"', '"ac"', '"é"', '"\\uffff"', '"😀"'],
  ...['true', 'false'],
  ...[
    '{"$date":-9223372036854775808}',
    '{"$date":-86400001}',
    '{"$date":-1}',
    '{"$date":0}',
    '{"$date":86399999}',
  ],
  ...['{"$date":1700000000000}', '{"$date":9223372036854775807}'],
].map((text) => parseJson(text, { maxDepth: 4, maxNumberLength: 100 }));
const operators = { $gt: 1, $gte: 1, $lt: -1, $lte: -1 } as const;
type Operator = keyof typeof operators;

function rangeOf(operator: Operator, operand: JsonValue) {
  const keys = comparedKeys(operator, operand);
  assert.ok(keys !== undefined);
  return keys;
}

function isIn(value: JsonValue, buckets: readonly KeyBucket[] | undefined): boolean {
  const own = bucketsOf(entryKey(comparedValue(value))).map((bucket) => JSON.stringify(bucket));
  return buckets === undefined || buckets.some((bucket) => own.includes(JSON.stringify(bucket)));
}

function matches(operator: Operator, operand: JsonValue, value: JsonValue): boolean {
  const hasEqual = operator.endsWith('e');
  return rangeTest(operand, (order) => (order === 0 ? hasEqual : order * operators[operator] > 0))(value);
}

describe('the buckets of a range', () => {
  const names: readonly Operator[] = ['$gt', '$gte', '$lt', '$lte'];

  it('have every value of it, with any number of buckets', () => {
    for (const most of [4, 16, 64, 1_000])
      for (const operator of names)
        for (const operand of values) {
          const buckets = bucketsWithin([rangeOf(operator, operand)], most);
          assert.ok(buckets === undefined || buckets.length <= most);
          for (const value of values)
            if (matches(operator, operand, value))
              assert.ok(isIn(value, buckets), JSON.stringify([operator, operand, value]));
        }
  });

  it('have every value that is in two ranges', () => {
    for (const low of values)
      for (const high of values) {
        const buckets = bucketsWithin([rangeOf('$gte', low), rangeOf('$lt', high)], 64);
        for (const value of values)
          if (matches('$gte', low, value) && matches('$lt', high, value)) assert.ok(isIn(value, buckets));
      }
  });

  it('are none where no value can be in both ranges', () => {
    const [one, two, text] = [number(1), number(2), 'a'];
    assert.deepEqual(bucketsWithin([rangeOf('$gt', two), rangeOf('$lt', one)], 64), []);
    assert.deepEqual(bucketsWithin([rangeOf('$gt', one), rangeOf('$lt', text)], 64), []);
  });

  it('leave values out that are not near', () => {
    const buckets = bucketsWithin([rangeOf('$gte', number(990)), rangeOf('$lte', number(1_000))], 64);
    const found = [900, 980, 989, 990, 995, 1_000, 1_003, 1_010, 1_100].filter((each) =>
      isIn(number(each), buckets),
    );
    assert.deepEqual(found, [990, 995, 1_000]);
    assert.equal(buckets?.length, 6);
  });

  it('are few for ranges without an end', () => {
    const counts = [
      number(5),
      number(990),
      number(1_700_000_000_000),
      'm',
      date(1_700_000_000_000),
      true,
    ].map((operand) => bucketsWithin([rangeOf('$gt', operand)], 64)?.length);
    assert.deepEqual(counts, [30, 13, 22, 16, 13, 1]);
  });
});

function number(value: number): JsonValue {
  return parseJson(String(value), { maxDepth: 1, maxNumberLength: 100 });
}

function date(time: number): JsonValue {
  return new Map([['$date', number(time)]]);
}
