// Random damage to data directories, logs and backups. More rounds: run-damage-rounds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runDamageRounds } from './damage-rounds.js';

describe('random damage', () => {
  it('is found by check, or every read is as before, 60 times', async () => {
    const seed = newSeed();
    const { undetected } = await runDamageRounds(60, seed);
    assert.deepEqual(undetected, [], `seed ${seed}`);
  });
});
