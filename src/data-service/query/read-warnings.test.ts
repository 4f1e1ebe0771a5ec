// Warnings of reads: which filters may read many rows.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import { makeTable, withIndexes } from '../schema/table.js';
import { parseFilter } from './parse-filter.js';
import { readWarnings } from './read-warnings.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 'scores',
    columns: ['p', 'q', 'c', 'd', 'v', 'w'].map((name) => ({ name, type: int })),
    partitionKey: ['p', 'q'],
    clustering: [
      { name: 'c', direction: 1 },
      { name: 'd', direction: 1 },
    ],
  },
);

describe('readWarnings', () => {
  /** Filter → code, and a text in the message. */
  const cases: readonly (readonly [json: string, code: string | undefined, names?: RegExp])[] = [
    ['{}', 'ZERO_FILTER_OPERATIONS', /scores/],
    ['{"$and":[{}]}', 'ZERO_FILTER_OPERATIONS', /scores/],
    ['{"p":1,"q":1}', undefined],
    ['{"p":1,"q":1,"c":{"$gt":1}}', undefined],
    ['{"p":1,"q":1,"c":1,"d":{"$ne":1}}', undefined],
    ['{"$or":[{"p":1},{"q":1}]}', undefined],
    ['{"p":1}', 'INCOMPLETE_PRIMARY_KEY_FILTER', /Missing: "?q\(int\)"?\.$/],
    ['{"c":1}', 'INCOMPLETE_PRIMARY_KEY_FILTER', /Missing: p\(int\), q\(int\)\.$/],
    ['{"p":1,"q":1,"d":1}', 'INCOMPLETE_PRIMARY_KEY_FILTER', /Missing: c\(int\)\.$/],
    ['{"d":1,"q":1}', 'INCOMPLETE_PRIMARY_KEY_FILTER', /Missing: p\(int\), c\(int\)\.$/],
    ['{"v":1}', 'MISSING_INDEX', /: v\(int\)\.$/],
    ['{"w":1,"p":1,"q":1,"v":{"$gt":1}}', 'MISSING_INDEX', /: p\(int\), q\(int\), v\(int\), w\(int\)\.$/],
    ['{"$not":{"$or":[{"v":1},{"v":2}]}}', 'MISSING_INDEX', /: v\(int\)\.$/],
  ];
  for (const [json, code, names] of cases) {
    it(`${code === undefined ? 'says nothing' : `gives ${code} once`} for ${json}`, () => {
      const warnings = readWarnings(parseFilter(objectOf(json), table), table);
      assert.deepEqual(
        warnings.map((warning) => warning.code),
        code === undefined ? [] : [code],
      );
      if (names !== undefined) assert.match(warnings[0]?.message ?? '', names);
    });
  }
});

describe('readWarnings of an index that folds texts', () => {
  const bare = makeTable(
    { id: 1, version: 1, keyspace: 'k' },
    {
      name: 't',
      columns: ['p', 't'].map((name) => ({ name, type: text })),
      partitionKey: ['p'],
      clustering: [],
    },
  );
  const column = bare.columnsByName.get('t');
  assert.ok(column);
  const fold = { ascii: false, caseSensitive: false, normalize: false };
  const index = { kind: 'regular', id: 1, name: 'by_t', column, fold } as const;
  const steady = ['{"t":"Ab"}', '{"t":"\u00c4b"}', '{"t":{"$in":["Ab","c"]}}'];
  const others = ['{"t":"\u0264"}', '{"t":{"$in":["Ab","\u0264"]}}'];
  for (const [servedFolds, silent, warned] of [
    [undefined, [...steady, ...others], []],
    ['equalSteady', steady, others],
    ['none', [], [...steady, ...others]],
  ] as const)
    it(`names the filters that an index with the folds ${servedFolds ?? 'of all'} does not serve`, () => {
      const table = withIndexes(bare, [servedFolds === undefined ? index : { ...index, servedFolds }]);
      const codes = (filter: string) =>
        readWarnings(parseFilter(objectOf(filter), table), table).map(({ code }) => code);
      for (const filter of silent) assert.deepEqual(codes(filter), [], filter);
      for (const filter of warned)
        assert.deepEqual(codes(filter), ['EQUALITY_FILTER_UNSUPPORTED_BY_INDEXING'], filter);
    });
});

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
