// The written forms of the numbers of documents.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxNumberLength } from '../column-types/number-literal.js';
import { canonicalNumber, compareNumbers, plainNumber } from './numbers.js';

const digits = '123456789'.repeat(12);

/** Literals of the greatest length, and shorter ones. */
const literals = ['0', '-0.0', '5', '-5', '1.50', '100.0', '1e2', '1e-5', '-1e98', '1e99', '-1e99', '1e100'];
for (const length of [41, 94, 95, 96, 97, 98, 99, 100])
  for (const start of ['', '-', '0.', '-0.', '0.000', '1.', '-12.', '1234.'])
    for (const end of ['', 'e9', 'e-9', 'e99', 'e-99', 'e999', 'e-999', 'E+99'])
      literals.push(start + digits.slice(0, length - start.length - end.length) + end);

describe('numbers of documents', () => {
  it('compare by all of their digits, also where doubles have few or none', () => {
    const ascending = [
      ...['-1e400', '-1.1e308', '-1e308', '-1', '-3e-308', '-2.2e-308', '-2.1e-308', '-5e-324', '-3e-324'],
      ...[
        '-1e-400',
        '0',
        '1e-401',
        '1e-400',
        '3e-324',
        '4e-324',
        '5e-324',
        '1.1e-323',
        '2.1e-308',
        '2.2e-308',
      ],
      ...[
        '2.2250738585e-308',
        '2.2250738586e-308',
        '1',
        '999999999999998',
        '999999999999999',
        '1.7e308',
        '1e309',
      ],
    ];
    for (const [at, left] of ascending.entries())
      for (const [place, right] of ascending.entries())
        assert.equal(Math.sign(compareNumbers(left, right)), Math.sign(at - place), `${left} ${right}`);
  });

  it('have no exponent up to 100 characters', () => {
    assert.equal(plainNumber('1e60'), `1${'0'.repeat(60)}`);
    assert.equal(plainNumber(digits.slice(0, 100)), digits.slice(0, 100));
    assert.equal(plainNumber('1e-60'), `0.${'0'.repeat(59)}1`);
    assert.equal(plainNumber('1e100'), '1E+100');
    assert.equal(plainNumber('-1e99'), '-1E+99');
    assert.equal(plainNumber('12e-100'), '1.2E-99');
  });

  it('are equal to their literal, and not longer than a literal can be', () => {
    for (const literal of literals) {
      const plain = plainNumber(literal);
      assert.equal(compareNumbers(plain, literal), 0, literal);
      assert.ok(plain.length <= maxNumberLength, `${literal} is ${plain}`);
      assert.equal(plainNumber(plain), plain);
      assert.equal(canonicalNumber(plain), canonicalNumber(literal));
    }
  });

  it('keep their form in entries, which earlier versions have stored', () => {
    assert.equal(canonicalNumber('1e39'), `1${'0'.repeat(39)}`);
    assert.equal(canonicalNumber('1e40'), '1E+40');
    assert.equal(canonicalNumber('-1.50'), '-1.5');
    assert.equal(canonicalNumber('1e-39'), `0.${'0'.repeat(38)}1`);
    assert.equal(canonicalNumber('1e-41'), '1E-41');
    assert.equal(canonicalNumber('-0.0'), '0');
  });
});
