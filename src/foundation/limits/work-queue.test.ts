// A queue for concurrent work: a few run, others wait in order and within limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotBegun, WorkQueue } from './work-queue.js';

/** Work that ends when the test ends it. */
function startWork(queue: WorkQueue, weight: number, name: string, begun: string[]) {
  let end = () => {};
  const done = queue.run(weight, async () => {
    begun.push(name);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return { done, end: () => end() };
}

describe('a queue for places', () => {
  const limits = { places: 2, mostWaiting: 2, longestWaitMs: 60_000 };

  it('runs what has room, and the rest in order', async () => {
    const queue = new WorkQueue(limits);
    const begun: string[] = [];
    const first = startWork(queue, 1, 'first', begun);
    const heavy = startWork(queue, 2, 'heavy', begun);
    const light = startWork(queue, 1, 'light', begun);
    await nextTurn();
    assert.deepEqual(begun, ['first'], 'a light one does not overtake a heavy one');
    first.end();
    await nextTurn();
    assert.deepEqual(begun, ['first', 'heavy']);
    heavy.end();
    await nextTurn();
    assert.deepEqual(begun, ['first', 'heavy', 'light']);
    light.end();
    await Promise.all([first.done, heavy.done, light.done]);
    assert.equal(queue.isIdle, true);
  });

  it('refuses more than may wait', async () => {
    const queue = new WorkQueue({ ...limits, mostWaiting: 1 });
    const running = startWork(queue, 2, 'running', []);
    const waiting = startWork(queue, 2, 'waiting', []);
    await assert.rejects(
      queue.run(1, async () => {}),
      /^Error: 1 requests are already waiting$/,
    );
    running.end();
    await nextTurn();
    waiting.end();
    await waiting.done;
  });

  it('refuses more weight than may wait, and counts what has left', async () => {
    const queue = new WorkQueue({ ...limits, mostWaitingWeight: 2 });
    const running = startWork(queue, 2, 'running', []);
    let leave = () => {};
    const cancelled = queue.run(
      2,
      async () => {},
      (listener) => {
        leave = listener;
      },
    );
    await assert.rejects(
      queue.run(1, async () => {}),
      (error) => error instanceof NotBegun && /too large/.test(error.message),
    );
    leave();
    await assert.rejects(cancelled, NotBegun);
    const waiting = startWork(queue, 2, 'waiting', []);
    running.end();
    await nextTurn();
    waiting.end();
    await waiting.done;
  });

  it('refuses work that waits for too long, and runs the work after it', async () => {
    const queue = new WorkQueue({ ...limits, longestWaitMs: 20 });
    const running = startWork(queue, 1, 'running', []);
    await assert.rejects(
      queue.run(2, async () => {}),
      (error) => error instanceof NotBegun && /longer than 20 ms/.test(error.message),
    );
    assert.equal(await queue.run(1, async () => 'done'), 'done');
    running.end();
    await running.done;
  });

  it('drops cancelled work, and runs the work after it', async () => {
    const queue = new WorkQueue(limits);
    const begun: string[] = [];
    const running = startWork(queue, 1, 'running', begun);
    let leave = () => {};
    const gone = assert.rejects(
      queue.run(
        2,
        async () => begun.push('gone'),
        (listener) => {
          leave = listener;
        },
      ),
      NotBegun,
    );
    const behind = startWork(queue, 1, 'behind', begun);
    leave();
    await nextTurn();
    assert.deepEqual(begun, ['running', 'behind']);
    for (const work of [running, behind]) work.end();
    await Promise.all([running.done, behind.done, gone]);
  });

  it('frees the place of work that fails', async () => {
    const queue = new WorkQueue(limits);
    await assert.rejects(
      queue.run(2, async () => {
        throw new Error('failed');
      }),
      /failed/,
    );
    assert.equal(queue.isIdle, true);
  });

  it('refuses what waits when it is closed', async () => {
    const queue = new WorkQueue(limits);
    const running = startWork(queue, 2, 'running', []);
    const refused = assert.rejects(
      queue.run(1, async () => {}),
      NotBegun,
    );
    queue.close();
    await refused;
    await assert.rejects(
      queue.run(1, async () => {}),
      NotBegun,
    );
    running.end();
    await running.done;
  });
});
