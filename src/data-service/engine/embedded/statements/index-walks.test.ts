// How SQLite runs reads that use an index: with that index, in its order, without sorting.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { exactText } from '../../../column-types/text-fold.js';
import { parseFilter } from '../../../query/parse-filter.js';
import type { ReadPlan } from '../../../query/read.js';
import type { OrderValues } from '../../../query/row-order.js';
import { makeTable, type Table, withIndexes } from '../../../schema/table.js';
import { sqlFunctions } from '../file/sql-functions.js';
import { accessPath } from './access-path.js';
import { filterSeeks, indexRanges } from './index-ranges.js';
import { createIndexStatements } from './index-statements.js';
import { mergeStatement } from './merge-statement.js';
import type { OrderedPlan } from './ordered-plan.js';
import { endStatement, pageStatement, rangeStatement, sliceStatement } from './range-statements.js';
import { chooseReadOrder } from './read-order.js';
import { writingOf } from './row-writing.js';
import type { SelectStatement } from './select-text.js';
import { createTableStatements } from './table-statements.js';

type Direction = 1 | -1;
type FirstPage = ReadPlan & Pick<OrderedPlan, 'order'>;

/** Indexes in this order: i7_1 to i7_5. */
const indexed = ['v', 'x', 'w', 'q', 'c'];
/** The index on c has the same content as the index of the key, so inside a partition both are possible. */
const key = '(k7|i7_5)';
const position: Readonly<Record<string, unknown>> = { p: 1, q: 'b', c: 3, d: 4, v: 5, w: 'A', x: 'A' };

/** Filter → its access path, and the index that every statement must use. */
const served: readonly (readonly [filter: string, kind: 'indexRanges' | 'merge' | 'scan', index: string])[] =
  [
    ['{"v":3}', 'indexRanges', 'i7_1'],
    ['{"v":{"$in":[4,3]}}', 'indexRanges', 'i7_1'],
    ['{"v":{"$gt":3}}', 'indexRanges', 'i7_1'],
    ['{"v":{"$gte":3,"$lt":9}}', 'indexRanges', 'i7_1'],
    ['{"v":{"$lte":3}}', 'indexRanges', 'i7_1'],
    ['{"v":3,"p":1}', 'indexRanges', 'i7_1'],
    ['{"v":{"$in":[3,4],"$gt":3}}', 'indexRanges', 'i7_1'],
    ['{"v":{"$gt":3,"$gte":4}}', 'scan', 'i7_1'],
    ['{"v":3,"n":1}', 'scan', 'i7_1'],
    ['{"v":{"$gt":3},"p":1}', 'scan', 'i7_1'],
    ['{"v":{"$gt":3},"c":{"$lt":1}}', 'scan', 'i7_1'],
    ['{"v":3,"c":{"$lt":1}}', 'scan', 'i7_1'],
    ['{"x":"a"}', 'indexRanges', 'i7_2'],
    ['{"x":{"$gt":"a"}}', 'indexRanges', 'i7_2'],
    ['{"x":{"$in":["b","a"]}}', 'indexRanges', 'i7_2'],
    ['{"w":"A"}', 'indexRanges', 'i7_3'],
    ['{"w":"A","p":{"$in":[2,1]}}', 'indexRanges', 'i7_3'],
    ['{"w":"A","p":{"$gt":1}}', 'indexRanges', 'i7_3'],
    ['{"w":"A","p":1,"q":"b"}', 'indexRanges', 'i7_3'],
    ['{"w":"A","p":1,"q":"b","c":{"$gt":1}}', 'indexRanges', 'i7_3'],
    ['{"w":"A","v":{"$ne":1}}', 'scan', 'i7_3'],
    ['{"q":"a"}', 'indexRanges', 'i7_4'],
    ['{"q":"a","p":{"$in":[1,2]}}', 'indexRanges', 'i7_4'],
    ['{"c":3}', 'indexRanges', 'i7_5'],
    ['{"c":{"$gt":3}}', 'indexRanges', 'i7_5'],
    ['{"c":3,"p":{"$gt":1}}', 'indexRanges', 'i7_5'],
    ['{"p":1,"q":"a"}', 'indexRanges', key],
    ['{"p":1,"q":"a","v":3}', 'merge', key],
    ['{"v":{"$ne":3}}', 'scan', key],
    ['{"$or":[{"v":3},{"v":4}]}', 'merge', key],
  ];

for (const directions of [
  [1, 1],
  [-1, 1],
  [1, -1],
  [-1, -1],
] as const) {
  describe(`an index of a table with clustering in the directions ${directions.join()}`, () => {
    const table = tableOf(directions);
    const details = planner(table);
    for (const [filter, kind, index] of served) {
      it(`${index} serves ${filter}, also behind a position`, () => {
        const plan = planOf(table, filter);
        const path = accessPath(plan);
        assert.equal(path.kind, kind);
        for (const after of [null, plan.order.map(({ column }) => position[column.name])]) {
          for (const statement of statementsOf(plan, after)) {
            const [walked = '', ...more] = details(statement);
            assert.match(
              walked,
              new RegExp(`^(SEARCH|SCAN) t7 USING (COVERING )?INDEX ${index}\\b`),
              statement.sql,
            );
            assert.deepEqual(more, [], statement.sql);
          }
        }
      });
    }
  });
}

describe('choices that indexes serve', () => {
  const table = tableOf([1, -1]);
  const details = planner(table);
  const merged: readonly (readonly [filter: string, ...indexes: readonly string[]])[] = [
    ['{"w":{"$in":["a","B","C"]}}', 'i7_3', 'i7_3', 'i7_3'],
    ['{"w":{"$in":["a","B"]},"p":1,"q":"b"}', 'i7_3', 'i7_3'],
    ['{"w":{"$in":["a","B"]},"p":{"$gt":1}}', 'i7_3', 'i7_3'],
    ['{"$or":[{"v":3},{"v":4}]}', 'i7_1', 'i7_1'],
    ['{"$or":[{"v":3},{"w":"A"},{"p":1}]}', 'i7_1', 'i7_3', 'k7'],
    ['{"$or":[{"w":{"$in":["a","b"]}},{"x":"a","p":2}]}', 'i7_3', 'i7_3', 'i7_2'],
    ['{"p":1,"q":"a","v":3}', 'i7_1'],
  ];
  for (const [filter, ...indexes] of merged) {
    it(`${indexes.join(' and ')} serve ${filter}, also behind a position`, () => {
      const plan = { ...planOf(table, filter), order: table.keyOrder };
      for (const after of [null, table.keyOrder.map(({ column }) => position[column.name])]) {
        const statement = mergeStatement({ ...plan, ...(after === null ? {} : { after }) });
        assert.ok(statement !== undefined);
        const walks = details(statement).filter((step) => /^(SEARCH|SCAN) t7 /.test(step));
        const names = new Set(walks.map((step) => /USING COVERING INDEX (\w+)/.exec(step)?.[1] ?? step));
        assert.deepEqual(names, new Set([...indexes, 'SEARCH t7 USING INTEGER PRIMARY KEY (rowid=?)']));
        assert.ok(
          walks.every((step) => step.startsWith('SEARCH')),
          walks.join(),
        );
      }
    });
  }

  const left = [
    '{"w":{"$in":["a","B"]},"n":3}',
    '{"$or":[{"v":3},{"n":4}]}',
    '{"$or":[{"v":3},{"v":{"$gt":4}}]}',
  ];
  for (const filter of [...left, '{"v":3,"$or":[{"w":"a"},{"w":"b"}]}', '{"w":{"$nin":["a"]}}', '{}']) {
    it(`none serve ${filter}`, () => {
      assert.equal(mergeStatement({ ...planOf(table, filter), order: table.keyOrder }), undefined);
    });
  }
});

it('a slice of an index narrowed by its filter is not sorted', () => {
  const table = tableOf([1, -1]);
  const plan = planOf(table, '{"v":{"$gt":3},"n":1}');
  const path = accessPath(plan);
  assert.ok(path.kind === 'scan');
  for (const after of [null, [5, 1, 'A', 3, 4]]) {
    for (const range of indexRanges(plan, path.seeks, after)) {
      assert.ok(
        !planner(table)(sliceStatement(plan, range, 100, 10)).some((step) => step.includes('TEMP B-TREE')),
      );
    }
  }
});

/** The statements that read the index: for ranges, or for the ends of the slices of a scan. */
function statementsOf(plan: FirstPage, after: OrderValues | null): readonly SelectStatement[] {
  assert.notEqual(accessPath(plan).kind, 'keyLookup');
  const writing = writingOf(plan.columns);
  assert.ok(writing !== undefined);
  return indexRanges(plan, filterSeeks(plan), after).flatMap((range) => [
    rangeStatement(plan, range, 10),
    { sql: pageStatement(plan, range, writing).sql, values: [...range.values, 10], columns: [] },
    endStatement(plan, range, 10),
  ]);
}

/** Rows of the inner statement are passed to the outer one, one by one. */
const handedOn = ['CO-ROUTINE (subquery-1)', 'SCAN (subquery-1)'];

/** The steps of SQLite's plan of a statement. */
function planner(table: Table): (statement: SelectStatement) => readonly string[] {
  const database = openDatabase({ path: ':memory:', functions: sqlFunctions });
  for (const { sql } of createTableStatements(table).slice(0, 2)) database.exec(sql);
  for (const index of table.indexes) {
    const [statement] = createIndexStatements(table, index);
    database.exec(statement?.sql ?? '');
  }
  return ({ sql, values }) =>
    database
      .statement(`EXPLAIN QUERY PLAN ${sql}`)
      .all(values)
      .map(({ detail }) => String(detail))
      .filter((step) => !handedOn.includes(step));
}

/** w and q fold upper and lower case, x folds nothing. */
function tableOf([first, second]: readonly [Direction, Direction]): Table {
  const types = { p: int, q: text, c: int, d: int, v: int, w: text, x: text, n: int };
  const table = makeTable(
    { id: 7, version: 1, keyspace: 'k' },
    {
      name: 't',
      columns: Object.entries(types).map(([name, type]) => ({ name, type })),
      partitionKey: ['p', 'q'],
      clustering: [
        { name: 'c', direction: first },
        { name: 'd', direction: second },
      ],
    },
  );
  const indexes = indexed.flatMap((name, at) => {
    const column = table.columnsByName.get(name);
    if (column === undefined) return [];
    const fold = column.type.traits.text ? { ...exactText, caseSensitive: name === 'x' } : null;
    return [{ kind: 'regular' as const, id: at + 1, name, column, fold }];
  });
  return withIndexes(table, indexes);
}

function planOf(table: Table, filter: string): FirstPage {
  const json = parseJson(filter, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(json));
  const parsed = parseFilter(json, table);
  return {
    table,
    columns: table.columns,
    filter: parsed,
    order: chooseReadOrder(parsed, table),
    page: { after: null, limit: 10, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: null,
  };
}
