// Waits for what happens in another process.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const mostMs = 30_000;
const restMs = 50;

/** Resolves when it has happened. Fails after half a minute. */
export async function waitFor(hasHappened: () => boolean | Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + mostMs; !(await hasHappened()); await sleep(restMs))
    assert.ok(Date.now() < endMs, `it does not happen: ${hasHappened}`);
}
