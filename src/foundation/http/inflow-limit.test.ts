// All large bodies together are read at a bounded rate.
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { InflowLimit } from './inflow-limit.js';

const mib = 1024 * 1024;

describe('the limit of what large bodies bring in', () => {
  it('pauses those that come when a window is full, until the next one', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const limit = new InflowLimit();
      const steps: string[] = [];
      const inflow = (name: string) => ({
        pause: () => void steps.push(`pause ${name}`),
        resume: () => void steps.push(`resume ${name}`),
      });
      const [first, second] = [inflow('first'), inflow('second')];
      limit.count(first, mib);
      assert.deepEqual(steps, []);
      limit.count(second, mib);
      limit.count(second, mib);
      limit.count(first, 1);
      assert.deepEqual(steps, ['pause second', 'pause first']);
      mock.timers.tick(10);
      assert.deepEqual(steps, ['pause second', 'pause first', 'resume second', 'resume first']);
      limit.count(first, mib);
      assert.equal(steps.length, 4, 'the next window is empty');
    } finally {
      mock.timers.reset();
    }
  });
});
