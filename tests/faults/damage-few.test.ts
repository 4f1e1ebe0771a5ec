// Runs what damage.long.test.ts runs in few rounds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runDamageRounds } from './damage-rounds.js';

describe('random damage', () => {
  it('is found by check, or every read is as before, 5 times', async () => {
    const seed = newSeed();
    const { undetected } = await runDamageRounds(5, seed);
    assert.deepEqual(undetected, [], `seed ${seed}`);
  });
});
