// The character filter `htmlstrip`: texts that Lucene 9.8 gives, and inputs that are long.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyzerOf } from './parse-analyzer.js';

const stripped = (text: string, args = {}) =>
  analyzerOf(JSON.stringify({ tokenizer: { name: 'keyword' }, charFilters: [{ name: 'htmlStrip', args }] }))
    .analyze(text)
    .join('|');

describe('the character filter htmlstrip', () => {
  const cases: Readonly<Record<string, string>> = {
    '<p>a &amp; b</p>c<b>d</b>': '\na & b\ncd',
    'a<br>b<br/>c': 'a\nb\nc',
    '<h1>T</h1><div>d</div><span>s</span><em>e</em>f': '\nT\n\nd\nsef',
    '<!-- x -->a<!--y--->b<!-- z': 'ab',
    '<script>a="<b>"; </script>x<STYLE>p{}</style>y': '\nx\ny',
    'x<script>never closed': 'x',
    '<![CDATA[x<y>z]]>k<?xml version="1"?><!DOCTYPE html>l': 'x<y>zkl',
    '&eacute;&Eacute;&nbsp;&lt;&#65;&#x41;&COPY;&hellip;&Alpha;&euro;': 'éÉ <AA©…Α€',
    '&amp&foo;&#65x &#xD800;&#x1F600;&#99999999;': '&amp&foo;&#65x \ufffd😀&#99999999;',
    'a &#66': 'a B',
    'a<b': 'a',
    'a < b > c': 'a  c',
    '<1>x</>y<>z<% a %><p a=1': '<1>x</>y<>z<% a %><p a=1',
    '<a b="<p>c">d': '<a b="\nc">d',
    '&amp;lt;': '&lt;',
    '': '',
  };
  for (const [text, expected] of Object.entries(cases))
    it(`strips ${JSON.stringify(text)}`, () => assert.equal(stripped(text), expected));

  it('keeps the tags that it gets', () =>
    assert.equal(stripped('<p><b>a</b></p>', { escapedTags: 'b, i' }), '\n<b>a</b>\n'));

  it('separates the words of a page for the tokenizer', () => {
    const definition =
      '{"tokenizer":{"name":"standard"},"filters":[{"name":"lowercase"}],"charFilters":[{"name":"htmlstrip"}]}';
    const page = '<ul><li>One<li>Two</ul><p>b<b>ol</b>d&nbsp;text</p>';
    assert.deepEqual(analyzerOf(definition).analyze(page), ['one', 'two', 'bold', 'text']);
  });

  it('reads long inputs without an end once', () => {
    for (const part of ['<', '<p ', '<!--', '<![CDATA[', '<script>', '</', '&amp', '< '])
      assert.ok(stripped(part.repeat(100_000)).length <= part.length * 100_000, part);
    assert.equal(stripped(`<${' '.repeat(100_000)}1`).length, 100_002);
  });
});
