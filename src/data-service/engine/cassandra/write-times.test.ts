// Checks that times of writes never fall and never repeat, whatever the clocks do.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../foundation/telemetry/clock.js';
import { sharedWriteTime, WriteTimes } from './write-times.js';

/** Clocks that are set by hand, in milliseconds. */
function clocks(nowMs: number, monotonicMs: number) {
  const at = { nowMs, monotonicMs };
  return { at, clock: { nowMs: () => at.nowMs, monotonicMs: () => at.monotonicMs } };
}

describe('WriteTimes', () => {
  it('gives microseconds within a millisecond', () => {
    const { at, clock } = clocks(5_000, 70.25);
    const times = new WriteTimes(clock, sharedWriteTime());
    assert.equal(times.next(), 5_000_000);
    at.monotonicMs += 0.5;
    assert.equal(times.next(), 5_000_500);
    at.monotonicMs += 0.625;
    at.nowMs += 1;
    assert.equal(times.next(), 5_001_125);
  });

  it('gives later times to later writes of another process of the machine', () => {
    let readings = 0;
    const startMs = 5_000.15;
    const presentMs = () => {
      readings += 1;
      return startMs + readings * 0.000_25;
    };
    const clock = { nowMs: () => Math.floor(presentMs()), monotonicMs: () => presentMs() - 4_000 };
    const until = (fraction: number) => {
      while (presentMs() % 1 < fraction || presentMs() % 1 > fraction + 0.01);
    };
    const [first, second] = [
      new WriteTimes(clock, sharedWriteTime()),
      new WriteTimes(clock, sharedWriteTime()),
    ];
    first.next();
    until(0.2);
    const earlier = first.next();
    until(0.95);
    assert.ok(second.next() > earlier);
    until(0.1);
    const later = second.next();
    until(0.3);
    assert.ok(first.next() > later);
  });

  it('keeps the microseconds where the clocks leave each other slowly', () => {
    const { at, clock } = clocks(5_000, 70);
    const times = new WriteTimes(clock, sharedWriteTime());
    assert.equal(times.next(), 5_000_000);
    at.monotonicMs += 1.01;
    assert.equal(times.next(), 5_000_999);
    at.nowMs += 1;
    assert.equal(times.next(), 5_001_000);
    at.monotonicMs += 0.5;
    assert.equal(times.next(), 5_001_500);
  });

  it('follows a clock that is set forward, and continues from the last time where it is set back', () => {
    const { at, clock } = clocks(5_000, 0);
    const times = new WriteTimes(clock, sharedWriteTime());
    assert.equal(times.next(), 5_000_000);
    at.nowMs = 9_000;
    assert.equal(times.next(), 9_000_000);
    at.nowMs = 2_000;
    assert.deepEqual([times.next(), times.next()], [9_000_001, 9_000_002]);
    at.nowMs = 9_001;
    assert.equal(times.next(), 9_001_000);
  });

  it('gives no time twice in all threads with the same memory', async () => {
    const shared = sharedWriteTime();
    const url = new URL('./write-times.js', import.meta.url).href;
    const clockUrl = new URL('../../../foundation/telemetry/clock.js', import.meta.url).href;
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      Promise.all([import('${url}'), import('${clockUrl}')]).then(([{ WriteTimes }, { systemClock }]) => {
        const times = new WriteTimes(systemClock, workerData);
        parentPort.postMessage(Array.from({ length: 20_000 }, () => times.next()));
      });`;
    const inThreads = [1, 2].map(
      () =>
        new Promise<readonly number[]>((resolve, reject) => {
          const worker = new Worker(code, { eval: true, workerData: shared });
          worker.once('message', resolve).once('error', reject);
        }),
    );
    const times = new WriteTimes(systemClock, shared);
    const own = Array.from({ length: 20_000 }, () => times.next());
    const all = [own, ...(await Promise.all(inThreads))];
    for (const list of all) assert.ok(list.every((time, at) => at === 0 || time > (list[at - 1] ?? 0)));
    assert.equal(new Set(all.flat()).size, 60_000);
  });
});
