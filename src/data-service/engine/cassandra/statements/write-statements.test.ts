// The statements of write plans, with the bytes of their values.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { matchAll } from '../../../query/filter.js';
import { parseFilter } from '../../../query/parse-filter.js';
import type { ColumnChange } from '../../../query/write.js';
import { makeTable, type Table } from '../../../schema/table.js';
import { vectorLimits } from '../vector-limits.js';
import { changeStatement, deleteStatements, insertStatement } from './write-statements.js';

const table = tableOf({
  p: 'smallint',
  c: 'smallint',
  d: 'smallint',
  v: 'smallint',
  l: 'list<smallint>',
  m: 'map<text,smallint>',
});
const counters = tableOf({ p: 'smallint', n: 'counter', m: 'counter' });
const key = 'WHERE "p" = 0001 AND "c" = 0002 AND "d" = 0003';

describe('insertStatement', () => {
  it('names what the row assigns, and null for a value that goes', () => {
    const columns = ['d', 'c', 'p', 'v', 'l'].map((name) => columnOf(table, name));
    const statement = insertStatement(table, { columns, values: [3, 2, 1, null, [7]] });
    assert.equal(
      withBytes(statement),
      'INSERT INTO "k"."t" ("d", "c", "p", "v", "l") VALUES (0003, 0002, 0001, null, 00000001000000020007)',
    );
  });

  it('stores no vector that could damage a node, whatever the plan says', () => {
    const limited = withLimits(tableOf({ p: 'smallint', v: 'vector<float,2>' }));
    const [p, v] = ['p', 'v'].map((name) => columnOf(limited, name));
    assert.ok(p && v);
    const most = Math.fround(1e17);
    const next = most + 2 ** 33;
    const insert = (...elements: readonly number[]) =>
      insertStatement(limited, { columns: [p, v], values: [1, Float32Array.from(elements)] });
    assert.equal(insert(most, -most).values.length, 2);
    for (const elements of [
      [next, 0],
      [0, -next],
      [1, Number.NaN],
      [1, -Infinity],
      [0, -0],
    ]) {
      assert.throws(() => insert(...elements), TypeError, String(elements));
      const value = Float32Array.from(elements);
      const changes = [{ kind: 'set', column: v, value }] as const;
      assert.throws(
        () => changeStatement({ table: limited, key: [1], changes }),
        TypeError,
        String(elements),
      );
    }
  });

  it('may be sent twice unless a list has elements, which would then be there twice', () => {
    const isIdempotent = (name: string, value: unknown) => {
      const columns = ['p', 'c', 'd', name].map((each) => columnOf(table, each));
      return insertStatement(table, { columns, values: [1, 2, 3, value] }).isIdempotent;
    };
    assert.deepEqual(
      [isIdempotent('v', 7), isIdempotent('l', [7]), isIdempotent('l', null), isIdempotent('m', [['a', 7]])],
      [true, false, true, true],
    );
  });
});

describe('changeStatement', () => {
  const changes: readonly (readonly [
    change: Omit<ColumnChange, 'column'>,
    name: string,
    set: string,
    again: boolean,
  ])[] = [
    [{ kind: 'set', value: 7 } as never, 'v', '"v" = 0007', true],
    [{ kind: 'set', value: null } as never, 'v', '"v" = null', true],
    [{ kind: 'set', value: [7] } as never, 'l', '"l" = 00000001000000020007', false],
    [{ kind: 'push', value: [7] } as never, 'l', '"l" = "l" + 00000001000000020007', false],
    [
      { kind: 'pull', names: [7, 8] } as never,
      'l',
      '"l" = "l" - 000000020000000200070000000200' + '08',
      true,
    ],
    [{ kind: 'push', value: [['a', 7]] } as never, 'm', '"m" = "m" + 000000010000000161000000020007', false],
    [{ kind: 'pull', names: ['a'] } as never, 'm', '"m" = "m" - 000000010000000161', true],
  ];
  for (const [change, name, set, again] of changes) {
    it(`sets ${set}`, () => {
      const made = { ...change, column: columnOf(table, name) } as ColumnChange; // as the literals above are
      const statement = changeStatement({ table, key: [1, 2, 3], changes: [made] });
      assert.equal(withBytes(statement), `UPDATE "k"."t" SET ${set} ${key}`);
      assert.equal(statement.isIdempotent, again);
    });
  }

  it('adds to counters, which may not be sent twice, and takes them away', () => {
    const [n, m] = [columnOf(counters, 'n'), columnOf(counters, 'm')];
    const add = { kind: 'add', column: n, value: 5n } as const;
    const takeAway = { kind: 'set', column: m, value: null } as const;
    const statementOf = (...made: readonly ColumnChange[]) =>
      changeStatement({ table: counters, key: [1], changes: made });
    const update = 'UPDATE "k"."t" SET "n" = "n" + 0000000000000005 WHERE "p" = 0001';
    const remove = 'DELETE "m" FROM "k"."t" WHERE "p" = 0001';
    assert.equal(withBytes(statementOf(add)), update);
    assert.equal(statementOf(add).isIdempotent, false);
    assert.equal(withBytes(statementOf(takeAway)), remove);
    assert.equal(statementOf(takeAway).isIdempotent, true);
    assert.equal(
      withBytes(statementOf(add, takeAway)),
      `BEGIN COUNTER BATCH ${update}; ${remove}; APPLY BATCH`,
    );
  });
});

describe('deleteStatements', () => {
  const filters: readonly (readonly [filter: string, where: readonly string[]])[] = [
    ['{"p":1}', ['"p" = 0001']],
    ['{"p":{"$in":[2,1]}}', ['"p" = 0001', '"p" = 0002']],
    ['{"p":1,"c":2,"d":3}', ['"p" = 0001 AND "c" = 0002 AND "d" = 0003']],
    ['{"p":1,"c":{"$gt":2,"$lte":3}}', ['"p" = 0001 AND "c" > 0002 AND "c" <= 0003']],
    [
      '{"p":1,"c":{"$in":[2,3]},"d":{"$lt":4}}',
      ['"p" = 0001 AND "c" = 0002 AND "d" < 0004', '"p" = 0001 AND "c" = 0003 AND "d" < 0004'],
    ],
    ['{"p":1,"c":{"$gte":3,"$lte":1}}', []],
    ['{"p":{"$in":[]}}', []],
  ];
  it('leaves out slices of keys that Cassandra refuses, because no row has them', () => {
    const texts = tableOf({ p: 'text', c: 'text', d: 'text', v: 'text' });
    const long = 'x'.repeat(40_000);
    const countOf = (filter: string) => deletesOf(filter, texts).length;
    assert.equal(countOf(`{"p":"a","c":"${long}","d":"b"}`), 1);
    assert.equal(countOf(`{"p":"a","c":"${long}","d":"${long}"}`), 0);
    assert.equal(countOf(`{"p":"a","c":"${long}${long}"}`), 0);
    assert.equal(countOf(`{"p":"a","c":{"$in":["b","${long}${long}"]}}`), 1);
    assert.equal(countOf(`{"p":"${long}${long}"}`), 0);
  });

  for (const [filter, where] of filters) {
    it(`deletes the slices of ${filter}`, () => {
      assert.deepEqual(
        deletesOf(filter),
        where.map((each) => `DELETE FROM "k"."t" WHERE ${each}`),
      );
    });
  }

  it('empties the table where all rows go, once: it would remove rows that are stored afterwards', () => {
    assert.deepEqual(deletesOf('{}'), ['TRUNCATE "k"."t"']);
    const [truncate] = deleteStatements({ table, filter: matchAll });
    assert.equal(truncate?.isIdempotent, false);
  });

  it('refuses a filter of which CQL can express a part: it would delete more', () => {
    assert.throws(() => deletesOf('{"p":1,"c":{"$ne":2}}'), TypeError);
  });
});

function deletesOf(filter: string, of: Table = table): readonly string[] {
  const parsed = parseJson(filter, { maxDepth: 9, maxNumberLength: 100 });
  assert.ok(isJsonObject(parsed));
  return deleteStatements({ table: of, filter: parseFilter(parsed, of) }).map(withBytes);
}

function tableOf(columns: Readonly<Record<string, string>>): Table {
  const clustering = ['c', 'd'].filter((name) => name in columns);
  return makeTable(
    { id: 1, version: 1, keyspace: 'k' },
    {
      name: 't',
      columns: Object.entries(columns).map(([name, typeName]) => {
        const type = columnTypeOfName(typeName);
        assert.ok(type);
        return { name, type };
      }),
      partitionKey: ['p'],
      clustering: clustering.map((name) => ({ name, direction: 1 })),
    },
  );
}

/** The table as a cluster has it. */
function withLimits({ columns, ...table }: Table): Table {
  const definition = {
    name: table.name,
    columns: columns.map(({ name, type }) => ({ name, type, vectorLimits })),
    partitionKey: ['p'],
    clustering: [],
  };
  return makeTable(table, definition);
}

function columnOf({ columnsByName }: Table, name: string) {
  const column = columnsByName.get(name);
  assert.ok(column);
  return column;
}

/** The text with the bytes of each value in its place. */
function withBytes({ cql, values }: ReturnType<typeof insertStatement>): string {
  const parts = cql.split('?');
  assert.equal(parts.length - 1, values.length, `${cql} has one ? for each value`);
  return parts
    .map((part, at) => (at === 0 ? part : (values[at - 1]?.toString('hex') ?? 'null') + part))
    .join('');
}
