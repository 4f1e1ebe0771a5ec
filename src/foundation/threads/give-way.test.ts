// Checks the priority of a real thread relative to that of the process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { describe, it } from 'node:test';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { giveWay, letHelpersGiveWay } from './give-way.js';

const niceness = 3;

/** The result of a thread that lowers its priority. */
async function priorityOfThread(): Promise<unknown> {
  const worker = new Worker(new URL(import.meta.url));
  const exited = once(worker, 'exit'); // now: it may occur in the same turn as the message
  const [reported] = await once(worker, 'message');
  await exited; // otherwise the next test would count a thread that is still ending
  return reported;
}

function countThreads(priority: number): number {
  const priorities = readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));
  return priorities.filter((each) => each === priority).length;
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

    it('lowers the helpers of V8, and neither the main thread nor others', () => {
      const before = getPriority();
      if (Number(process.versions.node.split('.')[0]) < 24) {
        for (const option of ['--v8-pool-size=1', '--v8_pool_size', '--v8-pool-size'])
          assert.equal(letHelpersGiveWay(niceness, ['--enable-source-maps', option, '1']), 0);
      }
      const lowered = Math.min(before + niceness, 19);
      const others = countThreads(lowered); // other tests share the process
      assert.equal(letHelpersGiveWay(niceness, []), 4);
      assert.equal(countThreads(lowered) - others, 4);
      assert.equal(getPriority(process.pid), before);
    });

    // Runs after the others: only root can raise the priority again.
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
