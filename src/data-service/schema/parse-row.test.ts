// Rows to insert: which are refused, in which order of checks, and which keys a row may have.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { columnTypeNamed } from '../column-types/registry.js';
import { parseRow } from './parse-row.js';
import { makeTable, type Table } from './table.js';

const table = tableOf({ v: 'text', c: 'int', p: 'text', n: 'varint' }, ['p'], ['c']);

describe('parseRow', () => {
  it('gives columns in the order of the table, so that rows of one form make one statement', () => {
    const { columns, values } = parse('{"p":"a","v":null,"c":1}');
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['v', 'c', 'p'],
    );
    assert.deepEqual(values, [null, 1, 'a']);
  });

  /** In the order of the checks. */
  const refused: readonly (readonly [json: string, code: string, names: RegExp])[] = [
    ['{"p":1,"no":1,"other":2}', 'UNKNOWN_TABLE_COLUMNS', /Unknown columns: no, other\./],
    ['{"p":"a","c":1,"P":1}', 'UNKNOWN_TABLE_COLUMNS', /Unknown columns: P\./],
    ['{"v":1,"c":"x"}', 'INVALID_COLUMN_VALUES', /v\(text\) - .*\nc\(int\) - /],
    ['{"p":{},"c":1}', 'INVALID_COLUMN_VALUES', /p\(text\) - /],
    ['{"v":1,"n":1e300000}', 'SHRED_DOC_LIMIT_VIOLATION', /n: /],
    ['{}', 'MISSING_PRIMARY_KEY_COLUMNS', /: p\(text\), c\(int\)\./],
    ['{"p":"a","c":null}', 'MISSING_PRIMARY_KEY_COLUMNS', /: c\(int\)\./],
    ['{"p":"","c":1}', 'INVALID_COLUMN_VALUES', /p\(text\) - .*empty/],
  ];
  for (const [json, code, names] of refused) {
    it(`refuses ${json} with ${code}`, () => {
      assert.throws(() => parse(json), { code, scope: 'DOCUMENT', message: names });
    });
  }
});

describe('the keys of rows', () => {
  const long = (bytes: number, unit = 'x') => JSON.stringify(unit.repeat(bytes));

  it('may be empty if there is another partition column, and in the clustering columns', () => {
    const wide = tableOf({ a: 'text', b: 'blob', c: 'text' }, ['a', 'b'], ['c']);
    assert.equal(parse('{"a":"","b":{"$binary":""},"c":""}', wide).values.length, 3);
  });

  it('are not empty as the only partition column, whatever the type', () => {
    assert.throws(() => parse('{"b":{"$binary":""}}', tableOf({ b: 'blob' }, ['b'])), {
      code: 'INVALID_COLUMN_VALUES',
    });
    assert.throws(() => parse('{"b":""}', tableOf({ b: 'ascii' }, ['b'])), { code: 'INVALID_COLUMN_VALUES' });
  });

  it('have at most 65,535 bytes in the partition columns together', () => {
    const wide = tableOf({ a: 'text', b: 'text', n: 'int' }, ['a', 'b', 'n']);
    // The integer takes four bytes, and each of several columns three more.
    assert.ok(parse(`{"a":${long(65_000)},"b":${long(522)},"n":1}`, wide));
    assert.throws(() => parse(`{"a":${long(65_000)},"b":${long(523)},"n":1}`, wide), {
      code: 'INVALID_COLUMN_VALUES',
    });
    assert.ok(parse(`{"a":${long(65_535)}}`, tableOf({ a: 'text' }, ['a'])));
  });

  it('are counted in bytes also where each column is short', () => {
    const wide = tableOf({ a: 'text', b: 'text' }, ['a', 'b']);
    const third = 21_843; // characters of three bytes each
    assert.ok(parse(`{"a":${long(third, '€')},"b":""}`, wide));
    assert.throws(() => parse(`{"a":${long(third, '€')},"b":${long(third, '€')}}`, wide), {
      code: 'INVALID_COLUMN_VALUES',
    });
    assert.throws(() => parse(`{"a":${long(65_000)},"b":${long(300, '€')}}`, wide), {
      code: 'INVALID_COLUMN_VALUES',
    });
  });

  it('have at most 65,535 bytes in the clustering columns together', () => {
    const wide = tableOf({ p: 'int', a: 'text', b: 'text', v: 'text' }, ['p'], ['a', 'b']);
    assert.ok(parse(`{"p":1,"a":${long(65_000)},"b":${long(535)},"v":${long(70_000)}}`, wide));
    assert.throws(() => parse(`{"p":1,"a":${long(65_000)},"b":${long(536)}}`, wide), {
      message: /a\(text\) - /,
    });
    assert.throws(() => parse(`{"p":1,"a":"","b":${long(65_536)}}`, wide), { message: /b\(text\) - / });
    assert.throws(() => parse(`{"p":1,"a":${long(21_846, '€')},"b":""}`, wide), { message: /a\(text\) - / });
  });
});

function tableOf(
  columns: Readonly<Record<string, string>>,
  partitionKey: readonly string[],
  clustering: readonly string[] = [],
): Table {
  return makeTable(
    { id: 1, version: 1, keyspace: 'k' },
    {
      name: 't',
      columns: Object.entries(columns).map(([name, typeName]) => {
        const type = columnTypeNamed(typeName);
        assert.ok(type);
        return { name, type };
      }),
      partitionKey,
      clustering: clustering.map((name) => ({ name, direction: 1 })),
    },
  );
}

function parse(json: string, of: Table = table) {
  return parseRow(objectOf(json), of).assignments;
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
