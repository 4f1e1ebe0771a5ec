// Checks that equal numbers get one text, which the data service accepts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalNumber, earlierFloatForm, exactForm, floatForm } from './canonical-number.js';

describe('canonicalNumber', () => {
  it('gives every form of a number the same text', () => {
    const forms: readonly (readonly [canonical: string, forms: readonly string[]])[] = [
      ['5', ['5', '5.0', '5e0', '0.5E+1', '50e-1', '5.000']],
      ['-1200', ['-1200', '-1.2e3', '-12e2', '-1200.00']],
      ['0.012', ['0.012', '1.2e-2', '0.0120', '12E-3']],
      ['1.1', ['1.10', '11e-1', '1.1']],
      ['9007199254740993', ['9007199254740993', '9007199254740993.0']],
      ['0.10000000000000000000000001', ['0.10000000000000000000000001', '10000000000000000000000001e-26']],
    ];
    for (const [canonical, texts] of forms)
      for (const text of texts) assert.equal(canonicalNumber(text, exactForm), canonical, text);
  });

  it('gives every form of a float the same text, which has a point or an exponent', () => {
    const forms: readonly (readonly [canonical: string, forms: readonly string[]])[] = [
      ['5.0', ['5.0', '5', '5e0', '0.5E+1', '50e-1', '5.000']],
      ['-1200.0', ['-1200', '-1.2e3', '-12e2', '-1200.0']],
      ['0.012', ['0.012', '1.2e-2', '0.0120']],
      ['10.25', ['10.25', '10.250', '1025e-2']],
      ['0.0', ['0', '0.0', '0e-7', '0.00']],
      ['-0.0', ['-0', '-0.0', '-0e5', '-0.000']],
      ['1000000000000000000000.0', ['1e21', '1E+21', '1000000000000000000000']],
      [`1${'0'.repeat(97)}.0`, ['1e97', '10e96']],
      ['1e98', ['1e98', '10e97', `1${'0'.repeat(98)}`]],
      [`-1${'0'.repeat(96)}.0`, ['-1e96']],
      ['-1e97', ['-1e97', '-0.1e98']],
    ];
    for (const [canonical, texts] of forms) {
      assert.ok(canonical.length <= 100 && /[.e]/.test(canonical));
      for (const text of [canonical, ...texts])
        assert.equal(canonicalNumber(text, floatForm), canonical, text);
    }
  });

  it('distinguishes -0 where the type does', () => {
    for (const zero of ['-0', '-0.0', '-0e5', '-0.000']) {
      assert.equal(canonicalNumber(zero, earlierFloatForm), '-0.0');
      assert.equal(canonicalNumber(zero, exactForm), '0');
    }
    for (const zero of ['0', '0.0', '0e-7']) assert.equal(canonicalNumber(zero, earlierFloatForm), '0');
  });

  it('writes at most 100 characters for every literal of 100 characters', () => {
    const digits = '1234567891'.repeat(10);
    const literals = [
      digits,
      `-${digits.slice(1)}`,
      `-1.${digits.slice(0, 94)}e-9`,
      `12.${digits.slice(0, 93)}e99`,
      `0.${digits.slice(0, 94)}e-9`,
      `${digits.slice(0, 93)}e199999`,
      `1e199999`,
      `-1e-199998`,
      `0.${'0'.repeat(97)}1`,
    ];
    for (const literal of literals) {
      assert.ok(literal.length <= 100, literal);
      const plain = writtenOut(literal);
      const text = canonicalNumber(plain, exactForm);
      assert.ok(text.length <= 100, `${literal} becomes ${text}`);
      assert.equal(text, canonicalNumber(literal, exactForm));
      assert.equal(writtenOut(text), plain);
    }
  });
});

/** Without an exponent, as replies show decimals. */
function writtenOut(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e(-?\d+))?$/.exec(literal) ?? [];
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  const left = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const right = point < 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  let end = right.length;
  while (end > 0 && right[end - 1] === '0') end -= 1;
  const fractionText = end === 0 ? '' : `.${right.slice(0, end)}`;
  return `${sign}${left.replace(/^0+(?=\d)/, '')}${fractionText}`;
}
