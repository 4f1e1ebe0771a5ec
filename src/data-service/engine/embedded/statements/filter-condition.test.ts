// Filters as SQL.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import type { Comparison, Filter } from '../../../query/filter.js';
import { filterOperators, type ScalarOperatorName } from '../../../query/filter-operators.js';
import { makeTable } from '../../../schema/table.js';
import { filterCondition } from './filter-condition.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'a', type: int },
      { name: 'b', type: text },
    ],
    partitionKey: ['a'],
    clustering: [],
  },
);

describe('filterCondition', () => {
  const everything = and();
  const nothing = or();
  const one = compare('a', '$eq', 1);
  const two = compare('a', '$gt', 2);
  const golden: readonly (readonly [
    name: string,
    filter: Filter,
    sql: string | undefined,
    values: readonly unknown[],
  ])[] = [
    ['$eq', compare('a', '$eq', 1), 'c1 = ?', [1]],
    ['$ne', compare('b', '$ne', 'x'), 'c2 <> ?', ['x']],
    ['$gt', compare('a', '$gt', 1), 'c1 > ?', [1]],
    ['$gte', compare('a', '$gte', 1), 'c1 >= ?', [1]],
    ['$lt', compare('a', '$lt', 1), 'c1 < ?', [1]],
    ['$lte', compare('a', '$lte', 1), 'c1 <= ?', [1]],
    ['$in', compare('a', '$in', 1, 2), 'c1 IN (?, ?)', [1, 2]],
    ['$in of nothing', compare('a', '$in'), 'c1 IN ()', []],
    ['$nin', compare('a', '$nin', 1), '(c1 IS NOT NULL AND c1 NOT IN (?))', [1]],
    ['a text with U+0000', compare('b', '$eq', 'x\u0000'), 'c2 = ?', [text.sql.encode('x\u0000')]],
    ['"and"', and(one, two), '(c1 = ? AND c1 > ?)', [1, 2]],
    ['"or"', or(one, two), '(c1 = ? OR c1 > ?)', [1, 2]],
    [
      'nested',
      and(one, or(two, and(one, two))),
      '(c1 = ? AND (c1 > ? OR (c1 = ? AND c1 > ?)))',
      [1, 2, 1, 2],
    ],
    ['single clauses', and(or(and(one))), 'c1 = ?', [1]],
    ['an "and" of nothing', everything, undefined, []],
    ['an "and" with an empty part', and(everything, one), 'c1 = ?', [1]],
    ['an "or" with a part that always holds', or(one, everything), undefined, []],
    ['an "or" of nothing', nothing, 'FALSE', []],
    ['an "or" with a part that never holds', or(nothing, one), '(FALSE OR c1 = ?)', [1]],
    ['an "and" with a part that never holds', and(one, nothing), '(c1 = ? AND FALSE)', [1]],
  ];
  for (const [name, filter, sql, values] of golden) {
    it(`writes ${name}`, () => {
      const condition = filterCondition(filter);
      assert.equal(condition?.sql, sql);
      assert.deepEqual(condition?.values ?? [], values);
    });
  }

  it('wraps no single clause, so that depth costs nothing', () => {
    let filter: Filter = one;
    for (let level = 0; level < 2000; level += 1) filter = level % 2 === 0 ? and(filter) : or(filter);
    assert.equal(filterCondition(filter)?.sql, 'c1 = ?');
  });
});

function compare(name: string, operator: ScalarOperatorName, ...operands: readonly unknown[]): Comparison {
  const column = table.columnsByName.get(name);
  assert.ok(column);
  return { kind: 'comparison', column, operator: filterOperators[operator], operands };
}

function and(...filters: readonly Filter[]): Filter {
  return { kind: 'and', filters };
}

function or(...filters: readonly Filter[]): Filter {
  return { kind: 'or', filters };
}
