// The access paths of read plans, their SQL, and how SQLite runs the statements.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { int } from '../../../column-types/integers.js';
import { comparisonsByKind } from '../../../query/filter.js';
import { type FilterOperatorName, filterOperators } from '../../../query/filter-operators.js';
import { parseFilter } from '../../../query/parse-filter.js';
import type { ReadPlan } from '../../../query/read.js';
import { type OrderValues, writePosition } from '../../../query/row-order.js';
import { makeTable, type Table } from '../../../schema/table.js';
import { accessPath } from './access-path.js';
import { filterSeeks, indexRanges } from './index-ranges.js';
import { keyLookupStatement } from './key-lookup-statements.js';
import type { OrderedPlan } from './ordered-plan.js';
import { endStatement, rangeStatement, sliceStatement } from './range-statements.js';
import type { SelectStatement } from './select-text.js';
import { createTableStatements } from './table-statements.js';

type Direction = 1 | -1;
type FirstPage = ReadPlan & Pick<OrderedPlan, 'order'>;

const table = tableOf([1, -1]);
const hundred = Array.from({ length: 100 }, (_, at) => at).join();

describe('accessPath', () => {
  const paths: readonly (readonly [filter: string, kind: string, seeks: number])[] = [
    ['{}', 'indexRanges', 0],
    ['{"p":1,"q":2,"c0":3,"c1":4}', 'keyLookup', 0],
    ['{"p":1,"q":2}', 'indexRanges', 2],
    ['{"q":2,"p":1,"c0":3}', 'indexRanges', 3],
    ['{"p":1,"q":2,"c0":{"$gt":3}}', 'indexRanges', 3],
    ['{"p":1,"q":2,"c0":{"$gt":3,"$lte":5}}', 'indexRanges', 4],
    ['{"p":1,"q":2,"c0":3,"c1":{"$lt":3}}', 'indexRanges', 4],
    ['{"p":1}', 'indexRanges', 1],
    ['{"p":{"$gt":1}}', 'indexRanges', 1],
    ['{"p":{"$in":[1]},"q":2}', 'indexRanges', 2],
    ['{"q":2}', 'scan', 0],
    ['{"p":{"$gt":1},"q":2}', 'scan', 1],
    ['{"p":1,"q":2,"c1":4}', 'scan', 2],
    ['{"p":1,"q":2,"c0":{"$gt":1},"c1":4}', 'scan', 3],
    ['{"p":{"$in":[1,2]},"q":{"$in":[1,2]},"c0":{"$in":[1,2]}}', 'scan', 3],
    [`{"p":{"$in":[${hundred}]},"q":{"$in":[${hundred}]},"c0":1}`, 'scan', 1],
    [`{"p":{"$in":[${hundred}],"$eq":1},"q":{"$in":[${hundred}]},"c0":1}`, 'scan', 4],
    ['{"p":1,"q":2,"c0":{"$ne":1}}', 'scan', 2],
    ['{"p":1,"q":2,"v":4}', 'scan', 2],
    ['{"v":4}', 'scan', 0],
    ['{"$and":[{"p":1},{"p":2},{"q":1}]}', 'indexRanges', 3],
    ['{"$or":[{"p":1,"q":2},{"v":1}]}', 'scan', 0],
    ['{"$not":{}}', 'scan', 0],
    ['{"p":1,"q":2,"$or":[{"v":1},{"c0":{"$lt":3}}]}', 'scan', 2],
    ['{"$and":[{"p":1,"$or":[{"v":1},{"v":2}]},{"$or":[{"q":2}]}]}', 'scan', 2],
    ['{"p":1,"$not":{"q":2,"v":1}}', 'scan', 1],
  ];
  for (const [filter, kind, seeks] of paths) {
    it(`chooses ${kind} for ${filter}`, () => {
      const plan = planOf(table, filter);
      const path = accessPath(plan);
      assert.equal(path.kind, kind);
      if (path.kind !== 'keyLookup') assert.equal(filterSeeks(plan).length, seeks);
    });
  }

  it('chooses scan for a range by an operator without SQL, which no index seeks', () => {
    const plan = planOf(table, '{"p":1,"q":2,"c0":{"$gt":3}}');
    // All operators in the list have SQL, so this one is made here.
    const operator = { ...filterOperators.$gt, name: '$other' as FilterOperatorName };
    const filters = comparisonsByKind(plan.filter).values.map((one) =>
      one.operator.isRange ? { ...one, operator } : one,
    );
    const path = accessPath({ ...plan, filter: { kind: 'and', filters } });
    assert.ok(path.kind === 'scan');
    assert.equal(path.seeks.length, 2);
  });
});

describe('statements', () => {
  it('find a row by its key', () => {
    const plan = planOf(table, '{"c1":4,"p":1,"q":2,"c0":3}');
    const path = accessPath(plan);
    assert.ok(path.kind === 'keyLookup');
    const { sql, values } = keyLookupStatement({ ...plan, columns: table.columns.slice(4) }, path.key, 99);
    // The size of a column of numbers need not be looked at.
    assert.equal(sql, 'SELECT c5 FROM t7 WHERE c1 = ? AND c2 = ? AND c3 = ? AND c4 = ? AND 0 <= ?');
    assert.deepEqual(values, [1, 2, 3, 4, 99]);
  });

  it('walk along the key', () => {
    assert.deepEqual(texts('{"p":1,"q":2}', null), [
      'SELECT c5 FROM t7 WHERE c1 = ? AND c2 = ? ORDER BY c1 ASC, c2 ASC, c3 ASC, c4 DESC LIMIT ? + 0 -- 1 2 10',
    ]);
    assert.deepEqual(texts('{}', null), [
      'SELECT c5 FROM t7 ORDER BY c1 ASC, c2 ASC, c3 ASC, c4 DESC LIMIT ? + 0 -- 10',
    ]);
  });

  it('continue behind a position in ranges, the nearest first, without what equality fixes', () => {
    const order = 'ORDER BY c1 ASC, c2 ASC, c3 ASC, c4 DESC LIMIT ? + 0';
    assert.deepEqual(texts('{"p":1,"q":2,"c0":{"$lt":9}}', [1, 2, 3, 4]), [
      `SELECT c5 FROM t7 WHERE c1 = ? AND c2 = ? AND c3 = ? AND c4 < ? AND c1 = ? AND c2 = ? AND c3 < ? ${order} -- 1 2 3 4 1 2 9 10`,
      `SELECT c5 FROM t7 WHERE c1 = ? AND c2 = ? AND c3 > ? AND c1 = ? AND c2 = ? AND c3 < ? ${order} -- 1 2 3 1 2 9 10`,
    ]);
    assert.deepEqual(
      texts('{}', [1, 2, 3, 4]).map((text) => text.replace(/^.* WHERE (.*) ORDER.* -- (.*) 10$/, '$1 -- $2')),
      [
        'c1 = ? AND c2 = ? AND c3 = ? AND c4 < ? -- 1 2 3 4',
        'c1 = ? AND c2 = ? AND c3 > ? -- 1 2 3',
        'c1 = ? AND c2 > ? -- 1 2',
        'c1 > ? -- 1',
      ],
    );
  });

  it('read a slice and where it ends', () => {
    const plan = planOf(table, '{"v":5}');
    const [range] = indexRanges(plan, [], null);
    assert.ok(range);
    assert.deepEqual(show(sliceStatement(plan, range, 100, 3)), [
      'SELECT c5 FROM (SELECT c5, c1, c2, c3, c4 FROM t7 ORDER BY c1 ASC, c2 ASC, c3 ASC, c4 DESC LIMIT ? + 0) ' +
        'WHERE c5 = ? ORDER BY c1 ASC, c2 ASC, c3 ASC, c4 DESC LIMIT ? + 0 -- 100 5 3',
    ]);
    assert.deepEqual(show(endStatement(plan, range, 100)), [
      'SELECT c1, c2, c3, c4 FROM t7 ORDER BY c1 ASC, c2 ASC, c3 ASC, c4 DESC LIMIT ? + 0 OFFSET ? -- 1 99',
    ]);
  });
});

describe('SQLite', () => {
  const filters = [
    ...['{}', '{"p":1,"q":2}', '{"p":1,"q":2,"c0":3}', '{"p":1,"q":2,"c0":{"$gt":3}}'],
    ...['{"p":1,"q":2,"c0":{"$gte":3,"$lt":5}}', '{"p":1}', '{"p":{"$gt":1}}', '{"v":5}', '{"p":1,"v":5}'],
    ...[
      '{"p":{"$in":[1,2]}}',
      '{"p":{"$in":[2,1]},"q":2}',
      '{"p":{"$in":[2,1]},"q":{"$in":[1,2]},"c0":{"$in":[1,2]}}',
    ],
    ...['{"p":1,"q":2,"c0":{"$gt":3},"c1":4}', '{"p":{"$gt":1},"q":2}', '{"p":1,"q":2,"c1":4}'],
    ...['{"q":2}', '{"p":1,"c0":3}', '{"p":1,"q":2,"c0":{"$in":[3,4]}}'],
  ];
  for (const directions of [
    [1, 1],
    [-1, -1],
    [1, -1],
    [-1, 1],
  ] as const) {
    it(`walks the key index in the directions ${directions.join()} without sorting, also behind a position`, () => {
      const clustered = tableOf(directions);
      const details = planner(clustered);
      for (const filter of filters) {
        const plan = planOf(clustered, filter);
        for (const after of [null, [1, 2, 3, 4]]) {
          for (const statement of walkStatements(plan, after)) {
            assert.match(
              details(statement),
              /^(SCAN|SEARCH) t7 USING (COVERING )?INDEX k7[^|]*$/,
              statement.sql,
            );
          }
        }
      }
    });
  }

  it('reads nothing behind the only row of a key', () => {
    const after = writePosition(table.keyOrder, [1, 2, 3, 4]);
    const plan = planOf(table, '{"p":1,"q":2,"c0":3,"c1":4}');
    assert.deepEqual(accessPath({ ...plan, page: { ...plan.page, after } }), { kind: 'nothing' });
  });

  it('finds a row by its key in the index', () => {
    const plan = planOf(table, '{"c1":4,"p":1,"q":2,"c0":3}');
    const path = accessPath(plan);
    assert.ok(path.kind === 'keyLookup');
    const found = planner(table)(keyLookupStatement(plan, path.key, 99));
    assert.equal(found, 'SEARCH t7 USING INDEX k7 (c1=? AND c2=? AND c3=? AND c4=?)');
  });
});

it('sorts no slice whose filter leaves the key open', () => {
  const details = planner(table);
  for (const after of [null, [1, 2, 3, 4]]) {
    const plan = planOf(table, '{"p":{"$gt":0},"v":5}');
    const path = accessPath(plan);
    assert.ok(path.kind === 'scan');
    for (const range of indexRanges(plan, path.seeks, after)) {
      assert.doesNotMatch(details(sliceStatement(plan, range, 100, 10)), /TEMP B-TREE/);
    }
  }
});

/** The statements for the ranges of the index and for the ends of its slices. */
function walkStatements(plan: FirstPage, after: OrderValues | null): readonly SelectStatement[] {
  assert.notEqual(accessPath(plan).kind, 'keyLookup');
  return indexRanges(plan, filterSeeks(plan), after).flatMap((range) => [
    rangeStatement(plan, range, 10),
    endStatement(plan, range, 10),
  ]);
}

/** SQLite's plan of a statement: its steps joined by `|`. */
function planner(of: Table): (statement: SelectStatement) => string {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of createTableStatements(of).slice(0, 2)) database.exec(sql);
  return ({ sql, values }) =>
    database
      .statement(`EXPLAIN QUERY PLAN ${sql}`)
      .all(values)
      .map(({ detail }) => String(detail))
      .join('|');
}

function texts(filter: string, after: OrderValues | null): readonly string[] {
  const plan = planOf(table, filter);
  assert.notEqual(accessPath(plan).kind, 'keyLookup');
  return indexRanges(plan, filterSeeks(plan), after).flatMap((range) =>
    show(rangeStatement(plan, range, 10)),
  );
}

function show({ sql, values }: SelectStatement): readonly string[] {
  return [`${sql} -- ${values.join(' ')}`];
}

/** A table with the key p, q and c0, c1 in the given directions, and a column v. */
function tableOf(directions: readonly Direction[]): Table {
  const clustering = directions.map((direction, at) => ({ name: `c${at}`, direction }));
  const names = ['p', 'q', ...clustering.map(({ name }) => name), 'v'];
  return makeTable(
    { id: 7, version: 1, keyspace: 'k' },
    { name: 't', columns: names.map((name) => ({ name, type: int })), partitionKey: ['p', 'q'], clustering },
  );
}

function planOf(of: Table, filter: string): FirstPage {
  return {
    table: of,
    columns: of.columns.slice(-1),
    filter: parseFilter(objectOf(filter), of),
    order: of.keyOrder,
    page: { after: null, limit: 10, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: null,
  };
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
