// kill -9 in the middle of writes loses nothing that was acknowledged. More rounds: run-kill-rounds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runKilledFirstStarts, runKillRounds } from './kill-rounds.js';

describe('kill -9', () => {
  it('loses no acknowledged row or table and leaves no half ones, twenty times', async (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    const { acknowledged, longestRecoveryMs } = await runKillRounds(20, seed);
    assert.ok(acknowledged > 100, `only ${acknowledged} writes were acknowledged`);
    test.diagnostic(`${acknowledged} writes, longest recovery ${Math.round(longestRecoveryMs)} ms`);
  });

  it('does no harm at any moment of the first start', async (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    await runKilledFirstStarts(4, seed);
  });
});
