// Parsing, serialization and order of uuids.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValueMismatch } from './column-type.js';
import { timeuuid, uuid } from './uuids.js';

describe('uuid', () => {
  it('takes every version in any case and writes lower case', () => {
    assert.equal(
      uuid.serialize(uuid.parse('123E4567-E89B-F2D3-0456-42661417400F')),
      '"123e4567-e89b-f2d3-0456-42661417400f"',
    );
  });

  it('sends its bytes as written', () => {
    const value = uuid.parse('123e4567-e89b-12d3-a456-42661417400f');
    assert.equal(uuid.cql.encode(value).toString('hex'), '123e4567e89b12d3a45642661417400f');
  });

  it('orders by version, then by time or bytes', () => {
    const early = '00000002-0000-1000-8000-000000000000';
    const late = '00000001-0001-1000-8000-000000000000';
    assert.ok(uuid.compare(early, late) < 0);
    assert.ok(
      uuid.compare('ffffffff-0000-1000-8000-000000000000', '00000000-0000-4000-8000-000000000000') < 0,
    );
    assert.ok(
      uuid.compare('00000001-0001-4000-8000-000000000000', '00000002-0000-4000-8000-000000000000') < 0,
    );
  });
});

describe('timeuuid', () => {
  it('takes version 1 only', () => {
    assert.throws(
      () => timeuuid.parse('123e4567-e89b-42d3-a456-426614174000'),
      new ValueMismatch('"123e4567-e89b-42d3-a456-426614174000" is not a UUID of version 1'),
    );
  });

  it('orders the last eight bytes as signed ones, where uuid takes them as unsigned', () => {
    const small = '00000000-0000-1000-8000-000000000000';
    const large = '00000000-0000-1000-7f00-000000000000';
    assert.ok(timeuuid.compare(small, large) < 0);
    assert.ok(uuid.compare(small, large) > 0);
  });
});
