// The structure of filters: refusals that do not depend on a table.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { clauseComparisons, parseFilterClause } from './filter-clause.js';

describe('parseFilterClause', () => {
  it('filters nothing where there is no filter', () => {
    assert.deepEqual(parseFilterClause(undefined), { kind: 'and', clauses: [] });
    assert.deepEqual(parse('{}'), { kind: 'and', clauses: [] });
  });

  const comparisons: readonly (readonly [json: string, expected: readonly string[]])[] = [
    ['{"a":1}', ['a $eq']],
    ['{"a":null}', ['a $eq']],
    ['{"a":{"$gt":1,"$lt":5},"b":"x"}', ['a $gt', 'a $lt', 'b $eq']],
    ['{"a":{"$binary":"AA=="}}', ['a $eq']],
    ['{"a":{"$eq":{"$date":1}}}', ['a $eq']],
    ['{"a":{"x":1}}', ['a $eq']],
    ['{"a":{}}', ['a $eq']],
    ['{"a":{"$in":[],"$nin":[1]}}', ['a $in', 'a $nin']],
    [
      '{"a":{"$exists":true,"$size":"any","$all":[],"$match":"x"}}',
      ['a $exists', 'a $size', 'a $all', 'a $match'],
    ],
    [
      '{"$or":[{"a":1},{"b":1,"c":1}],"$and":[{"d":1}],"$not":{"e":1}}',
      ['a', 'b', 'c', 'd', 'e'].map((n) => `${n} $eq`),
    ],
    ['{"":1,"constructor":{"$ne":1}}', [' $eq', 'constructor $ne']],
  ];
  for (const [json, expected] of comparisons) {
    it(`reads ${json}`, () => {
      const found = clauseComparisons(parse(json));
      assert.deepEqual(
        found.map(({ columnName, operator }) => `${columnName} ${operator}`),
        expected,
      );
    });
  }

  const refused: readonly (readonly [json: string, code: string])[] = [
    ['{"$and":{"a":1}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$and":[]}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$or":[]}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$or":[{"a":1},2]}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$or":[[]]}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$not":[{"a":1}]}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$not":1}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$not":{"$or":[]}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"a":{"$in":1}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"a":{"$nin":{"b":1}}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"a":{"$match":1}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"$nor":[{"a":1}]}', 'FILTER_UNSUPPORTED_OPERATOR'],
    ['{"$eq":1}', 'FILTER_UNSUPPORTED_OPERATOR'],
    ['{"a":{"$regex":"x"}}', 'FILTER_UNSUPPORTED_OPERATOR'],
    ['{"a":{"$not":{"$eq":1}}}', 'FILTER_UNSUPPORTED_OPERATOR'],
    ['{"a":{"$eq":1,"b":2}}', 'FILTER_UNSUPPORTED_OPERATOR'],
    ['{"a":{"$constructor":1}}', 'FILTER_UNSUPPORTED_OPERATOR'],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () => {
      assert.throws(() => parse(json), { code, scope: 'FILTER' });
    });
  }

  it('takes 64 comparisons wherever they stand, and no more', () => {
    const branches = (count: number) => Array.from({ length: count }, (_, at) => `{"c${at}":1}`).join(',');
    assert.equal(clauseComparisons(parse(`{"$or":[${branches(64)}]}`)).length, 64);
    assert.throws(() => parse(`{"$or":[${branches(64)}],"z":1}`), { code: 'FILTER_FIELDS_LIMIT_VIOLATION' });
    assert.throws(
      () => parse(`{"$not":{"$and":[${branches(60)},{"a":{"$gt":1,"$lt":2,"$ne":3,"$eq":4,"$in":[]}}]}}`),
      {
        code: 'FILTER_FIELDS_LIMIT_VIOLATION',
      },
    );
  });

  it('takes lists of 100 values, and no longer ones', () => {
    const list = (count: number) => Array.from({ length: count }, (_, at) => at).join(',');
    assert.equal(clauseComparisons(parse(`{"a":{"$in":[${list(100)}]}}`)).length, 1);
    for (const operator of ['$in', '$nin']) {
      assert.throws(() => parse(`{"a":{"${operator}":[${list(101)}]}}`), {
        code: 'FILTER_INVALID_EXPRESSION',
      });
    }
  });

  it('follows single clauses through 300 levels', () => {
    const nested = (open: string, close: string) => `${open.repeat(300)}{"a":1}${close.repeat(300)}`;
    for (const json of [nested('{"$and":[', ']}'), nested('{"$or":[', ']}'), nested('{"$not":', '}')]) {
      assert.equal(clauseComparisons(parse(json)).length, 1);
    }
  });
});

function parse(json: string) {
  return parseFilterClause(objectOf(json));
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 1000, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}
