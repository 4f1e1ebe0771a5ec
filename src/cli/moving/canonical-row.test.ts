// Checks that rows which differ only in how a server writes them have one text.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { canonicalRows, UnknownColumn } from './canonical-row.js';
import { newestFormat, type RowFormat } from './row-format.js';

const limits = { maxDepth: 100, maxNumberLength: Number.POSITIVE_INFINITY };

function objectOf(text: string): JsonObject {
  const value = parseJson(text, limits);
  assert.ok(isJsonObject(value));
  return value;
}

function written(row: string, columns: string, format: RowFormat = newestFormat): string {
  return canonicalRows(objectOf(columns), format)(objectOf(row));
}

const columns = `{"id":{"type":"int"},"7":{"type":"text"},"d":{"type":"decimal"},"f":{"type":"float"},
  "b":{"type":"blob"},"v":{"type":"vector","dimension":2},"l":{"type":"list","valueType":"double"},
  "s":{"type":"set","valueType":"decimal"},"m":{"type":"map","keyType":"text","valueType":"float"},
  "p":{"type":"map","keyType":"int","valueType":{"type":"text"}},
  "q":{"type":"map","keyType":"double","valueType":"float"},"t":{"type":"set","valueType":"float"}}`;

describe('canonicalRows', () => {
  it('orders members, sets and maps, and writes numbers in one form', () => {
    const one = written(
      `{"id":1,"7":"a\\u20ac","d":1.50,"f":-0.0,"b":{"$binary":"AA=="},"v":[-0.0,1e-45],"l":[3,-0.0,3e+2],
        "s":[10,9.5,-1],"m":{"b":1,"a":-0.0},"p":[[2,"x"],[1,"y"]],
        "q":[[2,1]],"t":[2,1]}`,
      columns,
    );
    const other = written(
      `{"t":[1.0,2],"q":[[2.0,1.0]],
        "p":[[1.0,"y"],[2,"x"]],"m":{"a":-0,"b":1.0},"s":[-1,10.0,95e-1],"l":[3.0,-0,300],"v":[-0,1E-45],
        "b":{"$binary":"AA=="},"f":-0e1,"d":15e-1,"7":"a€","id":1.0}`,
      columns,
    );
    assert.equal(one, other);
    assert.equal(
      one,
      `{"7":"a€","b":{"$binary":"AA=="},"d":1.5,"f":-0.0,"id":1,"l":[3.0,-0.0,300.0],` +
        `"m":{"a":-0.0,"b":1.0},"p":[[1,"y"],[2,"x"]],"q":[[2.0,1.0]],"s":[-1,10,9.5],"t":[1.0,2.0],` +
        `"v":[-0.0,0.${'0'.repeat(44)}1]}`,
    );
  });

  it('writes whole floats without a point in the format 1', () => {
    const scalars = '"id":1,"d":1.0,"f":2.0';
    const members = '"l":[3.0,-0.0],"m":{"a":1.0},"q":[[2.0,1.0]],"t":[1.0,0.5],"v":[1.0,0.0]';
    assert.equal(
      written(`{${scalars},${members}}`, columns, 1),
      '{"d":1,"f":2,"id":1,"l":[3,-0.0],"m":{"a":1},"q":[[2,1]],"t":[0.5,1],"v":[1,0]}',
    );
  });

  it('keeps what differs: lists in another order, -0 of a float, one more digit', () => {
    const differing = [
      ['{"l":[1,2]}', '{"l":[2,1]}'],
      ['{"f":0}', '{"f":-0.0}'],
      ['{"v":[0,0]}', '{"v":[-0.0,0]}'],
      ['{"d":0.10000000000000000000000001}', '{"d":0.1}'],
      ['{"7":"é"}', '{"7":"e\\u0301"}'],
      ['{"f":"NaN"}', '{"f":0}'],
    ] as const;
    for (const [left, right] of differing) assert.notEqual(written(left, columns), written(right, columns));
  });

  it('ignores -0 of a decimal, and values that are the same as none', () => {
    assert.equal(written('{"d":-0.0}', columns), '{"d":0}');
    assert.equal(written('{"id":1,"7":null,"l":[],"s":[],"m":{}}', columns), '{"id":1}');
    assert.equal(written('{"id":1,"7":""}', columns), '{"7":"","id":1}');
  });

  it('stays in one line', () => {
    assert.equal(written('{"7":"a\\nb\\u0000\\""}', columns), '{"7":"a\\nb\\u0000\\""}');
  });

  it('refuses a column that the definition does not have', () => {
    assert.throws(
      () => written('{"id":1,"late":2}', columns),
      (error) => error instanceof UnknownColumn && /"late"/.test(error.message),
    );
  });
});
