// Finds the word of a statement behind white space and comments.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstWordOf } from './first-word.js';

const cases: readonly (readonly [cql: string, word: string])[] = [
  ['SELECT * FROM a.b', 'select'],
  ['\n\t use shop', 'use'],
  ['-- USE\nDROP TABLE a.b', 'drop'],
  ['// x\r/* y\n*/ /**/Use"shop"', 'use'],
  ['/* USE shop', ''],
  ['', ''],
  ['"use"', ''],
  ['/**/'.repeat(50_000), ''],
];

for (const [cql, word] of cases) {
  it(`the first word of ${JSON.stringify(cql.slice(0, 40))} is "${word}"`, () => {
    assert.equal(firstWordOf(cql), word);
  });
}
