// Parsing and serialization of durations.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValueMismatch } from './column-type.js';
import { duration } from './durations.js';

describe('duration', () => {
  it('writes ISO 8601, and converts nothing but months to years and nanoseconds to a clock', () => {
    const pairs = {
      '1h30m': 'PT1H30M',
      '2h45m': 'PT2H45M',
      '-8h10m': '-PT8H10M',
      '22h1ms': 'PT22H0.001S',
      '1m37us': 'PT1M0.000037S',
      '15mo10d': 'P1Y3M10D',
      '24mo': 'P2Y',
      '1d24h': 'P1DT24H',
      '0mo5d1h': 'P5DT1H',
      '12mo30d': 'P1Y30D',
      '6mo15d0s123ms456us789ns': 'P6M15DT0.123456789S',
      '500ms': 'PT0.5S',
      '0s': 'PT0S',
      '-0d': 'PT0S',
      P0Y: 'PT0S',
      '3w': 'P21D',
      '14mo25d18367008009010ns': 'P1Y2M25DT5H6M7.00800901S',
      '90m': 'PT1H30M',
      PT36H: 'PT36H',
      'P1Y1M1DT1H1M1.001001001S': 'P1Y1M1DT1H1M1.001001001S',
      '-P1Y2M3DT4H5M6.7S': '-P1Y2M3DT4H5M6.7S',
    };
    for (const [text, written] of Object.entries(pairs)) {
      assert.equal(duration.serialize(duration.parse(text)), `"${written}"`, text);
    }
  });

  it('takes native units in any case and either sign for micro', () => {
    for (const text of ['1us', '1US', '1µs', '1\u00b5S', '1\u03bcs', '1000ns', '1000NS']) {
      assert.deepEqual(duration.parse(text), { months: 0, days: 0, nanoseconds: 1000n }, text);
    }
  });

  it('holds 32-bit months and days and 64-bit nanoseconds', () => {
    assert.deepEqual(duration.parse('-178956970y8mo2147483648d9223372036854775808ns'), {
      months: -(2 ** 31),
      days: -(2 ** 31),
      nanoseconds: -(2n ** 63n),
    });
    const tooLong = (unit: string, bits: number): ValueMismatch =>
      new ValueMismatch(`the ${unit} of the duration do not fit into ${bits} bits`);
    assert.throws(() => duration.parse('178956970y8mo'), tooLong('months', 32));
    assert.throws(() => duration.parse('P2147483648D'), tooLong('days', 32));
    assert.throws(() => duration.parse('9223372036854775808ns'), tooLong('nanoseconds', 64));
    assert.throws(() => duration.parse(`${'9'.repeat(50_000)}h`), tooLong('nanoseconds', 64));
  });

  it('takes the driver’s members, whose text rounds months up to years', () => {
    const value = duration.cql.fromDriver({ months: 23, days: 0, nanoseconds: 5n });
    assert.equal(duration.serialize(value), '"P1Y11MT0.000000005S"');
  });
});
