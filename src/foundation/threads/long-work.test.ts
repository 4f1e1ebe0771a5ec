// Checks that long work yields to other work of the event loop, and continues one piece at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotBegun } from '../limits/work-queue.js';
import { LongWork } from './long-work.js';

/** A clock on which each reading takes a millisecond. */
function slowClock() {
  let ms = 0;
  return { nowMs: () => ms, monotonicMs: () => ++ms };
}

/** Work of some steps; `note` is called in each of them. */
function* counting(count: number, note: (step: number) => void = () => {}): Generator<void, number> {
  for (let step = 0; step < count; step += 1) {
    note(step);
    yield;
  }
  return count;
}

/** A client that can leave. */
function makeClient() {
  const listeners: (() => void)[] = [];
  return {
    whenGone: (listener: () => void) => void listeners.push(listener),
    leave: () => {
      for (const listener of listeners) listener();
    },
  };
}

describe('long work', () => {
  it('leaves a turn to others after each portion', async () => {
    const work = new LongWork(slowClock(), 10);
    let isDone = false;
    let turnsOfOthers = 0;
    const others = () => {
      turnsOfOthers += 1;
      if (!isDone) setImmediate(others);
    };
    setImmediate(others);
    assert.equal(await work.run(counting(1000)), 1000);
    isDone = true;
    assert.ok(turnsOfOthers >= 90, String(turnsOfOthers));
  });

  it('leaves turns to others however many pieces there are', async () => {
    const work = new LongWork(slowClock(), 1000);
    let steps = 0;
    const runs = Array.from({ length: 100 }, () => work.run(counting(3, () => void steps++)));
    assert.equal(steps, 0);
    for (let before = steps; steps < 300; before = steps) {
      await nextTurn();
      assert.ok(steps - before <= 10, `${steps - before} steps in one turn`);
    }
    await Promise.all(runs);
  });

  it('is done one piece at a time, in order, also when one fails', async () => {
    const work = new LongWork(slowClock(), 10);
    const steps: string[] = [];
    const run = (name: string, fails = false) =>
      work.run(
        (function* () {
          steps.push(`${name} begins`);
          yield;
          steps.push(`${name} ends`);
          if (fails) throw new Error(name);
          return name;
        })(),
      );
    const results = await Promise.allSettled([run('a'), run('b', true), run('c')]);
    assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('is done when a step adds it', async () => {
    const work = new LongWork(slowClock(), 10);
    let inner: Promise<number> | undefined;
    await work.run(
      counting(1, () => {
        inner = work.run(counting(2));
      }),
    );
    assert.equal(await inner, 2);
  });

  it('is refused when as much waits as may', async () => {
    const work = new LongWork(slowClock(), 2);
    const run = () => work.run(counting(20));
    const runs = [run(), run(), run()];
    await assert.rejects(run(), NotBegun);
    await Promise.all(runs);
    await run();
  });

  it('that is cancelled leaves the queue without being begun', async () => {
    const work = new LongWork(slowClock(), 1);
    const first = work.run(counting(20));
    const { whenGone, leave } = makeClient();
    const second = work.run(
      counting(1, () => assert.fail('it was cancelled')),
      whenGone,
    );
    await assert.rejects(work.run(counting(1)), NotBegun);
    leave();
    await assert.rejects(second, NotBegun);
    const third = work.run(counting(1));
    await Promise.all([first, third]);
  });

  it('that is cancelled ends with its portion', async () => {
    const work = new LongWork(slowClock(), 1);
    const { whenGone, leave } = makeClient();
    const endless = work.run(
      counting(Number.POSITIVE_INFINITY, (step) => {
        assert.ok(step < 40);
        if (step === 20) setImmediate(leave);
      }),
      whenGone,
    );
    await assert.rejects(endless, NotBegun);
    assert.equal(await work.run(counting(1)), 1);
  });
});
