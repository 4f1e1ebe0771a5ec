// Sends malformed bodies from a new seed and checks the mixture: enough of them are refused, and some are valid.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { newSeed } from '../seeded-random.js';
import { sendMalformedBodies } from './malformed-bodies.js';

/** In a smaller sample, chance alone can refuse most bodies. */
const enoughForMixture = 1_000;

/** Fails as `sendMalformedBodies` does; in a large sample also when few of the bodies are refused or carried out. */
export async function checkMalformedBodies(
  count: number,
  test: TestContext,
  dialect: Dialect = 'strict',
): Promise<void> {
  const seed = newSeed();
  const { refused, done } = await sendMalformedBodies(count, seed, dialect);
  test.diagnostic(`seed ${seed}: ${refused} refused, ${done} valid after all`);
  if (count < enoughForMixture) return;
  assert.ok(
    refused > count / 4 && done > count / 40,
    `${refused} refused, ${done} done: the mixture is wrong`,
  );
}
