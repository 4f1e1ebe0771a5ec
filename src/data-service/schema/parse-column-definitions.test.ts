// Column definitions: both forms, types that are known but not available, and the order of refusals.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { listOf, mapOf, setOf } from '../column-types/containers.js';
import { columnTypeNamed, columnTypes } from '../column-types/registry.js';
import { ascii, text } from '../column-types/text.js';
import { vectorOf } from '../column-types/vector.js';
import { ApiError } from '../errors/api-error.js';
import { type DefinitionContext, parseColumns, refuseUncreatable } from './parse-column-definitions.js';

const parse = (text: string) =>
  parseColumns(parseJson(text, { maxDepth: 10, maxNumberLength: 100 }), 'at.columns', context);

describe('parseColumns', () => {
  it('reads every scalar type in short and in long form, in the order of the definitions', () => {
    for (const type of columnTypes) {
      const { name } = type;
      assert.deepEqual(parse(`{"2":"${name}","1":{"type":"${name}"}}`), [
        { name: '2', typeName: name, type },
        { name: '1', typeName: name, type },
      ]);
    }
  });

  it('knows other types by name, in long form only', () => {
    const definition = '{"type":"userDefined","udtName":"u"}';
    assert.deepEqual(parse(`{"a":${definition}}`), [{ name: 'a', typeName: 'userDefined', type: undefined }]);
    assert.equal(codeOf('{"a":"userDefined"}'), 'UNKNOWN_PRIMITIVE_DATA_TYPE');
  });

  it('reads vectors of every dimension, as a number or in digits, in long form only', () => {
    for (const dimension of [1, 3, 1536, 8192]) {
      assert.equal(typeOf(`{"type":"vector","dimension":${dimension}}`), vectorOf(dimension));
      assert.equal(
        typeOf(`{"type":"vector","dimension":"${dimension}","service":null}`),
        vectorOf(dimension),
      );
    }
    assert.equal(typeOf('{"type":"vector","dimension":1.5e1}'), vectorOf(15));
    assert.equal(codeOf('{"a":"vector"}'), 'UNKNOWN_PRIMITIVE_DATA_TYPE');
  });

  it('reads lists, sets and maps of every type that new columns can have, in long form only', () => {
    for (const type of columnTypes.filter(({ traits }) => traits.creatable)) {
      const parts = [`"valueType":"${type.name}"`, `"valueType":{"type":"${type.name}"}`];
      for (const part of parts) {
        assert.equal(typeOf(`{"type":"list",${part}}`), listOf(type));
        assert.equal(typeOf(`{"type":"map","keyType":"text",${part}}`), mapOf(text, type));
        assert.equal(typeOf(`{"type":"map","keyType":{"type":"ascii"},${part}}`), mapOf(ascii, type));
        if (type.traits.range) assert.equal(typeOf(`{"type":"set",${part}}`), setOf(type));
        else assert.equal(codeOf(`{"a":{"type":"set",${part}}}`), 'UNSUPPORTED_SET_DEFINITION');
      }
    }
    assert.equal(codeOf('{"a":"map"}'), 'UNKNOWN_PRIMITIVE_DATA_TYPE');
  });

  it('takes any name that is not empty', () => {
    assert.deepEqual(
      parse('{"__proto__":"int"," ":"int","ü-1":"int"}').map(({ name }) => name),
      ['__proto__', ' ', 'ü-1'],
    );
  });

  it('gives nothing for an empty object', () => assert.deepEqual(parse('{}'), []));

  for (const [json, code, fact] of [
    ['null', 'REQUEST_STRUCTURE_MISMATCH', 'at.columns'],
    ['["a"]', 'REQUEST_STRUCTURE_MISMATCH', 'at.columns'],
    ['{"":"int"}', 'COMMAND_FIELD_VALUE_INVALID', 'at.columns'],
    ['{"a":null}', 'REQUEST_STRUCTURE_MISMATCH', 'at.columns.a'],
    ['{"a":{"type":["int"]}}', 'REQUEST_STRUCTURE_MISMATCH', 'at.columns.a.type'],
    ['{"a":{"type":"int","frozen":true}}', 'COMMAND_FIELD_UNKNOWN', 'at.columns.a'],
    ['{"a":{"frozen":true,"type":"x"}}', 'COMMAND_FIELD_UNKNOWN', 'at.columns.a'],
    ['{"a":"INT"}', 'UNKNOWN_PRIMITIVE_DATA_TYPE', '"INT"'],
    ['{"a":{"type":"INT"}}', 'UNKNOWN_DATA_TYPE', '"INT"'],
    ['{"a":{"type":"list"}}', 'UNSUPPORTED_LIST_DEFINITION', '[MISSING]'],
    ['{"a":{"type":"set","valueType":"counter"}}', 'UNSUPPORTED_SET_DEFINITION', 'counter'],
    ['{"a":{"type":"map","keyType":"int","valueType":"int"}}', 'UNSUPPORTED_MAP_DEFINITION', 'key type int'],
    ['{"a":{"type":"list","valueType":5}}', 'REQUEST_STRUCTURE_MISMATCH', 'at.columns.a.valueType'],
    ['{"a":{"type":"vector"}}', 'MISSING_DIMENSION_IN_VECTOR_COLUMN', 'column a'],
    ...['0', '-1', '8193', '2.5', '1e99', '"0"', '"3.0"', '"-3"', '"three"', '""', 'true', '[3]', '{}'].map(
      (dimension) =>
        [
          `{"a":{"type":"vector","dimension":${dimension}}}`,
          'UNSUPPORTED_VECTOR_DIMENSION',
          'column a',
        ] as const,
    ),
    ['{"a":"x","":"int"}', 'UNKNOWN_PRIMITIVE_DATA_TYPE', '"x"'],
  ] as const) {
    it(`refuses ${json} with ${code}`, () => {
      assert.throws(
        () => parse(json),
        (error) => error instanceof ApiError && error.code === code && error.message.includes(fact),
      );
    });
  }
});

describe('refuseUncreatable', () => {
  it('gives the columns when they can all be made', () => {
    const refuse = () => assert.fail('refused');
    assert.deepEqual(refuseUncreatable(parse('{"a":"int","b":{"type":"text"}}'), refuse), [
      { name: 'a', type: columnTypeNamed('int') },
      { name: 'b', type: columnTypeNamed('text') },
    ]);
    assert.deepEqual(refuseUncreatable([], refuse), []);
  });

  it('names those that cannot, with their types, and the types that can', () => {
    const refusal = new Error('refused');
    const seen: (readonly string[])[] = [];
    const refuse = (columns: readonly string[], supported: readonly string[]) => {
      seen.push(columns, supported);
      return refusal;
    };
    const columns = parse('{"a":"counter","b":"int","c":{"type":"userDefined"},"d":"varchar"}');
    assert.throws(
      () => refuseUncreatable(columns, refuse),
      (error) => error === refusal,
    );
    const [refused, supported] = seen;
    assert.deepEqual(refused, ['a(counter)', 'c(userDefined)', 'd(varchar)']);
    assert.equal(supported?.length, 18 + 4);
    assert.deepEqual(supported?.slice(-4), ['list', 'set', 'map', 'vector']);
    assert.ok(!['counter', 'timeuuid', 'varchar', 'userDefined'].some((name) => supported?.includes(name)));
  });
});

function typeOf(definition: string): unknown {
  return parse(`{"a":${definition}}`)[0]?.type;
}

function codeOf(text: string): string | undefined {
  try {
    parse(text);
  } catch (error) {
    return error instanceof ApiError ? error.code : undefined;
  }
  return undefined;
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
