// Definitions of new tables: shapes first, then types, then the primary key.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { columnTypes } from '../column-types/registry.js';
import type { DefinitionContext } from './parse-column-definitions.js';
import { parseTableDefinition } from './parse-table-definition.js';

describe('parseTableDefinition', () => {
  it('reads both forms of columns and of the primary key', () => {
    const found = parse(
      '{"columns":{"b":"int","a":{"type":"text"},"c":"date"},"primaryKey":{"partitionBy":["c","a"],"partitionSort":{"b":-1}}}',
    );
    assert.deepEqual(
      found.columns.map(({ name, type }) => `${name} ${type.name}`),
      ['b int', 'a text', 'c date'],
    );
    assert.deepEqual(found.partitionKey, ['c', 'a']);
    assert.deepEqual(found.clustering, [{ name: 'b', direction: -1 }]);
    assert.deepEqual(parse('{"columns":{"a":"int"},"primaryKey":"a"}').partitionKey, ['a']);
    assert.deepEqual(
      parse('{"columns":{"a":"int"},"primaryKey":{"partitionBy":["a"],"partitionSort":null}}').clustering,
      [],
    );
  });

  it('keeps the order of clustering columns as written', () => {
    const columns = '"columns":{"1":"int","2":"int","10":"int"}';
    const { clustering } = parse(
      `{${columns},"primaryKey":{"partitionBy":["1"],"partitionSort":{"10":1,"2":-1}}}`,
    );
    assert.deepEqual(clustering, [
      { name: '10', direction: 1 },
      { name: '2', direction: -1 },
    ]);
  });

  for (const { name, traits } of columnTypes) {
    const verb = traits.creatable ? 'takes' : 'refuses';
    it(`${verb} columns of ${name}, ${traits.key ? 'also' : 'not'} in the key`, () => {
      const plain = () => parse(`{"columns":{"a":"int","b":"${name}"},"primaryKey":"a"}`);
      const inKey = () => parse(`{"columns":{"a":"int","b":"${name}"},"primaryKey":"b"}`);
      if (!traits.creatable) return assert.throws(plain, { code: 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION' });
      assert.equal(plain().columns[1]?.type.name, name);
      if (traits.key) assert.deepEqual(inKey().partitionKey, ['b']);
      else assert.throws(inKey, { code: 'UNSUPPORTED_PRIMARY_KEY_TYPES' });
    });
  }

  const key = '"primaryKey":"a"';
  const int = '"columns":{"a":"int","b":"int"}';
  /** In the order of the checks: where possible, each definition also violates later ones. */
  const refused: readonly (readonly [json: string, code: string])[] = [
    [`{${int},"primaryKey":7,"extra":1}`, 'COMMAND_FIELD_UNKNOWN'],
    [`{${key}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{"columns":["a"],${key}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{"columns":{"a":null},${key}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{"columns":{"a":{}},${key}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{"columns":{"a":{"type":1}},${key}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{"columns":{"a":{"type":"int","size":1}},${key}}`, 'COMMAND_FIELD_UNKNOWN'],
    [`{"columns":{"":"int"},"primaryKey":""}`, 'COMMAND_FIELD_VALUE_INVALID'],
    [`{"columns":{"a":"INT"},"primaryKey":7}`, 'UNKNOWN_PRIMITIVE_DATA_TYPE'],
    [`{"columns":{"a":"list"},${key}}`, 'UNKNOWN_PRIMITIVE_DATA_TYPE'],
    [`{"columns":{"a":{"type":"whatever"}},${key}}`, 'UNKNOWN_DATA_TYPE'],
    [`{"columns":{"a":"counter"},"primaryKey":7}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{${int}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{${int},"primaryKey":["a"]}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{${int},"primaryKey":{"partitionBy":"a"}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{${int},"primaryKey":{"partitionBy":["a",1]}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    [`{${int},"primaryKey":{"partitionBy":["a"],"order":{}}}`, 'COMMAND_FIELD_UNKNOWN'],
    [`{${int},"primaryKey":{"partitionBy":["a"],"partitionSort":["b"]}}`, 'REQUEST_STRUCTURE_MISMATCH'],
    ...['0', '2', '1.0', '"asc"', 'true', 'null'].map(
      (direction) =>
        [
          `{${int},"primaryKey":{"partitionBy":["a"],"partitionSort":{"b":${direction}}}}`,
          'REQUEST_STRUCTURE_MISMATCH',
        ] as const,
    ),
    [`{"columns":{"a":"counter"},"primaryKey":"no"}`, 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION'],
    [`{"columns":{"a":{"type":"userDefined","udtName":"u"}},${key}}`, 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION'],
    [`{${int},"primaryKey":{"partitionBy":[],"partitionSort":{"no":1}}}`, 'MISSING_PARTITION_COLUMNS'],
    ['{"columns":{},"primaryKey":{"partitionBy":[]}}', 'MISSING_PARTITION_COLUMNS'],
    [`{${int},"primaryKey":{"partitionBy":["A"],"partitionSort":{"no":1}}}`, 'UNKNOWN_PARTITION_COLUMNS'],
    [
      `{${int},"primaryKey":{"partitionBy":["a","a"],"partitionSort":{"no":1}}}`,
      'UNKNOWN_PARTITION_SORT_COLUMNS',
    ],
    ['{"columns":{"a":"duration"},"primaryKey":{"partitionBy":["a","a"]}}', 'COMMAND_FIELD_VALUE_INVALID'],
    [`{${int},"primaryKey":{"partitionBy":["a"],"partitionSort":{"a":1}}}`, 'COMMAND_FIELD_VALUE_INVALID'],
    [
      '{"columns":{"a":"int","b":"duration"},"primaryKey":{"partitionBy":["a"],"partitionSort":{"b":1}}}',
      'UNSUPPORTED_PRIMARY_KEY_TYPES',
    ],
  ];
  for (const [json, code] of refused) {
    it(`refuses ${json} with ${code}`, () => assert.throws(() => parse(json), { code }));
  }
});

function parse(json: string) {
  return parseTableDefinition('t', objectOf(json), context);
}

function objectOf(json: string): JsonObject {
  const value = parseJson(json, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(value));
  return value;
}

/** Definitions in these tests have no service. */
function noEmbeddingService(): never {
  throw new TypeError('there is no service to check');
}

const context: DefinitionContext = {
  dialect: 'strict',
  checkEmbeddingService: noEmbeddingService,
  keyspace: { name: 'k', userTypes: new Map() },
};
