// The key of a row in an address is read as it was written, and nothing else is taken for one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { identityTextOf, readIdentity } from './row-identity.js';

function object(text: string) {
  const value = parseJson(text);
  assert.ok(isObject(value));
  return value;
}

const primaryKey = '"primaryKey":{"partitionBy":["a","b"],"partitionSort":{"c":1}}';
const table = {
  kind: 'table',
  name: 't',
  definition: object(`{"columns":{"a":"text","b":"decimal","c":"blob","d":"int"},${primaryKey}}`),
} as const;
const collection = { kind: 'collection', name: 'c', definition: {} } as const;

describe('the identity of a row', () => {
  it('has the key with all digits and types, and is read again', () => {
    const row = object('{"d":1,"c":{"$binary":"AA=="},"a":"x/&%#ü","b":1234567890123456789.10}');
    const text = identityTextOf(table, row);
    assert.equal(text, '{"a":"x/&%#ü","b":1234567890123456789.10,"c":{"$binary":"AA=="}}');
    const read = readIdentity(table, text);
    assert.ok(typeof read !== 'string');
    assert.equal(writeJson(read), text);
  });

  for (const id of ['"1"', '1', '{"$uuid":"u"}', '{"$objectId":"o"}', '{"$date":1}', 'null'])
    it(`of a document may be ${id}`, () => {
      const text = identityTextOf(collection, object(`{"x":1,"_id":${id}}`));
      assert.equal(text, `{"_id":${id}}`);
      const read = readIdentity(collection, text);
      assert.ok(typeof read !== 'string');
      assert.equal(writeJson(read), text);
    });

  for (const [text, reason] of [
    ['', /no JSON object where the key belongs: a, b, c/],
    ['[1]', /no JSON object/],
    ['{"a":1,"b":2,"c":3,"d":4}', /another key than that of t: a, b, c/],
    ['{"a":1,"c":3}', /another key than that of t: a, b, c/],
    ['{"a":1,"b":2,"constructor":3}', /another key than that of t: a, b, c/],
    ['{"a":{"$in":["x"]},"b":2,"c":3}', /an operator of filters in place of a value: a/],
  ] as const)
    it(`is not ${text === '' ? 'nothing' : text}`, () => {
      const read = readIdentity(table, text);
      assert.ok(typeof read === 'string');
      assert.match(read, reason);
    });
});
