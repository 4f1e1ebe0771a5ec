// Calls that may hang are given up after a bounded time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BoundedCalls, NoAnswer } from './bounded-calls.js';

/** Work that ends when it is released. */
function hangingWork() {
  let release = () => {};
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async () => {
    begun();
    await released;
    return 'done';
  };
  return { work, hasBegun, release };
}

const longMs = 60_000;

describe('bounded calls', () => {
  it('give the result or the error of the work', async () => {
    const calls = new BoundedCalls(2, longMs);
    assert.equal(await calls.run(async () => 1), 1);
    await assert.rejects(
      calls.run(async () => {
        throw new RangeError('full');
      }),
      RangeError,
    );
    assert.equal(calls.hangs, false);
  });

  it('give up what takes too long, and know when it has ended', async () => {
    const calls = new BoundedCalls(2, 10);
    const hanging = hangingWork();
    let changes = 0;
    const run = calls.run(async (wanted) => {
      await hanging.work();
      wanted.expectWanted();
      changes += 1;
    });
    await assert.rejects(run, NoAnswer);
    assert.equal(calls.hangs, true);
    hanging.release();
    await calls.run(async () => {});
    await calls.run(async () => {});
    assert.equal(calls.hangs, false);
    assert.equal(changes, 0);
  });

  it('run two at a time, and skip those that nobody waits for', async () => {
    const calls = new BoundedCalls(2, longMs);
    const [first, second, third] = [hangingWork(), hangingWork(), hangingWork()];
    const running = [calls.run(first.work), calls.run(second.work)];
    await Promise.all([first.hasBegun, second.hasBegun]);
    const stopping = new AbortController();
    let begun = 0;
    const skipped = calls.run(async () => {
      begun += 1;
    }, stopping.signal);
    const waiting = calls.run(third.work);
    stopping.abort();
    await assert.rejects(skipped, NoAnswer);
    assert.equal(calls.waitingCount, 1, 'what was given up is not kept behind work that hangs');
    first.release();
    await third.hasBegun;
    assert.equal(begun, 0);
    for (const { release } of [second, third]) release();
    assert.deepEqual(await Promise.all([...running, waiting]), ['done', 'done', 'done']);
  });
});
