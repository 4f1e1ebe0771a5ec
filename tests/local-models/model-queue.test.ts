// Work that waited for its turn gets the time that is left, so that nothing works on for a request that was given up.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ModelQueue } from '../../src/data-service/embedding/local/model-queue.js';

it('gives work that waited for a model the time that is left of its limit', async () => {
  let nowMs = 1_000;
  const queue = new ModelQueue({ monotonicMs: () => nowMs });
  const limits = { timeoutMs: 9_000, signal: new AbortController().signal };
  let end = (_: number) => {};
  let begin = (_: number) => {};
  const begun = new Promise<number>((resolve) => {
    begin = resolve;
  });
  const first = queue.run(limits, (leftMs) => {
    begin(leftMs);
    return new Promise<number>((resolve) => {
      end = resolve;
    });
  });
  assert.equal(await begun, 9_000);
  const others = [queue.run(limits, async (leftMs) => leftMs), queue.run(limits, async (leftMs) => leftMs)];
  nowMs += 8_900;
  end(0);
  assert.deepEqual(await Promise.all([first, ...others]), [0, 100, 100]);
  queue.close();
});
