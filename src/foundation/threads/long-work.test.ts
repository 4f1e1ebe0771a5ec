// Checks that long work yields to other work of the event loop, and continues one piece at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NotBegun } from '../limits/work-queue.js';
import { LongWork } from './long-work.js';

/** A clock on which each reading takes a millisecond. */
function slowClock() {
  let ms = 0;
  return { nowMs: () => ms, monotonicMs: () => ++ms };
}

describe('long work', () => {
  it('leaves a turn to others after each slice', async () => {
    const work = new LongWork(slowClock(), 10);
    let isDone = false;
    let turnsOfOthers = 0;
    const others = () => {
      turnsOfOthers += 1;
      if (!isDone) setImmediate(others);
    };
    setImmediate(others);
    await work.run(async (slice) => {
      for (let step = 0; step < 1000; step += 1) if (slice.isOver) await slice.next();
    });
    isDone = true;
    assert.ok(turnsOfOthers >= 90, String(turnsOfOthers));
  });

  it('is done one piece at a time, in order, also when one fails', async () => {
    const work = new LongWork(slowClock(), 10);
    const steps: string[] = [];
    const run = (name: string, fails = false) =>
      work.run(async (slice) => {
        steps.push(`${name} begins`);
        await slice.next();
        steps.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([run('a'), run('b', true), run('c')]);
    assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('is refused when as much waits as may', async () => {
    const work = new LongWork(slowClock(), 2);
    const run = () => work.run((slice) => slice.next());
    const runs = [run(), run(), run()];
    await assert.rejects(run(), NotBegun);
    await Promise.all(runs);
    await run();
  });

  it('that is cancelled leaves the queue without being begun', async () => {
    const work = new LongWork(slowClock(), 1);
    const first = work.run((slice) => slice.next());
    let leave = () => {};
    const second = work.run(
      () => assert.fail('it was cancelled'),
      (listener) => {
        const before = leave;
        leave = () => {
          before();
          listener();
        };
      },
    );
    await assert.rejects(
      work.run((slice) => slice.next()),
      NotBegun,
    );
    leave();
    await assert.rejects(second, NotBegun);
    const third = work.run((slice) => slice.next());
    await Promise.all([first, third]);
  });

  it('that is cancelled ends with its slice', async () => {
    const work = new LongWork(slowClock(), 1);
    const listeners: (() => void)[] = [];
    let slices = 0;
    const endless = work.run(
      async (slice) => {
        for (; ; slices += 1) {
          if (slices === 3) for (const listener of listeners) listener();
          assert.ok(slices < 4);
          await slice.next();
        }
      },
      (listener) => void listeners.push(listener),
    );
    await assert.rejects(endless, NotBegun);
    assert.equal(await work.run(async () => 'the next one'), 'the next one');
  });
});
