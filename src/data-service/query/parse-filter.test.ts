// Filters on a table: columns, operators for their types, typed values, and the negation of operators.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { columnTypes } from '../column-types/registry.js';
import { makeTable } from '../schema/table.js';
import { type Filter, matchesFilter } from './filter.js';
import { filterOperators } from './filter-operators.js';
import { parseFilter } from './parse-filter.js';

/** A column for each type, with the name of the type. */
const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: columnTypes.map((type) => ({ name: type.name, type })),
    partitionKey: ['int'],
    clustering: [],
  },
);

describe('parseFilter', () => {
  const written: readonly (readonly [json: string, expected: string])[] = [
    ['{}', '()'],
    ['{"int":1}', '(int $eq 1)'],
    ['{"int":{"$gt":1,"$lte":5}}', '(int $gt 1 & int $lte 5)'],
    ['{"int":{"$in":[1,2]},"text":"x"}', '(int $in 1,2 & text $eq "x")'],
    [
      '{"uuid":{"$uuid":"F0000000-0000-4000-8000-000000000000"}}',
      '(uuid $eq "f0000000-0000-4000-8000-000000000000")',
    ],
    ['{"text":{"$objectId":"5f"}}', '(text $eq "5f")'],
    ['{"blob":{"$binary":"AA=="}}', '(blob $eq {"$binary":"AA=="})'],
    ['{"blob":{"$in":[{"$binary":"AA=="},{"$binary":""}]}}', '(blob $in {"$binary":"AA=="},{"$binary":""})'],
    ['{"int":{"$in":[7]}}', '(int $eq 7)'],
    ['{"timestamp":{"$gt":{"$date":0}}}', '(timestamp $gt "1970-01-01T00:00:00.000Z")'],
    ['{"duration":{"$ne":"1d"}}', '(duration $ne "P1D")'],
    ['{"$or":[{"int":1},{"int":2}]}', '(((int $eq 1) | (int $eq 2)))'],
  ];
  for (const [json, expected] of written) {
    it(`reads ${json}`, () => assert.equal(show(parse(json)), expected));
  }

  const negations = [
    ['$eq', '$ne'],
    ['$ne', '$eq'],
    ['$gt', '$lte'],
    ['$gte', '$lt'],
    ['$lt', '$gte'],
    ['$lte', '$gt'],
  ] as const;
  for (const [operator, negation] of negations) {
    it(`turns ${operator} under $not into ${negation}`, () => {
      assert.equal(flat(parse(`{"$not":{"int":{"${operator}":1}}}`)), `int ${negation} 1`);
    });
  }

  it('turns $in under $not into $nin, and "and" into "or"', () => {
    assert.equal(flat(parse('{"$not":{"int":{"$in":[1,2]}}}')), 'int $nin 1,2');
    assert.equal(flat(parse('{"$not":{"int":{"$nin":[1,2]}}}')), 'int $in 1,2');
    assert.equal(flat(parse('{"$not":{"int":1,"text":"x"}}')), 'int $ne 1 | text $ne "x"');
    assert.equal(flat(parse('{"$not":{"$or":[{"int":1},{"text":"x"}]}}')), 'int $ne 1 & text $ne "x"');
    assert.equal(flat(parse('{"$not":{"$not":{"int":1,"text":"x"}}}')), 'int $eq 1 & text $eq "x"');
  });

  it('matches nothing under a negated nothing, and everything under two', () => {
    const matches = (json: string) => matchesFilter(parse(json), () => 1);
    assert.deepEqual(['{}', '{"$not":{}}', '{"$not":{"$not":{}}}', '{"$or":[{"$not":{}},{}]}'].map(matches), [
      true,
      false,
      true,
      true,
    ]);
  });

  it('never matches a missing value, negated or not', () => {
    for (const { name, operand } of Object.values(filterOperators)) {
      const comparison = `{"int":{"${name}":${operand === 'list' ? '[1]' : '1'}}}`;
      for (const json of [comparison, `{"$not":${comparison}}`]) {
        assert.equal(
          matchesFilter(parse(json), () => null),
          false,
          json,
        );
      }
    }
  });

  const refused: readonly (readonly [json: string, code: string])[] = [
    ['{"no":1}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"INT":1}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"int":"x","no":1}', 'UNKNOWN_TABLE_COLUMNS'],
    ['{"int":null}', 'INVALID_FILTER_EXPRESSION'],
    ['{"int":{"$in":[1,null]}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"int":{"$exists":true}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"int":{"$exists":1}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"int":{"$all":1}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"int":{"$size":1}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"text":{"$all":["a"]}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"duration":{"$gt":"1d"}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"duration":{"$lte":[]}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"int":{"$gt":null}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"int":{"$lt":{"x":1}}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"duration":{"$gt":null}}', 'INVALID_FILTER_EXPRESSION'],
    ['{"text":{"$match":"x"}}', 'CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS'],
    ['{"int":[1]}', 'FILTER_INVALID_EXPRESSION'],
    ['{"int":{"$in":[[1]]}}', 'FILTER_INVALID_EXPRESSION'],
    ['{"int":{"x":1}}', 'FILTER_UNSUPPORTED_DATA_TYPE'],
    ['{"int":{}}', 'FILTER_UNSUPPORTED_DATA_TYPE'],
    ['{"int":{"$eq":{"$gt":1}}}', 'FILTER_UNSUPPORTED_DATA_TYPE'],
    ['{"int":"1"}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"int":1.5}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"int":{"$in":[1,2147483648]}}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"int":{"$binary":"AA=="}}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"uuid":{"$uuid":1}}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"text":1}', 'INVALID_FILTER_COLUMN_VALUES'],
    ['{"$not":{"boolean":"true"}}', 'INVALID_FILTER_COLUMN_VALUES'],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () => assert.throws(() => parse(json), { code, scope: 'FILTER' }));
  }

  it('refuses numbers of too many digits as a limit', () => {
    assert.throws(() => parse('{"varint":1e300000}'), {
      code: 'SHRED_DOC_LIMIT_VIOLATION',
      scope: 'DOCUMENT',
    });
  });

  it('follows single clauses through 300 levels', () => {
    const filter = parse(`${'{"$not":'.repeat(300)}{"int":1}${'}'.repeat(300)}`);
    assert.deepEqual([matchesFilter(filter, () => 1), matchesFilter(filter, () => 2)], [true, false]);
  });
});

function parse(json: string): Filter {
  return parseFilter(objectOf(json), table);
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 1000, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}

function show(filter: Filter): string {
  if (filter.kind === 'members') return `${filter.column.name} ${filter.part} ${filter.operator.name}`;
  if (filter.kind === 'and' || filter.kind === 'or') {
    return `(${filter.filters.map(show).join(filter.kind === 'and' ? ' & ' : ' | ')})`;
  }
  assert.equal(filter.kind, 'comparison');
  const { column, operator, operands } = filter;
  return `${column.name} ${operator.name} ${operands.map((operand) => column.type.serialize(operand)).join()}`;
}

/** The filter without parentheses. */
function flat(filter: Filter): string {
  return show(filter).replace(/[()]/g, '');
}
