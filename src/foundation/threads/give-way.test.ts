// Checks the priority of a real thread beside that of the process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { describe, it } from 'node:test';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { giveWay } from './give-way.js';

const niceness = 3;

/** What a thread tells that gave way. */
async function priorityOfThread(): Promise<unknown> {
  const [told] = await once(new Worker(new URL(import.meta.url)), 'message');
  return told;
}

if (isMainThread) {
  describe('giving way', {
    skip: process.platform !== 'linux' && 'only Linux has priorities of threads',
  }, () => {
    it('lowers the priority of the thread that asks, and of no other', async () => {
      const before = getPriority();
      assert.deepEqual(await priorityOfThread(), {
        isLowered: true,
        priority: Math.min(before + niceness, 19),
      });
      assert.equal(getPriority(), before);
    });

    // Behind the other: nobody but root may raise it again.
    it('lowers it below that of a process that gives way itself', async () => {
      const own = Math.max(getPriority(), 12);
      setPriority(own);
      assert.deepEqual(await priorityOfThread(), { isLowered: true, priority: Math.min(own + niceness, 19) });
    });
  });
} else {
  const isLowered = giveWay(niceness);
  const priority = getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
  parentPort?.postMessage({ isLowered, priority });
}
