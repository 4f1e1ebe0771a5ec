// Where charts begin.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fittedStart } from './metric-lines.js';

const hourS = 3600;
const line = (...times: readonly number[]) => ({
  name: 'n',
  points: times.map((atS) => [atS, 1] as const),
});

describe('the beginning of a chart', () => {
  it('is that of the range where values fill it, also behind a short gap', () => {
    assert.equal(fittedStart([line(0, 60)], 0, hourS), 0);
    assert.equal(fittedStart([line(300)], 0, hourS), 0);
  });

  it('is just before the first value of any line where there are no older ones', () => {
    assert.equal(fittedStart([line(2500), line(2000)], 0, hourS), 1940);
  });

  it('leaves at least ten minutes, also without values', () => {
    assert.equal(fittedStart([line(3500)], 0, hourS), 3000);
    assert.equal(fittedStart([], 0, hourS), 3000);
    assert.equal(fittedStart([line()], 0, hourS), 3000);
  });
});
