// Checks that the end waits for calls, whatever becomes of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CallsUnderWay } from './calls-under-way.js';

describe('CallsUnderWay', () => {
  it('waits for the calls that are under way, also for those that fail', async () => {
    const calls = new CallsUnderWay();
    const ends: (() => void)[] = [];
    const pending = () => new Promise<void>((resolve) => ends.push(resolve));
    const first = calls.run(pending);
    const second = calls.run(async () => {
      await pending();
      throw new Error('failed');
    });
    let isOver = false;
    const ended = calls.ended().then(() => {
      isOver = true;
    });
    ends[0]?.();
    await first;
    await nextTurn();
    assert.equal(isOver, false);
    ends[1]?.();
    await assert.rejects(second, /failed/);
    await ended;
  });

  it('waits for the calls that are meant', async () => {
    const calls = new CallsUnderWay<string>();
    let end = () => {};
    const slow = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = calls.run(() => slow, 'slow');
    await calls.ended((about) => about === 'other');
    let isOver = false;
    const ended = calls
      .ended((about) => about === 'slow')
      .then(() => {
        isOver = true;
      });
    await nextTurn();
    assert.equal(isOver, false);
    end();
    await Promise.all([running, ended]);
  });

  it('has ended where nothing runs', async () => {
    const calls = new CallsUnderWay();
    assert.equal(await calls.run(async () => 5), 5);
    await calls.ended();
  });
});
