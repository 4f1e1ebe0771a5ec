// Several comparisons of one column, of which one is a list of values.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { makeTable } from '../schema/table.js';
import { type Filter, matchesFilter, requiredOf } from './filter.js';
import { mergeLists } from './merge-lists.js';
import { parseFilter } from './parse-filter.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['p', 'v', 'w'].map((name) => ({ name, type: int })),
    partitionKey: ['p'],
    clustering: [],
  },
);

function filterOf(json: string): Filter {
  const parsed = parseJson(json, { maxDepth: 10, maxNumberLength: 10 });
  assert.ok(parsed instanceof Map);
  return parseFilter(parsed, table);
}

/** The comparisons, such as `v $in 1,2`. */
function textOf(filter: Filter): readonly string[] {
  return requiredOf(filter).map(
    ({ column, operator, operands }) => `${column.name} ${operator.name} ${operands.join()}`,
  );
}

describe('mergeLists', () => {
  const merged = [
    ['{"$and":[{"v":{"$in":[1,2,3]}},{"v":{"$in":[2,3,4]}}]}', ['v $in 2,3']],
    ['{"v":{"$in":[1,2,3],"$gt":1,"$nin":[3]},"w":1}', ['v $in 2', 'w $eq 1']],
    ['{"$and":[{"w":{"$lt":5}},{"$and":[{"v":2},{"w":{"$in":[4,5]}}]}]}', ['v $eq 2', 'w $in 4']],
    ['{"$and":[{"v":1},{"v":2}]}', ['v $in ']],
    ['{"$and":[{"v":1},{"v":{"$in":[1,2]}}]}', ['v $eq 1']],
  ] as const;
  for (const [json, texts] of merged)
    it(`leaves the shared values of ${json}`, () => {
      const filter = mergeLists(filterOf(json));
      assert.deepEqual(textOf(filter), texts);
      const rows = [0, 1, 2, 3, 4, 5].flatMap((v) => [1, 4, 5].map((w) => [v, w]));
      const matches = (given: Filter) =>
        rows.filter(([v, w]) => matchesFilter(given, ({ name }) => (name === 'v' ? v : w)));
      assert.deepEqual(matches(filter), matches(filterOf(json)));
    });

  it('returns other filters as they are', () => {
    for (const json of [
      '{}',
      '{"v":{"$in":[1,2]}}',
      '{"v":{"$gt":1,"$lt":4}}',
      '{"v":{"$in":[1]},"w":{"$in":[1]}}',
      '{"$or":[{"v":{"$in":[1]}},{"v":{"$in":[2]}}]}',
    ]) {
      const filter = filterOf(json);
      assert.equal(mergeLists(filter), filter, json);
    }
  });
});
