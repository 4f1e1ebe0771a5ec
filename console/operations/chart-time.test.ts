// The time of a chart survives the way through the address.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hrefOf, parsePlace } from '../state/url-state.js';
import { chartTimeOf, pastProblem, pastQuery, rangeQuery } from './chart-time.js';
import { storedStepMinutes } from './metric-lines.js';

const timeOf = (change: Parameters<typeof hrefOf>[1]) => chartTimeOf(parsePlace(hrefOf([], change)).query);

describe('the time of a chart', () => {
  it('is the last hour where the address names none', () => {
    const { range, past } = timeOf({});
    assert.deepEqual([range.id, past], ['1h', undefined]);
    assert.equal(timeOf({ range: '7d' }).range.id, '7d');
  });

  it('is not read from a year that is typed in part', () => {
    for (const year of ['0002', '0020', '0202', '1969'])
      assert.match(pastProblem(`${year}-01-31T08:30`, '2026-01-31T09:30') ?? '', /completely/);
    assert.match(pastProblem('', '2026-01-31T09:30') ?? '', /completely/);
    assert.match(pastProblem('2026-01-31T10:30', '2026-01-31T09:30') ?? '', /before/);
    assert.equal(pastProblem('2026-01-31T08:30', '2026-01-31T09:30'), undefined);
  });

  it('is a part of the past that was marked, at least two minutes', () => {
    assert.deepEqual(timeOf(pastQuery(1000.6, 5000.2)).past, { fromS: 1000, toS: 5001 });
    assert.deepEqual(timeOf(pastQuery(1000, 1010)).past, { fromS: 945, toS: 1065 });
    assert.equal(timeOf({ ...pastQuery(1000, 5000), ...rangeQuery('6h') }).past, undefined);
  });

  it('is not taken from what has no time', () => {
    for (const [from, to] of [
      ['x', '5'],
      ['5000', '1000'],
      ['1', '2'],
      ['', '1000'],
      ['-1', '1000'],
      ['1e3', '1e9'],
    ] as const)
      assert.equal(timeOf({ from, to }).past, undefined, `${from} ${to}`);
  });

  it('has points as close as they are stored', () => {
    const day = 86_400;
    const now = 1000 * day;
    const step = (ageDays: number, lengthDays: number) =>
      storedStepMinutes(now - ageDays * day, now - (ageDays - lengthDays) * day, now);
    assert.deepEqual(
      [step(1, 0.1), step(1, 1), step(3, 0.1), step(20, 0.1), step(200, 1)],
      [1, 5, 5, 120, 1440],
    );
  });
});
