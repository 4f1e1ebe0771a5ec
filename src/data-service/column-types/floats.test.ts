// Rounding, serialization and order of float and double.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import { ValueMismatch } from './column-type.js';
import { double, float } from './floats.js';
import { vectorOf } from './vector.js';

const number = (text: string): JsonNumber => new JsonNumber(text);

describe('float', () => {
  it('writes the shortest text of the 32-bit number', () => {
    const pairs = {
      '123.456': '123.456',
      '1.345': '1.345',
      '0.1': '0.1',
      '0.100000001': '0.1',
      '3.0': '3.0',
      '16777217': '16777216.0',
      '1e20': '100000000000000000000.0',
      '-2': '-2.0',
      '3.4028235e38': '3.4028235e+38',
      '1e-45': '1e-45',
      '1.1754944e-38': '1.1754944e-38',
      '1.262177448353619e-29': '1.2621775e-29',
      '-0.0': '-0.0',
      '-0': '-0.0',
      '0': '0.0',
      '1e-60': '0.0',
      '0.85490346': '0.85490346',
    };
    for (const [literal, text] of Object.entries(pairs)) {
      assert.equal(float.serialize(float.parse(number(literal))), text, literal);
    }
  });

  it('rounds once, from the literal, not from the double nearest to it', () => {
    assert.equal(float.parse(number('16777217')), 16777216);
    assert.equal(float.parse(number('16777216.99999999999999999999')), 16777216);
    assert.equal(float.parse(number('16777217.00000000000000000001')), 16777218);
    assert.equal(float.parse(number('-16777217.00000000000000000001')), -16777218);
    assert.equal(float.parse(number('16777219')), 16777220);
    assert.equal(float.parse(number('16777218.99999999999999999999')), 16777218);
    assert.equal(float.parse(number('7.0064923216240853546186479164495806564013098e-46')), 2 ** -149);
    assert.equal(float.parse(number('7.0064923216240853546186479164495806564013096e-46')), 0);
  });

  it('ends where rounding would reach infinity', () => {
    const greatest = 2 ** 128 - 2 ** 104;
    assert.equal(float.parse(number('340282356779733661637539395458142568447')), greatest);
    assert.equal(float.parse(number('-340282356779733661637539395458142568447.9999')), -greatest);
    assert.throws(
      () => float.parse(number('340282356779733661637539395458142568448')),
      new ValueMismatch('340282356779733661637539395458142568448 is outside the range of a float'),
    );
  });

  it('stores one pattern for every NaN', () => {
    assert.equal(float.sql.encode(Number.NaN), 0x7fc00000);
    assert.equal(float.sql.encode(-Number.NaN), 0x7fc00000);
    assert.equal(float.sql.encode(-0), -1);
  });
});

describe('double', () => {
  it('writes the shortest text of the 64-bit number', () => {
    const pairs = {
      '0.1': '0.1',
      '1e21': '1e+21',
      '-0': '-0.0',
      '0e5': '0.0',
      '1.50': '1.5',
      '1e-400': '0.0',
      '7': '7.0',
      '1e20': '100000000000000000000.0',
    };
    for (const [literal, text] of Object.entries(pairs)) {
      assert.equal(double.serialize(double.parse(number(literal))), text, literal);
    }
  });

  it('stores one pattern for every NaN, above Infinity', () => {
    assert.equal(double.sql.encode(Number.NaN), 0x7ff8000000000000n);
    assert.equal(double.sql.encode(-Number.NaN), 0x7ff8000000000000n);
    assert.equal(double.sql.encode(Number.POSITIVE_INFINITY), 0x7ff0000000000000n);
    assert.equal(double.sql.encode(0), 0n);
    assert.equal(double.sql.encode(-0), -1n);
    assert.equal(double.sql.encode(Number.NEGATIVE_INFINITY), -0x7ff0000000000001n);
  });
});

for (const type of [float, double]) {
  describe(`${type.name}, beyond the numbers`, () => {
    it('takes and writes the three names as strings', () => {
      for (const name of ['NaN', 'Infinity', '-Infinity']) {
        assert.equal(type.serialize(type.parse(name)), `"${name}"`);
      }
    });

    it('writes them also as elements of vectors, which only other clients of a cluster store', () => {
      const elements = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1);
      assert.equal(vectorOf(4).serialize(elements), '["NaN","Infinity","-Infinity",1.0]');
    });

    it('refuses other strings and kinds with a reason', () => {
      const message = (json: JsonValue): string => {
        try {
          return String(type.parse(json));
        } catch (error) {
          return error instanceof ValueMismatch ? error.message : 'another error';
        }
      };
      assert.equal(
        message('1.5'),
        '"1.5" is not "NaN", "Infinity" or "-Infinity"; write all other numbers without quotes',
      );
      assert.equal(
        message(true),
        'expected a number or one of "NaN", "Infinity", "-Infinity", found a boolean',
      );
      assert.equal(message(number('1e400')), `1e400 is outside the range of a ${type.name}`);
    });

    it('orders -0 below 0 and NaN above all, equal to itself', () => {
      assert.ok(type.compare(-0, 0) < 0);
      assert.ok(type.compare(0, -0) > 0);
      assert.equal(type.compare(-0, -0), 0);
      assert.equal(type.compare(Number.NaN, Number.NaN), 0);
      assert.ok(type.compare(Number.POSITIVE_INFINITY, Number.NaN) < 0);
      assert.ok(type.compare(Number.NaN, Number.NEGATIVE_INFINITY) > 0);
    });
  });
}
