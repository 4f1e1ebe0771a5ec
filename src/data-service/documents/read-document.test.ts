// The form of read documents, and their limits: the size, that of a JSON text that is not written, and the members of
// their root.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonObject, type JsonValue, stringifyJson } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { ApiError } from '../errors/api-error.js';
import { documentLimits } from './document-limits.js';
import { indexingTest, parseIndexing } from './indexing.js';
import { readDocument } from './read-document.js';

const rules = { keyspace: 'k', table: 't', lexical: true, isIndexed: () => false };

function parsed(text: string): JsonObject {
  return parseJson(text, { maxDepth: 100, maxNumberLength: 1_000 }) as JsonObject; // the text of an object
}

/** A document whose compact JSON text has so many characters; `member` is a part of it. */
function documentOf(length: number, member: string): JsonObject {
  const rest = `{"_id":1,"member":${member},"filled":""}`;
  const text = `${rest.slice(0, -2)}${'x'.repeat(length - rest.length)}"}`;
  assert.equal(text.length, length);
  return parsed(text);
}

describe('the form of a document', () => {
  const sentAndStored: readonly (readonly [sent: string, stored: string])[] = [
    ['{"_id":1,"a":{"b":[1,"x",null]}}', '{"_id":1,"a":{"b":[1,"x",null]}}'],
    ['{"a":2}', '{"a":2}'],
    ['{"a":1.0,"_id":7.0,"b":true}', '{"_id":7,"a":1,"b":true}'],
    ['{"b":2,"a":1,"_id":"x"}', '{"_id":"x","b":2,"a":1}'],
    ['{"$lexical":"t","_id":null,"a":[1.0,{"c":2.50}]}', '{"_id":null,"$lexical":"t","a":[1,{"c":2.5}]}'],
    [
      '{"_id":{"$uuid":"8f1c3f6e-95d9-4d1c-8c8e-5b2d6b0c1a2f"},"n":1e2}',
      '{"_id":{"$uuid":"8f1c3f6e-95d9-4d1c-8c8e-5b2d6b0c1a2f"},"n":100}',
    ],
  ];
  for (const [sent, stored] of sentAndStored)
    it(`of ${sent.slice(0, 48)} has the id first, and plain numbers`, () => {
      const json = parsed(sent);
      assert.equal(stringifyJson(readDocument(json, rules).document), stored);
      assert.deepEqual(json, parsed(sent), 'what was sent has changed');
    });

  it('limits the digits of numbers, except those of an id', () => {
    const digits = '1'.repeat(documentLimits.numberLength + 1);
    assert.equal(readDocument(parsed(`{"_id":${digits}}`), rules).document.size, 1);
    assert.throws(() => readDocument(parsed(`{"_id":1,"a":${digits}}`), rules), ApiError);
  });
});

describe('the size of a document', () => {
  for (const member of [
    'null',
    'true',
    'false',
    '-12.5',
    '[]',
    '{}',
    '[[],[{}],null]',
    '{"a":1,"b":{"c":[1,2,3]}}',
    '"plain"',
    String.raw`"quotes \" and \\, \n, \u0001"`,
    String.raw`{"a \" quote":false}`,
    '"😀 é"',
    `"${String.raw`\u0000`.repeat(600_000)}"`,
  ])
    it(`counts ${member.slice(0, 40)}`, () => {
      readDocument(documentOf(documentLimits.characters, member), rules);
      const tooLong = documentOf(documentLimits.characters + 1, member);
      assert.throws(
        () => readDocument(tooLong, rules),
        (error) => error instanceof ApiError && error.message.includes('has 4000001 characters'),
      );
    });
});

describe('the members of the root', () => {
  const rootOf = (size: number) =>
    new Map(Array.from({ length: size }, (_, at) => [`m${at}`, null] as const));
  const indexings: readonly (readonly [string, JsonValue | undefined, boolean])[] = [
    ['without a list', undefined, true],
    ['with some paths denied', new Map([['deny', ['a']]]), true],
    ['with all paths denied', new Map([['deny', ['*']]]), false],
    ['with some paths allowed', new Map([['allow', ['m1']]]), false],
    ['with all paths allowed', new Map([['allow', ['*']]]), true],
  ];
  for (const [name, indexing, isLimited] of indexings)
    it(`${isLimited ? 'have' : 'have no'} limit ${name}`, () => {
      const isIndexed = indexingTest(parseIndexing(indexing));
      const read = () => readDocument(rootOf(documentLimits.members + 1), { ...rules, isIndexed });
      if (isLimited) assert.throws(read, ApiError);
      else assert.equal(read().document.size, documentLimits.members + 1);
    });
});

describe('the values of a document', () => {
  const isIndexed = indexingTest(parseIndexing(new Map([['deny', ['large']]])));
  const arrays = Math.floor(documentLimits.entries / documentLimits.elements);
  const valuesOf = (name: string, count: number) =>
    [
      name,
      Array.from({ length: count }, () => new Array<JsonValue>(documentLimits.elements).fill(null)),
    ] as const;
  const read = (...members: readonly (readonly [string, JsonValue])[]) =>
    readDocument(new Map(members), { ...rules, isIndexed });

  it('count only where they are indexed, in every order', () => {
    const large = valuesOf('large', arrays + 1);
    assert.equal(read(['a', null], large).document.size, 2);
    assert.equal(read(large, ['a', null]).document.size, 2);
    assert.throws(() => read(large, valuesOf('a', arrays)), ApiError);
  });
});
