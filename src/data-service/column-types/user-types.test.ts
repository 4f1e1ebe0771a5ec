// Values of user-defined types in the form of Cassandra's protocol and driver.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from './integers.js';
import { text } from './text.js';
import { UnknownField, userDefinedNamed, userDefinedOf } from './user-types.js';

const type = userDefinedOf({
  keyspace: 'k',
  name: 'Place',
  fields: [
    { name: 'street', type: text },
    { name: 'zip', type: int },
    { name: 'floor', type: int },
  ],
});

describe('user-defined types for Cassandra', () => {
  it('are named with their keyspace', () => {
    assert.equal(type.cql.type, 'k."Place"');
  });

  it('have the length and the bytes of each field, and -1 for a field without a value', () => {
    assert.equal(type.cql.encode(['a', null, 7]).toString('hex'), '0000000161ffffffff0000000400000007');
  });

  it('may have been stored before their last fields were added', () => {
    const hex = (value: readonly unknown[]) =>
      (type.cql.formerEncodings?.(value) ?? []).map((bytes) => bytes.toString('hex'));
    assert.deepEqual(hex(['a', null, null]), ['0000000161', '0000000161ffffffff']);
    assert.deepEqual(hex(['a', 1, null]), ['00000001610000000400000001']);
    assert.deepEqual(hex([null, null, 1]), []);
    assert.deepEqual(hex([null, null, null]), ['ffffffff', 'ffffffffffffffff']);
  });

  it('are read by the names of fields, in any order, without those at the end', () => {
    assert.deepEqual(type.cql.fromDriver({ zip: 5, street: 'a' }), ['a', 5, null]);
    assert.deepEqual(type.cql.fromDriver({}), [null, null, null]);
    assert.throws(() => type.cql.fromDriver({ road: 'a', zip: 5 }), UnknownField);
  });
});

describe('the name of a user-defined type', () => {
  it('contains the names of its fields, whatever they are', () => {
    const fields = ['a.b:c', '%41', '%u0041', '\ud83d\ude00', '\ud800', 'a\udc00\udc01%uD800', '\n{}'];
    const { name } = userDefinedOf({
      keyspace: 'k',
      name: 'Here',
      fields: fields.map((field) => ({ name: field, type: int })),
    });
    assert.match(name, /^user\{[\w%.:]+\}$/);
    // Another name, because the type with this one is known.
    const read = userDefinedNamed(name.replace('Here', 'There'))?.userType;
    assert.equal(read?.name, 'There');
    assert.deepEqual(
      read?.fields.map((field) => field.name),
      fields,
    );
  });
});
