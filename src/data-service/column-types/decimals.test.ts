// Parsing and serialization of the digits of decimals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber } from '../../foundation/json/json-value.js';
import { ValueMismatch } from './column-type.js';
import { decimal } from './decimals.js';

const rewritten = (text: string): string => decimal.serialize(decimal.parse(new JsonNumber(text)));

describe('decimal', () => {
  it('writes plain digits, all of them, without zeros at the end of the fraction', () => {
    const pairs = {
      '23': '23',
      '23.0': '23',
      '1.10': '1.1',
      '-0': '0',
      '-0.00e5': '0',
      '0e999999': '0',
      '1e5': '100000',
      '-1.5E+3': '-1500',
      '12e-1': '1.2',
      '12e-2': '0.12',
      '12e-3': '0.012',
      '-1e-10': '-0.0000000001',
      '0.000100': '0.0001',
      '12.3456789012345678901234567890123456789': '12.3456789012345678901234567890123456789',
      '1.2321321321312312321312312321e+28': '12321321321312312321312312321',
    };
    for (const [literal, text] of Object.entries(pairs)) assert.equal(rewritten(literal), text, literal);
  });

  it('knows equal numbers as one value', () => {
    assert.deepEqual(decimal.parse(new JsonNumber('100.00')), decimal.parse(new JsonNumber('1e2')));
    assert.deepEqual(decimal.parse(new JsonNumber('1.50')), { unscaled: 15n, scale: 1 });
    assert.deepEqual(decimal.parse(new JsonNumber('-1500')), { unscaled: -15n, scale: -2 });
  });

  it('refuses what would need more than 200,000 digits, as a limit', () => {
    assert.equal(rewritten('1e199999').length, 200_000);
    assert.equal(rewritten('1e-199999').length, 200_001); // and the point
    for (const literal of [
      '1e200000',
      '1e-200000',
      '-1.5e-199999',
      '1e-99999999999999999999',
      '1e99999999999999',
    ]) {
      assert.throws(
        () => decimal.parse(new JsonNumber(literal)),
        (error) => error instanceof ValueMismatch && error.kind === 'limit',
        literal,
      );
    }
    assert.throws(() => decimal.serialize({ unscaled: 1n, scale: -2_147_483_648 }), ValueMismatch);
  });

  it('takes the driver’s unscaled value and scale, and normalises them', () => {
    const fromDriver = (word: number, sign: number, scale: number): unknown =>
      decimal.cql.fromDriver({ _intVal: { bits_: [word], sign_: sign }, _scale: scale });
    assert.deepEqual(fromDriver(15000, 0, 3), { unscaled: 15n, scale: 0 });
    assert.deepEqual(fromDriver(-15, -1, -3), { unscaled: -15n, scale: -3 });
    assert.deepEqual(fromDriver(0, 0, 12), { unscaled: 0n, scale: 0 });
  });

  it('encodes scale and unscaled value as Cassandra does', () => {
    assert.equal(decimal.cql.encode({ unscaled: -129n, scale: 2 }).toString('hex'), '00000002ff7f');
    assert.equal(decimal.cql.encode({ unscaled: 1n, scale: -5 }).toString('hex'), 'fffffffb01');
  });
});
