// Checks what is said about files that this user may not see.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isThere } from './is-there.js';

/** Root may see everything. */
function asOrdinaryUser(use: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    use();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('isThere', () => {
  it('is true for what can be read, false for what is not there, and an error for what is hidden', () => {
    const directory = mkdtempSync(join(tmpdir(), 'colonnade-test-'));
    try {
      const hidden = join(directory, 'hidden');
      const file = join(directory, 'file');
      mkdirSync(hidden);
      writeFileSync(file, '');
      assert.deepEqual([directory, file].map(isThere), [true, true]);
      assert.deepEqual([join(directory, 'none'), join(file, 'x')].map(isThere), [false, false]);
      chmodSync(hidden, 0);
      chmodSync(directory, 0o755);
      asOrdinaryUser(() => {
        assert.equal(isThere(directory), true);
        for (const path of [hidden, join(hidden, 'x')])
          assert.throws(() => isThere(path), { code: 'EACCES', message: /as the user that owns it/ });
      });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
