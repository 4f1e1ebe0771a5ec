// Checks how comparisons of two builds are written, and which works count as slower.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Comparison, formatComparisons, slowerWorks } from './comparison.js';

const rate = (older: number, newer: number) => ({
  older: { value: older, costUs: 50, p99Ms: 4 },
  newer: { value: newer, costUs: 60, p99Ms: 5 },
});

describe('comparisons of two builds', () => {
  it('are written with the medians of both and the spread of the ratio', () => {
    const comparison: Comparison = {
      name: 'findOne',
      unit: 'req/s',
      isBetter: 'higher',
      rounds: [rate(1000, 900), rate(1000, 800), rate(1000, 1100)],
    };
    assert.equal(
      formatComparisons([comparison]).split('\n').at(-1),
      '| findOne | 1,000 → 900 req/s | 0.90 | 0.80 to 1.10 | 50.00 → 60.00 | 4.00 → 5.00 |',
    );
  });

  it('leave out what was not measured', () => {
    const rounds = [{ older: { value: 200 }, newer: { value: 210 } }];
    const comparison: Comparison = { name: 'start', unit: 'ms', isBetter: 'lower', rounds };
    assert.equal(
      formatComparisons([comparison]).split('\n').at(-1),
      '| start | 200 → 210 ms | 1.05 | 1.05 to 1.05 | – | – |',
    );
  });

  it('name the works that are more than a tenth worse', () => {
    const compared = (name: string, isBetter: Comparison['isBetter'], newer: number): Comparison => ({
      name,
      unit: '',
      isBetter,
      rounds: [{ older: { value: 100 }, newer: { value: newer } }],
    });
    const comparisons = [
      compared('lower rate', 'higher', 89),
      compared('equal rate', 'higher', 91),
      compared('higher rate', 'higher', 150),
      compared('longer start', 'lower', 111),
      compared('shorter start', 'lower', 50),
    ];
    assert.deepEqual(slowerWorks(comparisons), ['lower rate: 0.89', 'longer start: 1.11']);
  });
});
