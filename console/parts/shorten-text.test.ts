// Shortened texts: where they end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened } from './shorten-text.js';

describe('a text that is shortened', () => {
  it('does not end inside a character', () => {
    assert.equal(shortened('ab😀cd', 4), 'ab…');
    assert.equal(shortened('ab😀cd', 5), 'ab😀…');
    assert.equal(shortened('ab😀', 4), 'ab😀');
  });
});
