// The entries of decoded maps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MapEntries } from './map-entries.js';

describe('decoded maps', () => {
  it('keep both zeros as keys', () => {
    const entries = new MapEntries().set(-0, 'a').set(0, 'b').set('c', -0);
    const expected = [
      [-0, 'a'],
      [0, 'b'],
      ['c', -0],
    ];
    assert.ok(entries instanceof Map);
    assert.equal(entries.size, 3);
    assert.deepEqual([...entries], expected);
    assert.deepEqual([...entries.entries()], expected);
    assert.deepEqual([...entries.keys()], [-0, 0, 'c']);
    assert.deepEqual([...entries.values()], ['a', 'b', -0]);
  });
});
