// The key of a row in an address is read as it was written, and nothing else is taken for one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { identityTextOf, isOfIdentity, readIdentity } from './row-identity.js';

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
    ['', /not a JSON object.*should have a, b, c as JSON/],
    ['[1]', /not a JSON object/],
    ['{"a":1,"b":2,"c":3,"d":4}', /not the key of t/],
    ['{"a":1,"c":3}', /not the key of t/],
    ['{"a":1,"b":2,"constructor":3}', /not the key of t/],
    ['{"a":{"$in":["x"]},"b":2,"c":3}', /^a should be a value/],
  ] as const)
    it(`is not ${text === '' ? 'nothing' : text}`, () => {
      const read = readIdentity(table, text);
      assert.ok(typeof read === 'string');
      assert.match(read, reason);
    });

  it('of static columns alone is of no row with clustering columns', () => {
    const identity = readIdentity(table, '{"a":"x","b":2}');
    assert.ok(typeof identity !== 'string');
    assert.equal(isOfIdentity(table, identity, object('{"a":"x","b":2,"d":1}')), true);
    assert.equal(isOfIdentity(table, identity, object('{"a":"x","b":2,"c":{"$binary":""}}')), false);
  });
});
