// Checks the bounded cache.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GenerationCache } from './generation-cache.js';

describe('GenerationCache', () => {
  it('keeps what is used and never holds more than its capacity', () => {
    const cache = new GenerationCache<number>(10);
    cache.set('kept', 0);
    for (let key = 0; key < 100; key += 1) {
      cache.set(String(key), key);
      assert.equal(cache.get('kept'), 0);
      assert.ok(cache.size <= 10, `${cache.size} entries`);
    }
    assert.equal(cache.get('0'), undefined);
    assert.equal(cache.get('99'), 99);
  });
});
