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

  it('keeps fewer entries with long keys', () => {
    const cache = new GenerationCache<number>(10);
    for (let key = 0; key < 100; key += 1) {
      const text = `${key} `.padEnd(3_000);
      cache.set(text, key);
      assert.equal(cache.get(text), key);
      assert.ok(cache.size <= 4, `${cache.size} entries`);
    }
  });

  it('keeps an entry that is larger than a generation until others come', () => {
    const dropped: number[] = [];
    const cache = new GenerationCache<number>(10, (value) => dropped.push(value));
    const [one, other] = ['1', '2'].map((text) => text.padEnd(100_000));
    cache.set(one ?? '', 1);
    cache.set(other ?? '', 2);
    assert.deepEqual([cache.get(one ?? ''), cache.get(other ?? ''), dropped], [1, 2, []]);
    for (let key = 0; key < 10; key += 1) cache.set(String(key), key);
    assert.deepEqual(dropped, [1, 2]);
  });
});
