// The JSON writer: like the platform's, and numbers that keep their text.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber } from './json-value.js';
import { decimalNumber, writeJson } from './write-json.js';

describe('writeJson', () => {
  it('writes data as JSON.stringify does', () => {
    const samples = [
      null,
      true,
      'a"\u2028\n',
      1.5,
      -0,
      Number.NaN,
      [],
      [1, [undefined, null], { a: undefined, b: { c: [] } }],
      { when: new Date(0), '': 1, 'a"b': 2 },
    ];
    for (const sample of samples) assert.equal(writeJson(sample), JSON.stringify(sample));
  });

  it('writes a JsonNumber as its text wherever it stands', () => {
    assert.equal(
      writeJson({ a: [new JsonNumber('60.0')], b: new JsonNumber('1e3') }),
      '{"a":[60.0],"b":1e3}',
    );
  });
});

describe('decimalNumber', () => {
  it('always has a fraction or an exponent', () => {
    const texts = [60, 0, -2, 0.5, 1e21, 1e-7].map((value) => decimalNumber(value).text);
    assert.deepEqual(texts, ['60.0', '0.0', '-2.0', '0.5', '1e+21', '1e-7']);
  });
});
