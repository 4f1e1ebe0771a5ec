// The hash of texts, compared with that of Node.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { sha256 } from './sha-256.js';

describe('SHA-256 in the browser', () => {
  it('is that of Node, at every length around the ends of blocks', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 5000]) {
      const text = 'aé€😀'.repeat(length).slice(0, length);
      const expected = createHash('sha256').update(text, 'utf8').digest('hex');
      assert.equal(sha256(text), expected, String(length));
    }
  });
});
