// Checks the priority of a real thread beside that of the process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, it } from 'node:test';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { giveWay } from './give-way.js';

if (isMainThread) {
  describe('giving way', {
    skip: process.platform !== 'linux' && 'only Linux has priorities of threads',
  }, () => {
    it('lowers the priority of the thread that asks, and of no other', async () => {
      const before = getPriority();
      const worker = new Worker(new URL(import.meta.url));
      const [told] = await once(worker, 'message');
      assert.deepEqual(told, { isLowered: true, priority: 7 });
      assert.equal(getPriority(), before);
    });
  });
} else {
  const isLowered = giveWay(7);
  const priority = getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
  parentPort?.postMessage({ isLowered, priority });
}
