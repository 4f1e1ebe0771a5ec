// Derives the turns of an event loop from the times that its thread worked.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from './clock.js';
import { openThreadTime } from './thread-time.js';
import { TurnWatch } from './turn-watch.js';

function startWatch() {
  const now = { threadMs: 5000, monotonicMs: 9000 };
  const clock = { nowMs: () => 0, monotonicMs: () => now.monotonicMs };
  const watch = new TurnWatch(() => now.threadMs, clock);
  const pass = (workedMs: number, elapsedMs = workedMs) => {
    now.threadMs += workedMs;
    now.monotonicMs += elapsedMs;
    watch.sample();
    return watch.figures();
  };
  return { watch, pass };
}

describe('the watch over turns', () => {
  it('counts what takes more than 100 ms of the thread, also where the thread waited for a processor', () => {
    const { watch, pass } = startWatch();
    assert.deepEqual(watch.figures(), { longTurns: 0, longestMs: 0 });
    assert.deepEqual(pass(3, 20), { longTurns: 0, longestMs: 3 });
    assert.deepEqual(pass(100), { longTurns: 0, longestMs: 100 });
    assert.deepEqual(pass(90, 500), { longTurns: 0, longestMs: 100 });
    assert.deepEqual(pass(101), { longTurns: 1, longestMs: 101 });
    assert.deepEqual(pass(20), { longTurns: 1, longestMs: 101 });
    assert.deepEqual(pass(102), { longTurns: 2, longestMs: 102 });
  });

  it('forgets the longest one after half a minute to a minute', () => {
    const { watch, pass } = startWatch();
    pass(70);
    pass(1, 29_000);
    assert.equal(pass(40, 1000).longestMs, 70);
    assert.equal(pass(1, 29_000).longestMs, 70);
    assert.equal(pass(2, 1000).longestMs, 40);
    assert.equal(pass(1, 60_000).longestMs, 1);
    assert.equal(watch.figures().longestMs, 1);
  });
});

describe('the time of a thread', () => {
  it('rises while the thread works', () => {
    const threadTimeMs = openThreadTime();
    const firstMs = threadTimeMs();
    const startMs = systemClock.monotonicMs();
    // Until the system has counted a tick for it.
    while (threadTimeMs() <= firstMs && systemClock.monotonicMs() - startMs < 10_000) {}
    assert.ok(threadTimeMs() > firstMs);
  });
});
