// What the command line of a run of histories can say, and which errors end a run without a failure.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAbort, runLimits } from './run-limits.js';

const usual = { hours: '4', seed: '7' };

describe('the limits of a run', () => {
  it('are numbers', () => {
    const timeMs = 4 * 3_600_000;
    assert.deepEqual(runLimits(usual), { timeMs, rounds: Number.POSITIVE_INFINITY, seed: 7 });
    assert.deepEqual(runLimits({ hours: '0.5', rounds: '2', seed: '0' }), {
      ...{ timeMs: 1_800_000, rounds: 2, seed: 0 },
    });
  });

  it('are refused where a run would end at once', () => {
    for (const hours of ['four', '', '0', '-1', '597', 'Infinity'])
      assert.throws(() => runLimits({ ...usual, hours }), /--hours is /, hours);
    for (const rounds of ['two', '', '0', '1.5', '-1'])
      assert.throws(() => runLimits({ ...usual, rounds }), /--rounds is /, rounds);
    assert.throws(() => runLimits({ ...usual, seed: 'x' }), /--seed is /);
  });
});

describe('the end of a run', () => {
  it('is the error of the abort, and no other error', async () => {
    const ending = new AbortController();
    const { signal } = ending;
    assert.equal(isAbort(signal.reason, signal), false);
    const sleeping = sleep(60_000, undefined, { signal }).catch((error: unknown) => error);
    ending.abort();
    assert.equal(isAbort(await sleeping, signal), true);
    assert.equal(isAbort(signal.reason, signal), true);
    assert.equal(isAbort(new Error('a node does not start'), signal), false);
    assert.equal(isAbort(undefined, signal), false);
  });
});
