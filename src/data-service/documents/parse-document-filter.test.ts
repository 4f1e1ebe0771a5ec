// Filters on documents: the forms that are accepted, the errors of others, and the ids that filters name.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import type { DocumentFilter } from './document-filter.js';
import { parseIndexing } from './indexing.js';
import { packFilter } from './pack-filter.js';
import { type ParsedDocumentFilter, parseDocumentFilter } from './parse-document-filter.js';

const limits = { maxDepth: 1_000, maxNumberLength: 100 };

function parse(
  text: string,
  indexing = 'null',
  lexical: 'enabled' | 'disabled' = 'enabled',
): ParsedDocumentFilter {
  return parseDocumentFilter(parseJson(text, limits), {
    keyspace: 'k',
    table: 'c',
    indexing: parseIndexing(parseJson(indexing, limits)),
    lexical,
  });
}

/** Whether the filter has no conditions. */
function matchesAllDocuments(filter: DocumentFilter): boolean {
  return filter.kind === 'and' && filter.filters.every(matchesAllDocuments);
}

describe('parsing a filter on documents', () => {
  for (const text of [
    'null',
    '{}',
    '{"$and":[]}',
    '{"$or":[]}',
    '{"$not":{}}',
    '{"$and":[{},{"$or":[{}]}]}',
  ]) {
    it(`finds no condition in ${text}`, () => {
      assert.equal(matchesAllDocuments(parse(text).filter), true);
    });
  }

  it('finds no condition in an absent filter', () => {
    const { filter } = parseDocumentFilter(undefined, { keyspace: 'k', table: 'c', lexical: 'disabled' });
    assert.equal(matchesAllDocuments(filter), true);
  });

  for (const text of [
    '{"a":{}}',
    '{"a":{"$nin":[]}}',
    '{"a":{"$in":[]}}',
    '{"$or":[{"a":1}]}',
    '{"a":null}',
  ]) {
    it(`finds a condition in ${text}`, () => {
      assert.equal(matchesAllDocuments(parse(text).filter), false);
    });
  }

  const packed: readonly (readonly [text: string, expected: string])[] = [
    ['{"a":1}', '["value",["a"],null,"$eq",1]'],
    ['{"a.b&.c":{"$ne":null}}', '["value",["a","b.c"],null,"$ne",null]'],
    [
      '{"a":{"$gt":1,"$in":[2]},"b":3}',
      '["and",["value",["a"],null,"$gt",1],["list",["a"],null,"$in",[2]],["value",["b"],null,"$eq",3]]',
    ],
    [
      '{"$and":[{"a":1},{"$and":[{"b":1},{"c":1}]}]}',
      '["and",["value",["a"],null,"$eq",1],["value",["b"],null,"$eq",1],["value",["c"],null,"$eq",1]]',
    ],
    [
      '{"$not":{"a":{"$all":[1]},"b":{"$size":2.0}}}',
      '["or",["list",["a"],null,"notAll",[1]],["size",["b"],null,false,2]]',
    ],
    ['{"$not":{"a":{"$exists":true}}}', '["exists",["a"],null,false]'],
    ['{"$lexical":{"$match":"x"}}', '["match","x"]'],
  ];
  for (const [text, expected] of packed) {
    it(`reads ${text}`, () => {
      assert.equal(packFilter(parse(text).filter), expected);
    });
  }

  it('keeps the digits of numbers in packed filters', () => {
    const number = '12345678901234567890.000000000000000000000001';
    assert.equal(packFilter(parse(`{"a":${number}}`).filter), `["value",["a"],null,"$eq",${number}]`);
  });
});

describe('a filter on documents is refused', () => {
  const invalid = 'FILTER_INVALID_EXPRESSION';
  const kind = 'FILTER_UNSUPPORTED_DATA_TYPE';
  const operator = 'FILTER_UNSUPPORTED_OPERATOR';
  const values = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => at));
  const fields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at])));

  const rows: readonly (readonly [text: string, code: string, problem: RegExp])[] = [
    // The grammar.
    ['[]', kind, /must be an object, but is an array/],
    ['"a"', kind, /must be an object/],
    ['1', kind, /must be an object/],
    ['{"a":[1]}', invalid, /needs \$eq/],
    ['{"a":{"$eq":1,"b":2}}', invalid, /operators beside other members/],
    ['{"a":{"b":2,"$eq":1}}', invalid, /operators beside other members/],
    ['{"a":{"$not":{"$gt":1}}}', operator, /"\$not" is not a filter operator on the path "a"/],
    ['{"a":{"$regex":"x"}}', operator, /"\$regex"/],
    ['{"a":{"$uuid":"x","$eq":1}}', operator, /"\$uuid"/],
    ['{"a":{"b":{"$eq":1}}}', invalid, /directly under a path/],
    ['{"a":{"$eq":{"$gt":1}}}', invalid, /directly under a path/],
    ['{"a":{"$eq":[{"$x":1}]}}', invalid, /directly under a path/],
    ['{"$nor":[{"a":1}]}', invalid, /no field has the name "\$nor"/],
    ['{"$similarity":1}', invalid, /no field has the name/],
    ['{"$vector.0":{"$exists":true}}', invalid, /no field has the name/],
    ['{"a.$date":5}', invalid, /no field has the name "\$date"/],
    ['{"":1}', invalid, /empty part/],
    ['{"a..b":1}', invalid, /empty part/],
    ['{"a&b":1}', invalid, /"&" must be followed/],
    ['{"a&":1}', invalid, /"&" must be followed/],
    ['{"$or":{"a":1}}', invalid, /\$or needs an array/],
    ['{"$and":{"a":1}}', invalid, /\$and needs an array/],
    ['{"$and":null}', invalid, /\$and needs an array/],
    ['{"$not":[{"a":1}]}', invalid, /\$not needs one filter object/],
    ['{"$not":1}', invalid, /\$not needs one filter object/],
    ['{"$and":[1]}', invalid, /filter objects only/],
    ['{"$or":["a"]}', invalid, /filter objects only/],
    ['{"$or":[null]}', invalid, /filter objects only/],
    ['{"$and":[[1,2]]}', kind, /filter objects only/],
    // Extended values.
    ['{"a":{"$uuid":"x"}}', 'SHRED_BAD_EJSON_VALUE', /"\$uuid" needs a UUID/],
    ['{"a":{"$eq":{"$uuid":5}}}', 'SHRED_BAD_EJSON_VALUE', /"\$uuid" needs a UUID/],
    ['{"a":{"$objectId":"65f0"}}', 'SHRED_BAD_EJSON_VALUE', /24 hexadecimal digits/],
    ['{"a":{"$date":"2020-01-01"}}', 'SHRED_BAD_EJSON_VALUE', /an integer of at most 64 bits/],
    ['{"a":{"$date":1.5}}', 'SHRED_BAD_EJSON_VALUE', /an integer of at most 64 bits/],
    ['{"a":{"$gt":{"$date":9223372036854775808}}}', 'SHRED_BAD_EJSON_VALUE', /an integer of at most 64 bits/],
    ['{"a":{"$binary":"?"}}', 'SHRED_BAD_EJSON_VALUE', /base64/],
    ['{"a":{"$in":[{"$date":"x"}]}}', invalid, /"\$date" needs/],
    ['{"a":{"$eq":{"b":{"$date":true}}}}', invalid, /"\$date" needs/],
    ['{"a":{"$all":[{"$uuid":"x"}]}}', invalid, /"\$uuid" needs/],
    // Operands.
    ['{"a":{"$gt":null}}', invalid, /\$gt on "a" needs a string, a number, a boolean/],
    ['{"a":{"$gte":[1]}}', invalid, /\$gte on "a"/],
    ['{"a":{"$lt":{"b":1}}}', invalid, /\$lt on "a"/],
    ['{"a":{"$lte":{"$uuid":"0e1c5c2a-7c70-4b61-9d3e-0a1b2c3d4e5f"}}}', invalid, /\$lte on "a"/],
    ['{"_id":{"$gt":null}}', invalid, /\$gt on "_id"/],
    ['{"a":{"$in":1}}', invalid, /\$in on "a" needs an array/],
    ['{"a":{"$nin":{"b":1}}}', invalid, /\$nin on "a" needs an array/],
    [`{"a":{"$in":${values(101)}}}`, invalid, /101 values; at most 100/],
    [`{"a":{"$nin":${values(101)}}}`, invalid, /101 values; at most 100/],
    ['{"a":{"$exists":1}}', invalid, /needs true or false/],
    ['{"a":{"$all":[]}}', invalid, /at least one value/],
    ['{"a":{"$all":1}}', invalid, /needs an array/],
    ['{"a":{"$size":-1}}', invalid, /an integer of at least 0/],
    ['{"a":{"$size":1.5}}', invalid, /an integer of at least 0/],
    ['{"a":{"$size":"1"}}', invalid, /an integer of at least 0/],
    ['{"a":{"$match":"x"}}', invalid, /only possible on "\$lexical"/],
    // Limits.
    [fields(65), 'FILTER_FIELDS_LIMIT_VIOLATION', /65 comparisons; at most 64/],
    [
      `{"$or":[${fields(60)},{"a":{"$gt":1,"$lt":2,"$ne":3,"$nin":[4],"$exists":true}}]}`,
      'FILTER_FIELDS_LIMIT_VIOLATION',
      /65 comparisons/,
    ],
    // The id.
    ['{"_id":{"$gt":1,"$lt":5}}', 'FILTER_MULTIPLE_ID_FILTER', /more than once/],
    ['{"_id":1,"$and":[{"_id":2}]}', 'FILTER_MULTIPLE_ID_FILTER', /more than once/],
    ['{"$or":[{"_id":1},{"a":1}]}', invalid, /inside of \$or/],
    ['{"$or":[{"$and":[{"_id":1}]}]}', invalid, /inside of \$or/],
    ['{"_id":{"$ne":{"$uuid":"0e1c5c2a-7c70-4b61-9d3e-0a1b2c3d4e5f"}}}', kind, /strings or numbers/],
    ['{"_id":{"$ne":{"$objectId":"65f0c0ffee65f0c0ffee65f0"}}}', kind, /strings or numbers/],
    ['{"_id":{"$ne":{"$date":1}}}', kind, /strings or numbers/],
    ['{"_id":{"$ne":true}}', kind, /strings or numbers/],
    ['{"_id":{"$ne":null}}', kind, /strings or numbers/],
    ['{"_id":{"$nin":["a",null]}}', kind, /\$nin on "_id"/],
    ['{"$not":{"_id":{"$in":[true]}}}', kind, /\$not with \$in on "_id"/],
    // Reserved members.
    ['{"$vector":[1]}', invalid, /a search is a sort: \{"sort": \{"\$vector"/],
    ['{"$vector":1}', invalid, /cannot be compared/],
    ['{"$vector":null}', invalid, /cannot be compared/],
    ['{"$vector":{"$binary":"AAAAAA=="}}', invalid, /cannot be compared/],
    ['{"$vectorize":"x"}', invalid, /cannot be compared/],
    ['{"$lexical":"x"}', invalid, /can only be filtered by words/],
    ['{"$lexical":{}}', invalid, /can only be filtered by words/],
    ['{"$lexical":{"$exists":true}}', invalid, /can only be filtered by words/],
    ['{"$lexical":{"$match":"x","$exists":true}}', invalid, /can only be filtered by words/],
    ['{"$lexical":{"$match":1}}', invalid, /needs a string/],
    ['{"$not":{"$lexical":{"$match":"x"}}}', invalid, /under \$not/],
  ];
  for (const [text, code, message] of rows) {
    it(`${text.slice(0, 80)}: ${code}`, () => {
      assert.throws(() => parse(text), { code, message });
    });
  }

  for (const text of [
    fields(64),
    `{"a":{"$in":${values(100)}},"b":{"$all":${values(101)}}}`,
    '{"$not":{"_id":{"$ne":1}}}',
    '{"$not":{"$not":{"$lexical":{"$match":"x"}}}}',
    '{"a":{"$gt":{"$date":-9223372036854775808}}}',
    '{"a":{"$uuid":"1-1-1-1-1"}}',
    '{"_id":{"$lt":{"$objectId":"65f0c0ffee65f0c0ffee65f0"}}}',
    '{"$vector":{"$eq":[1]}}',
  ]) {
    it(`but not ${text.slice(0, 80)}`, () => {
      assert.doesNotThrow(() => parse(text));
    });
  }
});

describe('a filter is refused by what its collection has', () => {
  const rows: readonly (readonly [text: string, indexing: string, code: string, message: RegExp])[] = [
    ['{"b":1}', '{"allow":["a"]}', 'FILTER_PATH_UNINDEXED', /the path "b"/],
    ['{"a":1}', '{"allow":["a.b"]}', 'FILTER_PATH_UNINDEXED', /the path "a"/],
    ['{"a.b":1}', '{"deny":["a"]}', 'FILTER_PATH_UNINDEXED', /the path "a.b"/],
    ['{"x&.y":{"$exists":true}}', '{"deny":["x&.y"]}', 'FILTER_PATH_UNINDEXED', /the path "x&.y"/],
    ['{"$or":[{"b":1},{"a":1}]}', '{"deny":["a"]}', 'FILTER_PATH_UNINDEXED', /the path "a"/],
    ['{"a":{"b":1}}', '{"deny":["a.b"]}', 'FILTER_PATH_UNINDEXED', /the path "a.b"/],
    ['{"a":{"$in":[1,{"c":{"b":1}}]}}', '{"deny":["a.c.b"]}', 'FILTER_PATH_UNINDEXED', /the path "a.c.b"/],
    ['{"$vector":{"$exists":true}}', '{"deny":["*"]}', 'FILTER_PATH_UNINDEXED', /the path "\$vector"/],
    ['{"_id":{"$ne":1}}', '{"allow":["a"]}', 'FILTER_ID_NOT_INDEXED', /\$ne is not possible/],
    ['{"_id":{"$gt":1}}', '{"deny":["*"]}', 'FILTER_ID_NOT_INDEXED', /\$gt is not possible/],
    ['{"_id":{"$nin":[1]}}', '{"deny":["_id"]}', 'FILTER_ID_NOT_INDEXED', /\$nin is not possible/],
    ['{"_id":{"$exists":true}}', '{"allow":["a"]}', 'FILTER_ID_NOT_INDEXED', /\$exists is not possible/],
    ['{"_id":{"$size":1}}', '{"allow":["a"]}', 'FILTER_ID_NOT_INDEXED', /\$size is not possible/],
    ['{"$not":{"_id":1}}', '{"allow":["a"]}', 'FILTER_ID_NOT_INDEXED', /\$ne is not possible/],
    ['{"_id":{"$all":[1]}}', '{"allow":["a"]}', 'FILTER_ID_NOT_INDEXED', /\$all is not possible/],
  ];
  for (const [text, indexing, code, message] of rows) {
    it(`${text} with ${indexing}: ${code}`, () => {
      assert.throws(() => parse(text, indexing), { code, message });
    });
  }

  const accepted: readonly (readonly [text: string, indexing: string])[] = [
    ['{"_id":1}', '{"allow":["a"]}'],
    ['{"_id":{"$in":[1,2]}}', '{"deny":["*"]}'],
    ['{"_id":{"$ne":1}}', '{"allow":["_id"]}'],
    ['{"_id":{"$ne":1}}', '{"deny":["a"]}'],
    ['{"a.b.0":1,"$vector":{"$exists":true},"$lexical":{"$match":"x"}}', '{"allow":["a"]}'],
    ['{"a":{"x":1}}', '{"deny":["a.b"]}'],
  ];
  for (const [text, indexing] of accepted) {
    it(`but not ${text} with ${indexing}`, () => {
      assert.doesNotThrow(() => parse(text, indexing));
    });
  }

  it('if it has words and $lexical is disabled', () => {
    assert.throws(() => parse('{"$lexical":{"$match":"x"}}', 'null', 'disabled'), {
      code: 'LEXICAL_NOT_ENABLED_FOR_COLLECTION',
      message: /k\.c/,
    });
  });
});

describe('the ids that a filter names', () => {
  const rows: readonly (readonly [text: string, values: string | undefined])[] = [
    ['{"_id":1}', '[1]'],
    ['{"_id":{"$eq":"a"},"b":1}', '["a"]'],
    ['{"_id":null}', '[null]'],
    ['{"_id":{"$in":["a",2,{"$date":3},2.0,"a"]}}', '["a",2,{"$date":3}]'],
    ['{"_id":{"$in":[]}}', '[]'],
    ['{"_id":{"$in":["",{"a":1},[1],{"$binary":""},false]}}', '[false]'],
    [
      '{"_id":{"$uuid":"0E1C5C2A-7c70-4b61-9d3e-0a1b2c3d4e5f"}}',
      '[{"$uuid":"0e1c5c2a-7c70-4b61-9d3e-0a1b2c3d4e5f"}]',
    ],
    // No document can have these: an id of too many bytes, a number of too many digits, half of a surrogate pair.
    [`{"_id":{"$in":["${'x'.repeat(8_001)}",1e999999999,"\\ud800","x"]}}`, '["x"]'],
    ['{"_id":1e-999999999}', '[]'],
    ['{"a":1,"$and":[{"b":1},{"$and":[{"_id":7}]}]}', '[7]'],
    ['{"$not":{"_id":{"$ne":7}}}', '[7]'],
    ['{"$not":{"$or":[{"a":1},{"b":1}]},"_id":{"$nin":[1]}}', undefined],
    ['{"_id":{"$gt":1}}', undefined],
    ['{"_id.a":1}', undefined],
    ['{"$not":{"a":1,"_id":{"$ne":7}}}', undefined],
    ['{"a":1}', undefined],
    ['{}', undefined],
  ];
  for (const [text, values] of rows) {
    it(`are ${values ?? 'not known'} for ${text.slice(0, 100)}`, () => {
      const { id } = parse(text);
      assert.equal(id && stringifyJson(id.ids.map(({ json }) => json)), values);
    });
  }
});
