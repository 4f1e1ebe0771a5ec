// The size of a document is that of its JSON text, which is not written for it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { ApiError } from '../errors/api-error.js';
import { documentLimits } from './document-limits.js';
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
