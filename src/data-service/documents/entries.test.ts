// The index entries of documents: which there are, and the order of their keys.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import {
  addEntries,
  comparedKeys,
  type EntryKey,
  entryKey,
  entryPaths,
  equalKeys,
  everyKey,
  sizeKeys,
} from './entries.js';
import { parsePath } from './path.js';
import { comparedValue } from './values.js';

describe('the entries of a document', () => {
  it('are one for each value, also for objects, arrays and their elements', () => {
    const paths = pathsOf('{"_id": 1, "a": {"b": [1, {"c": null}]}, "d": true, "$lexical": "x"}');
    assert.deepEqual(paths, ['a', 'a.b', 'a.b.&*', 'a.b.&*', 'a.b.&*.c', 'd']);
  });

  it('have names with dots and ampersands escaped', () => {
    assert.deepEqual(pathsOf('{"a.b": {"c&d": 1}}'), ['a&.b', 'a&.b.c&&d']);
  });

  it('are left out for paths that are not indexed, but not for those inside them', () => {
    const isIndexed = (path: readonly string[]) => path.join('.') === 'a.b.0';
    assert.deepEqual(pathsOf('{"a": {"b": [1, 2], "c": 3}}', isIndexed), ['a.b.&*']);
  });
});

describe('the key of a value', () => {
  const ascending = [
    ...['-1e400', '-5', '-0.5', '0', '0.5', '5', '1e400'],
    ...['""', '"\\u0000"', '"a"', '"a\\u0000"', '"ab"', '"b"', '"\\uffff"', '"\\ud83d\\ude00"'],
    ...['null', '[]', '[1]', '[1,2]', 'false', 'true'],
    ...['{"$date": -5}', '{"$date": 0}', '{"$date": 5}', '{"$date": 9223372036854775807}'],
  ].map(keyOf);

  it('is in the order of values of one kind, and the kinds do not mix', () => {
    for (const [at, key] of ascending.entries())
      if (at > 0) assert.ok(compareKeys(ascending[at - 1] ?? '', key) < 0, `${at}`);
  });

  it('is the same for equal values', () => {
    const pairs = [
      ['1', '1.0'],
      ['100', '1e2'],
      ['{"$uuid": "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"}', '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"'],
      ['[1, {"a": 2.50}]', '[1.0, {"a": 2.5}]'],
    ] as const;
    for (const [left, right] of pairs) assert.deepEqual(keyOf(left), keyOf(right));
  });

  it('differs for objects whose members have another order', () => {
    assert.notDeepEqual(keyOf('{"a": 1, "b": 2}'), keyOf('{"b": 2, "a": 1}'));
  });

  it('is exact for short texts, and not for long ones, numbers, arrays and objects', () => {
    const exact = (json: string) => equalKeys(parsed(json)).isExact;
    assert.deepEqual(['"a"', 'true', 'null', '{"$date": 1}'].map(exact), [true, true, true, true]);
    assert.deepEqual(['1', '[]', '{"a":1}', `"${'x'.repeat(57)}"`].map(exact), [false, false, false, false]);
  });

  it('of a long text differs where the texts differ only at their ends', () => {
    assert.notDeepEqual(keyOf(`"${'x'.repeat(100)}a"`), keyOf(`"${'x'.repeat(100)}b"`));
  });
});

describe('the keys of a range', () => {
  const [x46, x47] = ['x'.repeat(46), 'x'.repeat(47)];
  const texts = [
    ...['', 'a', `${x47}x`, `${x47}xa`, `${x47}xxxxxxxxx`, `${'x'.repeat(60)}a`, 'y'],
    // A pair of surrogates at the end of the prefix, beside other characters there.
    ...[`${x47}😀`, `${x47}${'😀'.repeat(9)}`, `${x47}\uffff`, `${x47}\uffffxyz`, `${x47}\uffff${x47}`],
    ...[`${x46}😀`, `${x46}${'😀'.repeat(9)}`, `${x46}\uffff😀`, `${x46}\uffff${'😀'.repeat(9)}`],
    ...[12, 13, 24, 28, 29, 60].map((count) => '\u{10ffff}'.repeat(count)),
  ];
  const operators = ['$gt', '$gte', '$lt', '$lte'] as const;
  const matches = (operator: (typeof operators)[number], value: string, operand: string) => {
    const order = Buffer.compare(Buffer.from(value), Buffer.from(operand));
    if (operator === '$gt') return order > 0;
    if (operator === '$gte') return order >= 0;
    return operator === '$lt' ? order < 0 : order <= 0;
  };

  for (const operator of operators) {
    it(`contain every text that matches ${operator}, whatever the lengths`, () => {
      for (const operand of texts) {
        const range = comparedKeys(operator, operand);
        for (const value of texts)
          if (matches(operator, value, operand)) assert.ok(isWithin(keyOf(JSON.stringify(value)), range));
      }
    });
  }

  it('contain no values of other kinds', () => {
    for (const operand of ['1', '"a"', 'true', '{"$date": 1}']) {
      const range = comparedKeys('$gte', parsed(operand));
      const others = ['1', '"a"', 'true', 'null', '[]', '{}', '{"$date": 1}'].filter(
        (each) => each !== operand,
      );
      for (const other of others) assert.ok(!isWithin(keyOf(other), range), `${operand} ${other}`);
    }
  });

  it('do not exist for arrays, objects and null', () => {
    for (const operand of ['[]', '{"a": 1}', 'null'])
      assert.equal(comparedKeys('$gt', parsed(operand)), undefined);
  });

  it('of a size are those of arrays with so many elements', () => {
    assert.ok(isWithin(keyOf('[1, 2]'), sizeKeys(2, 2)));
    for (const other of ['[]', '[1]', '[1, 2, 3]', '2', '{"a": 1}'])
      assert.ok(!isWithin(keyOf(other), sizeKeys(2, 2)));
  });

  it('of every value contain all keys', () => {
    for (const json of [
      '-1e400',
      '1e400',
      '""',
      '"\\udbff\\udfff"',
      'null',
      '[]',
      '{}',
      'true',
      '{"$date": 1}',
    ])
      assert.ok(isWithin(keyOf(json), everyKey), json);
  });
});

describe('the paths of entries', () => {
  it('have a number as the name of a member and as an index of an array', () => {
    assert.deepEqual(entryPaths(parsePath('a.0.b')), ['a.0.b', 'a.&*.b']);
    assert.deepEqual(entryPaths(parsePath('0')), ['0']);
  });
});

function parsed(json: string): JsonValue {
  return parseJson(json, { maxDepth: 20, maxNumberLength: 100 });
}

function keyOf(json: string): EntryKey {
  return entryKey(comparedValue(parsed(json)));
}

function pathsOf(json: string, isIndexed?: (path: readonly string[]) => boolean): readonly string[] {
  const document = parsed(json);
  assert.ok(document !== null && isJsonObject(document));
  const paths: string[] = [];
  addEntries(document as JsonObject, isIndexed, (path) => paths.push(path));
  return paths;
}

/** Compares in the order of SQLite: numbers, texts by their bytes, bytes. */
function compareKeys(left: EntryKey, right: EntryKey): number {
  const rank = (key: EntryKey) => (typeof key === 'string' ? 1 : typeof key === 'object' ? 2 : 0);
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  return Number(left) === Number(right) ? 0 : Number(left) < Number(right) ? -1 : 1;
}

function isWithin(
  key: EntryKey,
  range: { readonly low: EntryKey; readonly high: EntryKey } | undefined,
): boolean {
  return range !== undefined && compareKeys(key, range.low) >= 0 && compareKeys(key, range.high) <= 0;
}
