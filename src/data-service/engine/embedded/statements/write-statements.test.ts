// Write plans as SQL.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listOf, mapOf } from '../../../column-types/containers.js';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { matchAll } from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { type Column, makeTable } from '../../../schema/table.js';
import { deleteStatements } from './delete-statements.js';
import { changeStatements, insertStatements } from './write-statements.js';

const table = makeTable(
  { id: 4, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['v', 'w', 'p', 'c'].map((name) => ({ name, type: int })),
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: -1 }],
  },
);
const [v, w, p, c] = table.columns;
assert.ok(v && w && p && c);

describe('insertStatements', () => {
  it('marks the row as inserted and overwrites what is assigned', () => {
    assert.deepEqual(
      insert([
        [p, 1],
        [c, 2],
        [v, null],
      ]),
      [
        {
          sql:
            'INSERT INTO t4 (inserted, c3, c4, c1) VALUES (1, ?, ?, ?) ' +
            'ON CONFLICT (c3, c4) DO UPDATE SET inserted = 1, c1 = excluded.c1',
          valueSets: [[1, 2, null]],
          tooLarge: 'skipSet',
          columns: [p, c, v],
        },
      ],
    );
  });

  it('marks a row of key columns only', () => {
    assert.deepEqual(
      insert([
        [p, 1],
        [c, 2],
      ]),
      [
        {
          sql: 'INSERT INTO t4 (inserted, c3, c4) VALUES (1, ?, ?) ON CONFLICT (c3, c4) DO UPDATE SET inserted = 1',
          valueSets: [[1, 2]],
          tooLarge: 'skipSet',
          columns: [p, c],
        },
      ],
    );
  });

  it('shares a statement between neighbours of one form and keeps the order of the rows', () => {
    const form = (value: number): Row => [
      [p, value],
      [c, 1],
      [v, value],
    ];
    const other: Row = [
      [p, 1],
      [c, 1],
      [w, 7],
    ];
    const statements = insert(form(1), form(2), other, form(3));
    assert.deepEqual(
      statements.map(({ valueSets }) => valueSets),
      [
        [
          [1, 1, 1],
          [2, 1, 2],
        ],
        [[1, 1, 7]],
        [[3, 1, 3]],
      ],
    );
    assert.equal(statements[0]?.sql, statements[2]?.sql);
  });
});

describe('changeStatements', () => {
  const key = [1, 2];
  const set = (column: Column, value: unknown) => ({ kind: 'set', column, value }) as const;

  it('makes the row where a value is set', () => {
    assert.deepEqual(changeStatements({ table, key, changes: [set(w, null), set(v, 5)] }), [
      {
        sql:
          'INSERT INTO t4 (inserted, c3, c4, c2, c1) VALUES (0, ?, ?, ?, ?) ' +
          'ON CONFLICT (c3, c4) DO UPDATE SET c2 = excluded.c2, c1 = excluded.c1',
        valueSets: [[1, 2, null, 5]],
        tooLarge: 'skipSet',
        columns: [p, c, w, v],
      },
    ]);
  });

  it('makes no row where values are only taken away, and ends one that has none left', () => {
    assert.deepEqual(changeStatements({ table, key, changes: [set(v, null)] }), [
      { sql: 'UPDATE t4 SET c1 = NULL WHERE c3 = ? AND c4 = ?', valueSets: [[1, 2]] },
      {
        sql: 'DELETE FROM t4 WHERE c3 = ? AND c4 = ? AND inserted = 0 AND c1 IS NULL AND c2 IS NULL',
        valueSets: [[1, 2]],
      },
    ]);
  });
});

describe('changeStatements of lists, sets and maps', () => {
  const words = makeTable(
    { id: 5, version: 1, keyspace: 'k' },
    {
      name: 'words',
      columns: [
        { name: 'p', type: int },
        { name: 'l', type: listOf(int) },
        { name: 'm', type: mapOf(text, int) },
      ],
      partitionKey: ['p'],
      clustering: [],
    },
  );
  const [, l, m] = words.columns;
  assert.ok(l && m);
  const pull = { kind: 'pull', column: m, names: ['a', 'b'] } as const;

  it('push and pull inside the statement, for the row that is there', () => {
    const push = { kind: 'push', column: l, value: [1, 2] } as const;
    assert.deepEqual(changeStatements({ table: words, key: [7], changes: [push, pull] }), [
      {
        sql:
          'INSERT INTO t5 (inserted, c1, c2, c3) VALUES (0, ?, ?, ?) ON CONFLICT (c1) DO UPDATE SET ' +
          "c2 = coalesce(CAST(substr(CAST(c2 AS BLOB), 1, octet_length(c2) - 1) AS TEXT) || ',' || " +
          "substr(excluded.c2, 2), c2, excluded.c2), c3 = pull_from('map<text,int>', c3, ?) " +
          'WHERE (ifnull(octet_length(c2), 0) + ifnull(octet_length(c3), 0) + ' +
          'ifnull(octet_length(excluded.c2), 0)) <= 20971520 OR (ifnull(octet_length(excluded.c2), 0)) <= 0',
        valueSets: [[7, '[1,2]', null, '["a","b"]']],
        tooLarge: 'skipSet',
        columns: words.columns,
      },
    ]);
  });

  it('make no row where nothing is pushed', () => {
    const push = { kind: 'push', column: l, value: [] } as const;
    assert.deepEqual(changeStatements({ table: words, key: [7], changes: [pull, push] }), [
      {
        sql:
          "UPDATE t5 SET c3 = pull_from('map<text,int>', c3, ?), c2 = coalesce(CAST(substr(CAST(c2 AS BLOB), 1, " +
          "octet_length(c2) - 1) AS TEXT) || ',' || substr(NULL, 2), c2, NULL) WHERE c1 = ?",

        valueSets: [['["a","b"]', 7]],
      },
      {
        sql: 'DELETE FROM t5 WHERE c1 = ? AND inserted = 0 AND c2 IS NULL AND c3 IS NULL',
        valueSets: [[7]],
      },
    ]);
  });
});

describe('statements on a row of texts', () => {
  const texts = makeTable(
    { id: 6, version: 1, keyspace: 'k' },
    {
      name: 'texts',
      columns: ['p', 'a', 'b'].map((name) => ({ name, type: text })),
      partitionKey: ['p'],
      clustering: [],
    },
  );
  const [p6, a6, b6] = texts.columns;
  assert.ok(p6 && a6 && b6);

  it('change none that would become too large, and leave out the sets behind it where rows are ordered', () => {
    const rows = [{ columns: [p6, a6], values: ['p', 'a'] }];
    assert.deepEqual(insertStatements({ table: texts, rows, isOrdered: true }), [
      {
        sql:
          'INSERT INTO t6 (inserted, c1, c2) VALUES (1, ?, ?) ON CONFLICT (c1) DO UPDATE SET inserted = 1, ' +
          'c2 = excluded.c2 WHERE (ifnull(octet_length(c3), 0) + ifnull(octet_length(excluded.c1), 0) + ' +
          'ifnull(octet_length(excluded.c2), 0)) <= 20971520 OR ' +
          '(ifnull(octet_length(excluded.c1), 0) + ifnull(octet_length(excluded.c2), 0)) <= ' +
          '(ifnull(octet_length(c1), 0) + ifnull(octet_length(c2), 0))',
        valueSets: [['p', 'a']],
        tooLarge: 'skipRest',
        columns: [p6, a6],
      },
    ]);
  });

  it('need no such condition where no text or blob comes in', () => {
    const changes = [{ kind: 'set', column: a6, value: null } as const];
    const counted = makeTable(
      { id: 7, version: 1, keyspace: 'k' },
      {
        name: 'counted',
        columns: [
          { name: 'p', type: text },
          { name: 'n', type: int },
        ],
        partitionKey: ['p'],
        clustering: [],
      },
    );
    const [, n] = counted.columns;
    assert.ok(n);
    const plans = [
      { table: counted, key: ['p'], changes: [{ kind: 'set', column: n, value: 1 } as const] },
      { table: texts, key: ['p'], changes },
    ];
    for (const plan of plans) assert.doesNotMatch(changeStatements(plan)[0]?.sql ?? '', /octet_length/);
  });

  it('need no such condition where all values come in', () => {
    const rows = [{ columns: texts.columns, values: ['p', 'a', 'b'] }];
    assert.doesNotMatch(insertStatements({ table: texts, rows })[0]?.sql ?? '', /octet_length/);
  });
});

describe('deleteStatements', () => {
  it('deletes the rows of the filter, or all', () => {
    const filter = {
      kind: 'comparison',
      column: p,
      operator: filterOperators.$in,
      operands: [1, 2],
    } as const;
    assert.deepEqual(deleteStatements({ table, filter }), [
      { sql: 'DELETE FROM t4 WHERE c3 IN (?, ?)', valueSets: [[1, 2]] },
    ]);
    assert.deepEqual(deleteStatements({ table, filter: matchAll }), [
      { sql: 'DELETE FROM t4', valueSets: [[]] },
    ]);
  });

  it('deletes nothing for a filter that never holds', () => {
    assert.deepEqual(deleteStatements({ table, filter: { kind: 'or', filters: [] } }), [
      { sql: 'DELETE FROM t4 WHERE FALSE', valueSets: [[]] },
    ]);
  });
});

type Row = readonly (readonly [column: Column, value: number | null])[];

function insert(...rows: readonly Row[]) {
  return insertStatements({
    table,
    rows: rows.map((row) => ({
      columns: row.map(([column]) => column),
      values: row.map(([, value]) => value),
    })),
  });
}
