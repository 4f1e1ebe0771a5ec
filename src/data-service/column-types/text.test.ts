// Parsing and serialization of text, varchar and ascii.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValueMismatch } from './column-type.js';
import { ascii, text, varchar } from './text.js';

describe('text', () => {
  it('keeps every character, U+0000 included', () => {
    const all = '\u0000\u0001\u0002"\\/\n é€\ufffe😀';
    assert.equal(text.parse(all), all);
    assert.equal(JSON.parse(text.serialize(all)), all);
  });

  it('writes JSON strings as the platform does', () => {
    assert.equal(text.serialize('a"b\\c\u0000d\né'), '"a\\"b\\\\c\\u0000d\\né"');
  });

  it('refuses lone surrogates and other kinds with a reason', () => {
    assert.throws(
      () => text.parse('a\ud800'),
      new ValueMismatch('the text has an unpaired surrogate, which is not a character'),
    );
    assert.throws(() => text.parse(true), new ValueMismatch('expected a string, found a boolean'));
    assert.throws(() => text.parse([]), new ValueMismatch('expected a string, found an array'));
  });

  it('stores texts without U+0000 and U+0001 as they are', () => {
    assert.equal(text.sql.encode('plain é 😀'), 'plain é 😀');
    assert.equal(text.sql.encode('\u0000\u0001'), '\u0001\u0001\u0001\u0002');
    for (const value of ['\u0001\u0001', '\u0001\u0002', '\u0000\u0000\u0001\u0000', 'a\u0001\u0000\u0002']) {
      assert.equal(text.sql.decode(text.sql.encode(value)), value);
    }
  });
});

describe('varchar', () => {
  it('is text that only existing columns have', () => {
    assert.equal(varchar.parse('a'), 'a');
    assert.equal(varchar.traits.creatable, false);
    assert.equal(varchar.cql.type, 'varchar');
  });
});

describe('ascii', () => {
  it('takes code points up to U+007F and names the first other one', () => {
    assert.equal(ascii.parse('\u0000~\u007f'), '\u0000~\u007f');
    assert.throws(() => ascii.parse('abé'), new ValueMismatch('character 3 is not US-ASCII'));
  });
});
