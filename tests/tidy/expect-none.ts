// The one assertion of the tidy tests: a rule found no breach.
import assert from 'node:assert/strict';

/** Fails with every breach on a line of its own; `deepEqual` would show the first few only. */
export function expectNone(breaches: readonly string[]): void {
  assert.ok(breaches.length === 0, `\n${breaches.join('\n')}`);
}
