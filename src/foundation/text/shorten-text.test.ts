// Shortened texts: their lengths, and their ends.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginningOf, endOf, shortened } from './shorten-text.js';
import { beginningOfUtf8, endOfUtf8 } from './shorten-utf8.js';

const text = 'aé漢😀b👍';

describe('shortened', () => {
  it('keeps a text that is not too long', () => {
    assert.equal(shortened(text, text.length), text);
    assert.equal(shortened('', 0), '');
  });

  it('ends with … and has at most the length', () => {
    assert.equal(shortened('abcdef', 4), 'abc…');
    assert.equal(shortened('ab😀cd', 4), 'ab…');
    assert.equal(shortened('ab😀cd', 5), 'ab😀…');
  });
});

describe('a part of a text', () => {
  it('never ends or begins inside a character', () => {
    for (let length = 0; length <= text.length + 1; length += 1) {
      const [beginning, end] = [beginningOf(text, length), endOf(text, length)];
      assert.ok(beginning.isWellFormed() && end.isWellFormed());
      assert.ok(text.startsWith(beginning) && text.endsWith(end));
      assert.ok(beginning.length <= length && beginning.length >= Math.min(length, text.length) - 1);
      assert.ok(end.length <= length && end.length >= Math.min(length, text.length) - 1);
    }
  });

  it('never ends or begins inside the bytes of a character', () => {
    const bytes = Buffer.from(text);
    for (let length = 0; length <= bytes.length + 1; length += 1) {
      const [beginning, end] = [
        beginningOfUtf8(bytes, length),
        Buffer.from(endOfUtf8(bytes, length)).toString(),
      ];
      assert.ok(text.startsWith(beginning), beginning);
      assert.ok(text.endsWith(end), end);
      assert.ok(
        Buffer.byteLength(beginning) > length - 4 &&
          Buffer.byteLength(end) > Math.min(length, bytes.length) - 4,
      );
    }
  });
});
