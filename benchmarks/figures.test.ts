// The table says of every figure whether its target is met.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFigures, median } from './figures.js';

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
  });
});

describe('median', () => {
  it('takes the middle value, whatever the order', () => {
    assert.equal(median([9, 1, 5]), 5);
  });
});
