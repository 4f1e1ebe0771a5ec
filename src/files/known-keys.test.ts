// The keys of rows are known from their second time on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KnownKeys } from './known-keys.js';

describe('the keys of rows', () => {
  it('are known from their second time on, of many that are similar', () => {
    const known = new KnownKeys();
    const keys = Array.from({ length: 100_000 }, (_, at) => [`${at},"${at % 10}"`, `"k${at}"`]).flat();
    assert.equal(keys.filter((key) => known.add(key)).length, 0);
    assert.equal(
      keys.every((key) => known.add(key)),
      true,
    );
  });
});
