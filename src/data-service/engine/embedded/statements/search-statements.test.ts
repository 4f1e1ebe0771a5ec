// Statements for found rows: there are few different ones, because each is cached on several connections.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { int } from '../../../column-types/integers.js';
import { vectorOf } from '../../../column-types/vector.js';
import { matchAll } from '../../../query/filter.js';
import { makeTable } from '../../../schema/table.js';
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
