// The option `indexing`: its form, and which paths it covers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { equalIndexing, type Indexing, isIndexed, parseIndexing, writeIndexing } from './indexing.js';
import { parsePath } from './path.js';

const limits = { maxDepth: 1_000, maxNumberLength: 100 };

function indexing(text: string): Indexing | undefined {
  return parseIndexing(parseJson(text, limits));
}

describe('the option indexing', () => {
  it('is absent if it is missing or null', () => {
    assert.equal(parseIndexing(undefined), undefined);
    assert.equal(indexing('null'), undefined);
  });

  for (const text of [
    '{"allow":["a","b.c"]}',
    '{"deny":["a&.b","c&&d"]}',
    '{"allow":["a","a.b"]}',
    '{"allow":["*"]}',
    '{"deny":["*"]}',
    '{"deny":["$vector"]}',
    '{"deny":[]}',
  ]) {
    it(`accepts ${text} and is written in the same form`, () => {
      const parsed = indexing(text);
      assert.ok(parsed !== undefined);
      assert.equal(stringifyJson(writeIndexing(parsed)), text);
      assert.deepEqual(JSON.parse(JSON.stringify(parsed)), parsed);
    });
  }

  const refused: readonly (readonly [text: string, problem: string])[] = [
    ['{"allow":["a"],"deny":["b"]}', 'both'],
    ['{}', 'needs "allow" or "deny"'],
    ['{"allow":null}', 'needs "allow" or "deny"'],
    ['[]', 'must be an object'],
    ['{"allow":"a"}', 'must be an array'],
    ['{"allow":[1]}', 'only strings'],
    ['{"allow":["a","a"]}', 'more than once'],
    ['{"deny":[""]}', 'empty part'],
    ['{"deny":["a..b"]}', 'empty part'],
    ['{"allow":["$lexical"]}', 'begins with "\\$"'],
    ['{"allow":["$x"]}', 'begins with "\\$"'],
    ['{"deny":["a&b"]}', '"&" must be followed'],
    ['{"deny":["a&"]}', '"&" must be followed'],
    ['{"allow":["*","a"]}', 'must be alone'],
    ['{"allow":[]}', '"allow" is empty; list the paths'],
    ['{"only":["a"]}', 'unknown member "only"'],
  ];
  for (const [text, problem] of refused) {
    it(`refuses ${text}: ${problem}`, () => {
      assert.throws(() => indexing(text), {
        code: 'INVALID_INDEXING_DEFINITION',
        scope: 'SCHEMA',
        message: new RegExp(problem),
      });
    });
  }

  const covered: readonly (readonly [text: string, indexed: readonly string[], others: readonly string[]])[] =
    [
      ['null', ['a', 'a.b', '_id', '$vector'], []],
      [
        '{"allow":["a","b.c"]}',
        ['a', 'a.x.0', 'b.c', 'b.c.d', '$vector', '$vectorize', '$lexical'],
        ['b', 'b.d', 'c', '_id'],
      ],
      ['{"allow":["_id"]}', ['_id', '$vector'], ['a']],
      ['{"allow":["*"]}', ['a', '_id', '$lexical'], []],
      ['{"deny":["a","b.c"]}', ['b', 'b.d', 'c', '_id', '$vector'], ['a', 'a.x', 'b.c', 'b.c.d']],
      ['{"deny":["$vector","_id"]}', ['a', '$vectorize'], ['$vector', '_id']],
      ['{"deny":["*"]}', [], ['a', '_id', '$vector', '$lexical']],
      ['{"deny":["a&.b"]}', ['a.b', 'a'], ['a&.b']],
    ];
  for (const [text, indexed, others] of covered) {
    it(`indexes with ${text} ${indexed.join(', ')}, not ${others.join(', ')}`, () => {
      const parsed = indexing(text);
      const found = [...indexed, ...others].filter((path) => isIndexed(parsed, parsePath(path)));
      assert.deepEqual(found, indexed);
    });
  }

  it('reads a long list once, however many paths are looked up', () => {
    let reads = 0;
    const counted = (path: readonly string[]) =>
      new Proxy(path, {
        get: (target, name) => {
          reads += 1;
          return Reflect.get(target, name);
        },
      });
    const paths = Array.from({ length: 1000 }, (_, at) => counted(['a', `p${at}`]));
    for (let at = 0; at < 1000; at += 1) {
      assert.equal(isIndexed({ kind: 'deny', paths, hasAll: false }, ['a', `p${at}`, 'below']), false);
      assert.equal(isIndexed({ kind: 'deny', paths, hasAll: false }, ['a', `q${at}`]), true);
    }
    assert.ok(reads < 20_000, `${reads} reads`);
  });

  it('is equal to another one with the same paths in any order', () => {
    const equal = (left: string, right: string) => equalIndexing(indexing(left), indexing(right));
    assert.equal(equal('{"allow":["a","b"]}', '{"allow":["b","a"]}'), true);
    assert.equal(equal('{"allow":["a","b"]}', '{"deny":["b","a"]}'), false);
    assert.equal(equal('{"allow":["a","b"]}', '{"allow":["a"]}'), false);
    assert.equal(equal('{"allow":["a"]}', '{"allow":["b"]}'), false);
    assert.equal(equal('{"allow":["*"]}', '{"deny":[]}'), false);
    assert.equal(equal('null', '{"allow":["*"]}'), true);
    assert.equal(equal('{"deny":["*"]}', '{"allow":["*"]}'), false);
    assert.equal(equal('null', 'null'), true);
  });
});
