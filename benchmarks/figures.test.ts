// The table says of every figure whether its target is met.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFigures, isMet, median, medianPair } from './figures.js';

describe('formatFigures', () => {
  it('compares the ratio where there is a reference, and the value where there is none', () => {
    const table = formatFigures([
      { name: 'a', value: 30_000, unit: 'req/s', reference: 50_000, target: { kind: 'atLeast', limit: 0.6 } },
      { name: 'b', value: 9, unit: 'ms', reference: 3, target: { kind: 'atMost', limit: 2.5 } },
      { name: 'c', value: 57, unit: 'MB', target: { kind: 'atMost', limit: 100 } },
    ]);
    assert.deepEqual(table.split('\n').slice(2), [
      '| a | 30,000 req/s | 50,000 req/s | 0.60 | ≥ 0.6 | yes |',
      '| b | 9.00 ms | 3.00 ms | 3.00 | ≤ 2.5 | **no** |',
      '| c | 57.00 MB |  |  | ≤ 100 | yes |',
    ]);
  });

  it('calls a target missed when nothing could be measured', () => {
    const figure = {
      name: 'a',
      value: Number.NaN,
      unit: 'MB',
      target: { kind: 'atMost', limit: 1 },
    } as const;
    assert.match(formatFigures([figure]), /\*\*no\*\*/);
    assert.equal(isMet(figure), false);
  });
});

describe('median', () => {
  it('takes the middle value, whatever the order', () => {
    assert.equal(median([9, 1, 5]), 5);
  });
});

describe('medianPair', () => {
  it('takes the pair with the middle ratio, not the middle values', () => {
    const pairs = [
      { reference: 10, value: 9 },
      { reference: 100, value: 50 },
      { reference: 40, value: 28 },
    ];
    assert.deepEqual(medianPair(pairs), { reference: 40, value: 28 });
  });

  it('is not a number when nothing was measured', () => {
    assert.deepEqual(medianPair([]), { reference: Number.NaN, value: Number.NaN });
  });
});
