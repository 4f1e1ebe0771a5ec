// Checks that long work leaves turns to others, and goes on one piece at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LongWork } from './long-work.js';

/** A clock on which each look takes a millisecond. */
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
    await work.run(async (turn) => {
      for (let step = 0; step < 1000; step += 1) if (turn.isOver) await turn.next();
    });
    isDone = true;
    assert.ok(turnsOfOthers >= 90, String(turnsOfOthers));
  });

  it('is done one piece at a time, in order, also when one fails', async () => {
    const work = new LongWork(slowClock(), 10);
    const steps: string[] = [];
    const run = (name: string, fails = false) =>
      work.run(async (turn) => {
        steps.push(`${name} begins`);
        await turn.next();
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

  it('is full when as much waits as may', async () => {
    const work = new LongWork(slowClock(), 2);
    const runs: Promise<void>[] = [];
    for (let count = 0; count < 3; count += 1) {
      assert.equal(work.isFull, false);
      runs.push(work.run((turn) => turn.next()));
    }
    assert.equal(work.isFull, true);
    await Promise.all(runs);
    assert.equal(work.isFull, false);
  });
});
