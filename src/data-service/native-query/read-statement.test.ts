// Checks the grammar: how statements are parsed, and where parsing stops.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { text } from '../column-types/text.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { readStatement } from './read-statement.js';
import { jsonOf } from './term.js';

const target = { keyspace: 'k', table: 't' };
const eq = (column: string, json: unknown) => ({ column, operator: '$eq', terms: [{ kind: 'value', json }] });

describe('readStatement', () => {
  it('takes words in any case, comments anywhere and names in quotes as they are', () => {
    const query = 'dElEtE -- a\n"A ""b" /* c; */ FROM // d\n K."T" wHeRe "Id" = \'x\' ;';
    assert.deepEqual(readStatement(query), {
      kind: 'delete',
      target: { keyspace: 'k', table: 'T' },
      columns: ['A "b'],
      where: [eq('Id', 'x')],
    });
  });

  it('distinguishes a quoted name from a word of the language', () => {
    assert.deepEqual(readStatement('DELETE "from" FROM k.t WHERE "where" = true'), {
      kind: 'delete',
      target,
      columns: ['from'],
      where: [eq('where', true)],
    });
    assert.throws(() => readStatement('"drop" table k.t'), NativeQueryRefused);
  });

  it('takes names that begin like durations', () => {
    for (const name of ['p', 'p2', 'p1s', 'pt5', 'p2_w', 'p1d2', 'pt']) {
      const statement = readStatement(`INSERT INTO k.t (${name}) VALUES (P1Y2M3DT4H5M6S)`);
      assert.ok(statement.kind === 'insert');
      assert.deepEqual(statement.columns, [name]);
    }
  });

  it('reads the forms of a primary key', () => {
    const keyOf = (query: string) => {
      const statement = readStatement(`CREATE TABLE k.t (${query})`);
      assert.ok(statement.kind === 'createTable');
      return [statement.partitionKey, statement.clustering];
    };
    assert.deepEqual(keyOf('a int PRIMARY KEY, b int'), [['a'], []]);
    assert.deepEqual(keyOf('a int, b int, PRIMARY KEY (a)'), [['a'], []]);
    assert.deepEqual(keyOf('a int, b int, PRIMARY KEY (a, b)'), [['a'], ['b']]);
    assert.deepEqual(keyOf('PRIMARY KEY ((a, b), c, d), a int, b int, c int, d int'), [
      ['a', 'b'],
      ['c', 'd'],
    ]);
    assert.deepEqual(keyOf('primary int, key int, PRIMARY KEY (primary, key)'), [['primary'], ['key']]);
    assert.throws(() => keyOf('a int PRIMARY KEY, PRIMARY KEY (a)'), /one PRIMARY KEY/);
  });

  it('reads types with their parts', () => {
    const typeOf = (type: string) => {
      const statement = readStatement(`ALTER TABLE k.t ADD c ${type}`);
      assert.ok(statement.kind === 'addColumns');
      return statement.columns[0]?.type(new Map()).name;
    };
    for (const [type, name] of [
      ['VARCHAR', 'text'],
      ['list < varchar >', 'list<text>'],
      ['frozen<map<ascii,timeuuid>>', 'frozen<map<ascii,timeuuid>>'],
      ['map<int, text>', 'map<int,text>'],
      ['frozen<set<frozen<list<int>>>>', 'unsupported frozen<set<frozen<list<int>>>>'],
      ['frozen<list<list<int>>>', 'unsupported frozen<list<list<int>>>'],
      ['tuple<int,frozen<tuple<text>>>', 'unsupported frozen<tuple<int, frozen<tuple<text>>>>'],
      ['frozen<tuple<int>>', 'unsupported frozen<tuple<int>>'],
      ['frozen<address>', 'unsupported frozen<address>'],
      ['list<frozen<address>>', 'unsupported list<frozen<address>>'],
      ['"Address"', 'unsupported Address'],
    ])
      assert.equal(typeOf(type ?? ''), name);
    for (const type of [
      'list',
      'int<text>',
      'tuple',
      'frozen',
      'map<text>',
      '5',
      'frozen<frozen<list<int>>>',
      "'x'",
    ])
      assert.throws(() => typeOf(type), NativeQueryRefused, type);
    const deep = `${'frozen<'.repeat(10_000)}int${'>'.repeat(10_000)}`;
    assert.throws(() => typeOf(deep), /nested at most 10 deep/);
  });

  it('reads literals, and signs in additions with and without spaces', () => {
    const assigned = (text: string) => {
      const statement = readStatement(`UPDATE k.t SET ${text} WHERE id = 1`);
      assert.ok(statement.kind === 'update');
      return statement.assignments.map(({ kind, term }) => [kind, term]);
    };
    const number = (digits: string) => ({ kind: 'value', json: { text: digits } });
    for (const [text, kind, digits] of [
      ['c = c + 1', 'add', '1'],
      ['c=c-1', 'subtract', '1'],
      ['c = c -1', 'subtract', '1'],
      ['c = c + -1', 'add', '-1'],
      ['c += 007', 'add', '7'],
      ['c -= 1e2', 'subtract', '1e2'],
      ['"C" = "C" + 1', 'add', '1'],
      ['c = -0.50', 'set', '-0.50'],
    ] as const) {
      const [found] = assigned(text);
      assert.equal(JSON.stringify(found), JSON.stringify([kind, number(digits)]), text);
    }
    assert.equal(assigned('a = 1, b = b + 2').length, 2);
    for (const bad of ['c = d + 1', 'c = c * 2', 'c = c', 'c', 'c[0] = 1', 'c = 1..', 'c = 0x0', 'c = 12abc'])
      assert.throws(() => assigned(bad), NativeQueryRefused, bad);
  });

  it('gives the JSON of a literal', () => {
    const jsonText = (literal: string) => {
      const statement = readStatement(`INSERT INTO k.t (a) VALUES (${literal})`);
      assert.ok(statement.kind === 'insert');
      const [term] = statement.terms;
      assert.ok(term);
      return JSON.stringify(jsonOf(term, text), (_, value) => (value instanceof Map ? [...value] : value));
    };
    for (const [literal, json] of [
      [`'it''s'`, `"it's"`],
      [`$$it's$$`, `"it's"`],
      ['0xCafe', '[["$binary","yv4="]]'],
      ['0x', '[["$binary",""]]'],
      ['NaN', '"NaN"'],
      ['-nan', '"NaN"'],
      ['00.50', '{"text":"0.50"}'],
      ['1.', '{"text":"1"}'],
      ['-2.e+3', '{"text":"-2e+3"}'],
      ['-infinity', '"-Infinity"'],
      ['1h30m', '"1h30m"'],
      ['-P1DT2H', '"-P1DT2H"'],
      ['p2w', '"p2w"'],
      ['PT1.5S', '"PT1.5S"'],
      ['null', 'null'],
      ['[]', '[]'],
      ['{}', '[]'],
      ["['a', [null]]", '["a",[null]]'],
      ["{'a', 'b'}", '["a","b"]'],
      ["{'a': 'x', 'b': {'c': 'd'}}", '[["a","x"],["b",[["c","d"]]]]'],
      ['123E4567-e89b-42d3-a456-426614174000', '"123E4567-e89b-42d3-a456-426614174000"'],
    ])
      assert.equal(jsonText(literal ?? ''), json, literal);
    const bad = [
      '(1, 2)',
      '1..',
      '1.x',
      '.5',
      'now()',
      '?',
      ':name',
      '-true',
      "{'a', 'b': 'c'}",
      "{'a': 'b', 'c'}",
      '[1',
      '0xabc',
    ];
    for (const literal of [...bad, `${'['.repeat(50_000)}`, '1'.repeat(101)])
      assert.throws(() => jsonText(literal), NativeQueryRefused, literal.slice(0, 20));
  });

  it('refuses what is too long, and what does not end, at once', () => {
    assert.throws(() => readStatement('x'.repeat(200_001)), /at most 200000 are allowed/);
    for (const begun of ['/*', "'", '"', '$$'])
      assert.throws(() => readStatement(begun.repeat(99_999)), NativeQueryRefused, begun);
  });
});
