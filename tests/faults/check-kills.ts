// Kills servers with kill -9 in the middle of writes and of their first start, in rounds from a new seed.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runKilledFirstStarts, runKillRounds } from './kill-rounds.js';

/** Fails as `runKillRounds` does, and when a round had no acknowledged write. */
export async function checkKillRounds(rounds: number, test: TestContext): Promise<void> {
  const seed = newSeed();
  test.diagnostic(`seed ${seed}`);
  const { acknowledged, longestRecoveryMs } = await runKillRounds(rounds, seed);
  assert.ok(acknowledged >= rounds, `only ${acknowledged} writes were acknowledged`);
  test.diagnostic(`${acknowledged} writes, longest recovery ${Math.round(longestRecoveryMs)} ms`);
}

/** Fails as `runKilledFirstStarts` does. */
export async function checkKilledFirstStarts(rounds: number, test: TestContext): Promise<void> {
  const seed = newSeed();
  test.diagnostic(`seed ${seed}`);
  await runKilledFirstStarts(rounds, seed);
}
