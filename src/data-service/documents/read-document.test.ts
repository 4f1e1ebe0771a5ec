// Limits of documents: their size, which is that of a JSON text that is not written, and the members of their root.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { ApiError } from '../errors/api-error.js';
import { documentLimits } from './document-limits.js';
import { indexingTest, parseIndexing } from './indexing.js';
import { readDocument } from './read-document.js';

const rules = { keyspace: 'k', table: 't', lexical: true, isIndexed: () => false };

/** A document whose compact JSON text has so many characters; `member` is a part of it. */
function documentOf(length: number, member: string): JsonObject {
  const rest = `{"_id":1,"member":${member},"filled":""}`;
  const text = `${rest.slice(0, -2)}${'x'.repeat(length - rest.length)}"}`;
  assert.equal(text.length, length);
  return parseJson(text, { maxDepth: 100, maxNumberLength: 1_000 }) as JsonObject; // the text of an object
}

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
