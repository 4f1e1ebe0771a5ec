// Statements for found rows: there are few different ones, because each is cached on several connections.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { int } from '../../../column-types/integers.js';
import { vectorOf } from '../../../column-types/vector.js';
import { type Comparison, matchAll } from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { makeTable, withIndexes } from '../../../schema/table.js';
import { filterStatement } from './filter-statement.js';
import { bindNumbers, type UnrankedRows, unrankedRows } from './search-statements.js';
import { createTableStatements } from './table-statements.js';

const table = makeTable(
  { id: 7, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'id', type: int },
      { name: 'v', type: vectorOf(2) },
    ],
    partitionKey: ['id'],
    clustering: [],
  },
);

function statementFor(numbers: number): UnrankedRows {
  const [id, vector] = table.columns;
  assert.ok(id !== undefined && vector !== undefined);
  const order = table.keyOrder;
  const page = { after: null, limit: 1, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const;
  const search = { kind: 'vector', column: vector, query: Float32Array.of(1, 2), metric: 'cosine' } as const;
  const plan = { table, columns: [id], filter: matchAll, order, page, form: 'values', search } as const;
  return unrankedRows({ plan, search }, numbers);
}

describe('unrankedRows', () => {
  it('makes two texts for every number of rows, none of them long', () => {
    const texts = new Set(Array.from({ length: 1100 }, (_, at) => statementFor(at + 1).sql));
    assert.equal(texts.size, 2);
    for (const text of texts) assert.ok(text.length < 400, text);
  });

  it('finds the rows of some numbers, of few and of many', () => {
    const database = openDatabase({ path: ':memory:' });
    for (const { sql, valueSets } of createTableStatements(table).slice(0, 2)) {
      assert.deepEqual(valueSets, [[]]);
      database.exec(sql);
    }
    const insert = database.statement(`INSERT INTO t7 VALUES (?, 0, ?, x'3f80000040000000')`);
    for (let number = 1; number <= 50; number += 1) insert.run([number, number * 10]);
    for (const numbers of [1, 32, 33, 1000]) {
      const { sql, values } = statementFor(numbers);
      const statement = database.statement(sql, { returnArrays: true });
      for (const rowIds of [[], [3], [3, 1, 77], [1, 2, 3, 4, 5].slice(0, numbers)]) {
        const rows = statement.all([...bindNumbers(numbers, rowIds), ...values, 1000]);
        const wanted = rowIds.filter((rowId) => rowId <= 50).sort((left, right) => left - right);
        assert.deepEqual(
          rows.map(([, key]) => key),
          wanted.map((rowId) => rowId * 10),
          `${rowIds} of ${numbers}`,
        );
      }
    }
    database.close();
  });
});

describe('statements for the numbers of rows beside a filter', () => {
  it('look up these rows, and read no index of the filter', () => {
    const columns = ['p', 'c', 'n', 'tag'].map((name) => ({ name, type: int }));
    const vector = { name: 'v', type: vectorOf(2) };
    const names = { id: 8, version: 1, keyspace: 'k' };
    const clustering = [{ name: 'c', direction: 1 }] as const;
    const made = makeTable(names, {
      ...{ name: 't', columns: [...columns, vector], partitionKey: ['p'], clustering },
    });
    const [p, c, n, tag, v] = made.columns;
    assert.ok(p !== undefined && c !== undefined && n !== undefined && tag !== undefined && v !== undefined);
    const index = { kind: 'regular', id: 9, name: 'by_n', column: n, fold: null } as const;
    const table = withIndexes(made, [index]);
    const database = openDatabase({ path: ':memory:' });
    for (const { sql } of createTableStatements(table).slice(0, 2)) database.exec(sql);
    database.exec('CREATE INDEX i8_9 ON t8 (c3 ASC, c1 ASC, c2 ASC)');
    const { $eq, $gte } = filterOperators;
    const compare = (column: typeof p, operator: typeof $eq): Comparison => {
      return { kind: 'comparison', column, operator, operands: [1] };
    };
    const other = compare(tag, $eq);
    for (const sought of [
      [compare(n, $eq)],
      [compare(n, $gte)],
      [compare(p, $eq)],
      [compare(p, $eq), compare(c, $gte)],
    ]) {
      const filter = { kind: 'and', filters: [...sought, other] } as const;
      const page = { after: null, limit: 1, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const;
      const search = { kind: 'vector', column: v, query: Float32Array.of(1, 2), metric: 'cosine' } as const;
      const order = table.keyOrder;
      const plan = { table, columns: [p], filter, order, page, form: 'values', search } as const;
      const { inParts } = filterStatement(plan) ?? {};
      assert.ok(inParts !== undefined);
      const found = [3, 1_000].flatMap((numbers) => {
        const { sql, passingSql, sizeSql } = unrankedRows({ plan, search }, numbers);
        return [sql, passingSql, sizeSql];
      });
      for (const sql of [inParts.passing.sql, ...found]) {
        const steps = database.statement(`EXPLAIN QUERY PLAN ${sql}`).all();
        assert.match(String(steps[0]?.['detail']), /^SEARCH t8 USING INTEGER PRIMARY KEY/, sql);
      }
    }
    database.close();
  });
});
