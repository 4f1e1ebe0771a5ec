// A costly result is computed once for all simultaneous callers, and started after their calls.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedResult } from './shared-result.js';

describe('a shared result', () => {
  it('is made once for all who ask before it is begun', async () => {
    let made = 0;
    let nowMs = 0;
    const shared = new SharedResult(
      async () => {
        made += 1;
        return made;
      },
      1,
      { nowMs: () => 0, monotonicMs: () => nowMs },
    );
    assert.deepEqual(await Promise.all([shared.get(), shared.get(), shared.get()]), [1, 1, 1]);
    nowMs = 1;
    assert.equal(await shared.get(), 2);
    const late = Promise.all([shared.get(), shared.get()]); // too early for another one: they wait for it together
    assert.deepEqual(await late, [3, 3]);
  });

  it('is made again after a failure', async () => {
    let made = 0;
    const shared = new SharedResult(
      async () => {
        made += 1;
        if (made === 1) throw new Error('failed');
        return made;
      },
      0,
      { nowMs: () => 0, monotonicMs: () => 0 },
    );
    await assert.rejects(shared.get(), /failed/);
    assert.equal(await shared.get(), 2);
  });
});
