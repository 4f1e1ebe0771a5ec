// Parsing and serialization of blobs and booleans.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blob } from './blob.js';
import { boolean } from './boolean.js';
import { ValueMismatch } from './column-type.js';

const binary = (text: string): ReadonlyMap<string, string> => new Map([['$binary', text]]);

describe('blob', () => {
  it('returns the base64 it was given', () => {
    for (const text of ['', 'AA==', 'AAE=', 'AAEC', '+/+/']) {
      assert.equal(blob.serialize(blob.parse(binary(text))), `{"$binary":"${text}"}`);
    }
    assert.deepEqual([...blob.parse(binary('AAEC/w=='))], [0, 1, 2, 255]);
  });

  it('refuses base64 that would not come back as it was sent', () => {
    for (const text of ['AA', 'AB==', '-_-_', 'AA==\n']) {
      assert.throws(() => blob.parse(binary(text)), /is not base64 with padding$/);
    }
  });

  it('says what shape it expects', () => {
    assert.throws(
      () => blob.parse('AA=='),
      new ValueMismatch('expected an object {"$binary": "<base64>"}, found a string'),
    );
    assert.throws(
      () => blob.parse(new Map([...binary('AA=='), ['x', 'y']])),
      new ValueMismatch('expected an object {"$binary": "<base64>"} without other members'),
    );
  });

  it('writes bytes that are a part of a larger buffer', () => {
    assert.equal(blob.serialize(new Uint8Array([9, 0, 1, 9]).subarray(1, 3)), '{"$binary":"AAE="}');
    assert.deepEqual([...blob.cql.encode(new Uint8Array([9, 0, 1, 9]).subarray(1, 3))], [0, 1]);
  });
});

describe('boolean', () => {
  it('is read from SQLite as number or bigint', () => {
    assert.equal(boolean.sql.decode(1n), true);
    assert.equal(boolean.sql.decode(0n), false);
    assert.equal(boolean.sql.decode(1), true);
  });
});
