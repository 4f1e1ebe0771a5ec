// Parsing and serialization of the integer types.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber } from '../../foundation/json/json-value.js';
import { ValueMismatch } from './column-type.js';
import { bigint, counter, int, smallint, tinyint, varint } from './integers.js';

const number = (text: string): JsonNumber => new JsonNumber(text);

describe('int, smallint and tinyint', () => {
  it('take every literal of a whole number', () => {
    const pairs = {
      '5': 5,
      '5.00': 5,
      '1.23E+02': 123,
      '1.2e1': 12,
      '120e-1': 12,
      '1e3': 1000,
      '0.0005e4': 5,
    };
    for (const [literal, value] of Object.entries(pairs))
      assert.equal(int.parse(number(literal)), value, literal);
  });

  it('read every zero as 0', () => {
    for (const literal of ['0', '-0', '0.0', '-0.00', '0e999999', '0e-99999999999999999999']) {
      assert.ok(Object.is(int.parse(number(literal)), 0), literal);
    }
  });

  it('say why they refuse', () => {
    const reason = (message: string): ValueMismatch => new ValueMismatch(message);
    assert.throws(() => int.parse(number('1.5')), reason('1.5 is not a whole number'));
    assert.throws(() => int.parse(number('1e-400')), reason('1e-400 is not a whole number'));
    assert.throws(() => tinyint.parse(number('128')), reason('128 is outside the range -128 to 127'));
    assert.throws(
      () => smallint.parse(number('-32769')),
      reason('-32769 is outside the range -32768 to 32767'),
    );
    assert.throws(
      () => int.parse(number('1e999999')),
      reason('1e999999 is outside the range -2147483648 to 2147483647'),
    );
    assert.throws(() => int.parse('5'), reason('expected a number, found a string'));
  });
});

describe('bigint and counter', () => {
  it('keep every digit of 64 bits', () => {
    for (const literal of ['9007199254740993', '-9223372036854775808', '9223372036854775807']) {
      assert.equal(bigint.serialize(bigint.parse(number(literal))), literal);
      assert.equal(counter.serialize(counter.parse(number(literal))), literal);
    }
    assert.equal(bigint.parse(number('922337203685477580.7e1')), 2n ** 63n - 1n);
  });

  it('do not round a fraction away that a double would lose', () => {
    assert.throws(
      () => bigint.parse(number('9007199254740993.5')),
      new ValueMismatch('9007199254740993.5 is not a whole number'),
    );
  });

  it('are read from SQLite as number or bigint', () => {
    assert.equal(bigint.sql.decode(7), 7n);
    assert.equal(bigint.sql.decode(7n), 7n);
  });
});

describe('varint', () => {
  it('writes all digits of what an exponent means', () => {
    assert.equal(varint.serialize(varint.parse(number('-12.5e41'))), `-125${'0'.repeat(40)}`);
    const long = varint.serialize(varint.parse(number('1e120000')));
    assert.equal(long.length, 120_001);
    assert.equal(varint.parse(number(long)), varint.parse(number('1e120000')));
  });

  it('refuses more than 200,000 digits as a limit, not as a bad value', () => {
    assert.equal(varint.serialize(varint.parse(number('1e199999'))).length, 200_000);
    for (const literal of ['1e200000', '-12e199999', '1e99999999999999999999999']) {
      assert.throws(
        () => varint.parse(number(literal)),
        (error) => error instanceof ValueMismatch && error.kind === 'limit',
        literal,
      );
    }
  });

  it('encodes two’s complement in the fewest bytes, as Java does', () => {
    const pairs: readonly (readonly [bigint, string])[] = [
      [0n, '00'],
      [127n, '7f'],
      [128n, '0080'],
      [255n, '00ff'],
      [256n, '0100'],
      [-1n, 'ff'],
      [-128n, '80'],
      [-129n, 'ff7f'],
      [-256n, 'ff00'],
      [-257n, 'feff'],
      [-65536n, 'ff0000'],
    ];
    for (const [value, hex] of pairs) assert.equal(varint.cql.encode(value).toString('hex'), hex);
  });

  it('reads no other form of the driver than its Integer', () => {
    for (const other of [5, 5n]) assert.throws(() => varint.cql.fromDriver(other), TypeError);
  });
});
