// How SQLite finds rows by the members of lists, sets and maps: only by the entries of their indexes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import type { ColumnType } from '../../../column-types/column-type.js';
import { mapOf, setOf } from '../../../column-types/containers.js';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { parseFilter } from '../../../query/parse-filter.js';
import { writePosition } from '../../../query/row-order.js';
import { makeTable, type Table, withIndexes } from '../../../schema/table.js';
import { sqlFunctions } from '../file/sql-functions.js';
import { accessPath } from './access-path.js';
import { createIndexStatements } from './index-statements.js';
import { rangesOf } from './member-ranges.js';
import { endStatement, rangeStatement, sliceStatement } from './range-statements.js';
import type { SelectStatement } from './select-text.js';
import { createTableStatements } from './table-statements.js';

const table = makeIndexedTable();
const twenty = Array.from({ length: 20 }, (_, at) => `"${at}"`).join();

describe('the members of containers', () => {
  const cases: readonly (readonly [
    filter: string,
    kind: 'indexRanges' | 'scan',
    ...walked: readonly string[],
  ])[] = [
    ['{"s":{"$in":["a"]}}', 'indexRanges', 'm7_1'],
    ['{"s":{"$in":["a","b","a"]}}', 'indexRanges', 'm7_1', 'm7_1'],
    [`{"s":{"$in":[${twenty}]}}`, 'indexRanges', ...Array.from({ length: 32 }, () => 'm7_1')],
    ['{"s":{"$all":["a"]}}', 'indexRanges', 'm7_1'],
    ['{"m":{"$in":[["a",1]]}}', 'indexRanges', 'm7_2'],
    ['{"m":{"$keys":{"$in":["a"]}},"p":1}', 'indexRanges', 'm7_3'],
    ['{"p":1,"c":{"$gt":4},"s":{"$in":["a"]}}', 'indexRanges', 'm7_1'],
    // The other members, and those of other indexes, are looked up for each entry.
    ['{"s":{"$all":["a","b"]}}', 'scan', 'm7_1', 'other'],
    ['{"s":{"$in":["a"]},"m":{"$keys":{"$all":["k","l"]}}}', 'scan', 'm7_1', 'other', 'other'],
    ['{"s":{"$in":["a"]},"n":1}', 'scan', 'm7_1'],
    ['{"s":{"$in":["a"]},"c":3}', 'scan', 'm7_1'],
    ['{"s":{"$in":["a"]},"m":{"$values":{"$in":[1]}}}', 'scan', 'm7_1'],
    ['{"s":{"$in":["a"],"$nin":["b"]}}', 'scan', 'm7_1'],
  ];
  for (const [filter, kind, ...walked] of cases) {
    it(`find the rows of ${filter} by seeks, also behind a position`, () => {
      const path = accessPath(planOf(filter));
      assert.equal(path.kind, kind);
      assert.ok(path.kind === 'indexRanges' || path.kind === 'scan');
      const { plan } = path;
      const seeks = path.kind === 'scan' ? path.seeks : [];
      const ranges = path.kind === 'scan' ? rangesOf(plan, seeks, null) : path.ranges;
      for (const range of [...ranges, ...rangesOf(plan, seeks, [1, 5])]) {
        const rows: SelectStatement =
          path.kind === 'scan' ? sliceStatement(plan, range, 100, 10) : rangeStatement(plan, range, 10);
        assert.deepEqual(seeksIn(details(rows)), [...walked, 't7']);
        assert.deepEqual(
          seeksIn(details(endStatement(plan, range, 10))),
          walked.filter((name) => name !== 'other'),
        );
      }
    });
  }

  const left = [
    '{"s":{"$nin":["a"]}}',
    '{"s":{"$in":[]}}',
    '{"m":{"$values":{"$in":[1]}}}',
    '{"$not":{"s":{"$all":["a","b"]}}}',
    '{"$or":[{"s":{"$in":["a"]}},{"n":1}]}',
    '{"$or":[{"s":{"$in":["a"]}},{"s":{"$nin":["b"]}}]}',
    '{"$or":[{"s":{"$in":["a"]}},{"s":{"$all":["b","c"]}}]}',
    '{"$or":[{"s":{"$in":["a"]}},{"m":{"$keys":{"$in":["k"]}},"n":1}]}',
  ];
  for (const filter of left) {
    it(`do not find the rows of ${filter}`, () => {
      const path = accessPath(planOf(filter));
      assert.ok(path.kind === 'scan' && path.plan.members === undefined);
    });
  }

  const merged: readonly (readonly [filter: string, ...walked: readonly string[]])[] = [
    ['{"$or":[{"s":{"$in":["a"]}},{"m":{"$keys":{"$in":["k","l"]}}}]}', 'm7_1', 'm7_3', 'm7_3'],
    ['{"$or":[{"s":{"$in":["a"]}},{"p":2},{"p":3,"s":{"$all":["b"]}}]}', 'm7_1', 't7', 'm7_1'],
  ];
  for (const [filter, ...walked] of merged) {
    it(`find the rows of ${filter} by seeks that are merged, also behind a position`, () => {
      const paths = [
        accessPath(planOf(filter)),
        accessPath({
          ...planOf(filter),
          page: { ...planOf(filter).page, after: writePosition(table.keyOrder, [1, 5]) },
        }),
      ];
      for (const path of paths) {
        assert.ok(path.kind === 'merge');
        const seeks = new Set(seeksIn(details(path.statement)));
        assert.deepEqual(seeks, new Set([...walked, 't7']));
      }
    });
  }

  it('are not found by an index that is still being built', () => {
    const building = withIndexes(
      table,
      table.indexes.map((index) => ({ ...index, isBuilding: true })),
    );
    const path = accessPath({ ...planOf('{"s":{"$in":["a"]}}'), table: building });
    assert.ok(path.kind === 'scan' && path.plan.members === undefined);
  });
});

/** The tables of the searches; fails for a walk through a whole table. */
function seeksIn(steps: readonly string[]): readonly string[] {
  return steps.flatMap((step) => {
    assert.doesNotMatch(step, /^SCAN (?!\(subquery|walked)/);
    return /^SEARCH (\w+) (?:EXISTS )?USING /.exec(step)?.[1] ?? [];
  });
}

/** The steps of SQLite's plan of a statement. */
function details({ sql, values }: SelectStatement): readonly string[] {
  const steps = database.statement(`EXPLAIN QUERY PLAN ${sql}`).all(values);
  return steps.map(({ detail }) => String(detail));
}

const database = openDatabase({ path: ':memory:', functions: sqlFunctions });
for (const { sql } of createTableStatements(table).slice(0, 2)) database.exec(sql);
for (const index of table.indexes)
  for (const { sql } of createIndexStatements(table, index).slice(0, -3)) database.exec(sql);

function planOf(filter: string) {
  const json = parseJson(filter, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(json));
  return {
    table,
    columns: table.columns,
    filter: parseFilter(json, table),
    order: null,
    page: { after: null, limit: 10, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const,
    form: 'values' as const,
    search: null,
  };
}

function makeIndexedTable(): Table {
  const types = { p: int, c: int, n: int, s: filterable(setOf(text)), m: filterable(mapOf(text, int)) };
  const made = makeTable(
    { id: 7, version: 1, keyspace: 'k' },
    {
      name: 't',
      columns: Object.entries(types).map(([name, type]) => ({ name, type })),
      partitionKey: ['p'],
      clustering: [{ name: 'c', direction: -1 }],
    },
  );
  const indexed = [
    ['s', 'elements'],
    ['m', 'entries'],
    ['m', 'keys'],
  ] as const;
  return withIndexes(
    made,
    indexed.flatMap(([name, part], at) => {
      const column = made.columnsByName.get(name);
      return column === undefined
        ? []
        : [{ kind: 'container', id: at + 1, name: `i${at}`, column, part, fold: null }];
    }),
  );
}

function filterable(type: ColumnType): ColumnType {
  return { ...type, traits: { ...type.traits, filterable: true } };
}
