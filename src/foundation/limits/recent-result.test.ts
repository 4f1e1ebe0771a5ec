// How long a result is given again, with a simulated clock.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecentResult } from './recent-result.js';

function arrange() {
  const state = { now: 0, made: 0, isFailing: false };
  const make = async () => {
    state.made += 1;
    if (state.isFailing) throw new Error('failed');
    return state.made;
  };
  return { state, recent: new RecentResult(make, 1_000, { monotonicMs: () => state.now }) };
}

it('a result is shared while it is made, and given again for a time', async () => {
  const { state, recent } = arrange();
  assert.deepEqual(await Promise.all([recent.get(), recent.get()]), [1, 1]);
  state.now = 999;
  assert.equal(await recent.get(), 1);
  state.now = 1_000;
  assert.equal(await recent.get(), 2);
});

it('a failure is given again for the same time', async () => {
  const { state, recent } = arrange();
  state.isFailing = true;
  await assert.rejects(recent.get(), /failed/);
  state.isFailing = false;
  state.now = 999;
  await assert.rejects(recent.get(), /failed/);
  state.now = 1_000;
  assert.equal(await recent.get(), 2);
});
