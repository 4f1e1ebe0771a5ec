// The texts of floats, over thousands of them: each the shortest that reads back as the same 32-bit number.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { float } from '../../src/data-service/column-types/floats.js';
import { seededRandom } from '../seeded-random.js';

describe('the shortest text of a float', () => {
  const random = seededRandom(20_241_121);
  const bits = new Uint32Array(1);
  const seenAsFloat = new Float32Array(bits.buffer);
  const floats = Array.from({ length: 20_000 }, (_, at) => {
    bits[0] = random.below(2 ** 32);
    // Half of them as elements of vectors are.
    return at % 2 === 0
      ? (seenAsFloat[0] ?? 0)
      : Math.fround((random.below(2 ** 30) / 2 ** 30 - 0.5) * 10 ** ((at % 11) - 4));
  }).filter((value) => Number.isFinite(value) && value !== 0);

  it('reads back as the same float, and no text of fewer digits does', () => {
    for (const value of floats) {
      const text = float.serialize(value);
      assert.equal(Math.fround(Number(text)), value, text);
      const digits = text
        .replace(/e.*/, '')
        .replaceAll(/[-.]/g, '')
        .replace(/^0+/, '')
        .replace(/0+$/, '').length;
      if (digits > 1) assert.notEqual(Math.fround(Number(value.toPrecision(digits - 1))), value, text);
    }
  });
});
