// Projections (wire: Projection rules).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { makeTable } from '../schema/table.js';
import { parseProjection } from './projection.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['a', 'b', 'c'].map((name) => ({ name, type: int })),
    partitionKey: ['a'],
    clustering: [],
  },
);

describe('parseProjection', () => {
  const selected: readonly (readonly [json: string, columns: string])[] = [
    ['null', 'abc'],
    ['{}', 'abc'],
    ['[]', 'abc'],
    ['1', 'abc'],
    ['"b"', 'abc'],
    ['{"c":1,"b":true}', 'bc'],
    ['{"b":0}', 'ac'],
    ['{"a":false,"b":0,"c":-0}', ''],
    ['{"b":7}', 'b'],
    ['{"b":0.5}', 'b'],
    ['{"*":1}', 'abc'],
    ['{"b":1,"no":1}', 'b'],
    ['{"b":0,"no":0}', 'ac'],
  ];
  for (const [json, columns] of selected) {
    it(`selects "${columns}" by ${json}`, () => assert.equal(select(json), columns));
  }

  const refused: readonly (readonly [json: string, code: string])[] = [
    ['["a"]', 'UNSUPPORTED_PROJECTION_DEFINITION'],
    ['{"a":1,"b":0}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"a":false,"b":true}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"a":"1"}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"a":null}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"a":{"b":1}}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"":1}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"*":1,"a":1}', 'UNSUPPORTED_PROJECTION_PARAM'],
    ['{"*":0}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"no":1,"A":1}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"no":0}', 'UNKNOWN_TABLE_COLUMNS'],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () =>
      assert.throws(() => select(json), { code, scope: 'PROJECTION' }));
  }

  it('returns the column list of the table itself when it selects all, so that statements are shared', () => {
    assert.equal(parseProjection(undefined, table).columns, table.columns);
    assert.equal(parseProjection(parse('{"*":true}'), table).columns, table.columns);
  });

  it('returns the same list object for the same columns, so that statements are shared as well', () => {
    const columns = parseProjection(parse('{"b":1,"c":1}'), table).columns;
    assert.equal(parseProjection(parse('{"a":0}'), table).columns, columns);
    assert.notEqual(parseProjection(parse('{"a":1,"c":1}'), table).columns, columns);
  });
});

function select(json: string): string {
  return parseProjection(parse(json), table)
    .columns.map(({ name }) => name)
    .join('');
}

function parse(json: string) {
  return parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
}
