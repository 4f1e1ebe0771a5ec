// Checks the lock of a data directory within one process; tests/acceptance checks it between processes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DataDirectoryInUse } from './data-directory-in-use.js';
import { isLocked, lockDataDirectory } from './lock-data-directory.js';

describe('lockDataDirectory', () => {
  it('refuses a second holder by the name of the directory until the first one releases', () => {
    const directory = mkdtempSync(join(tmpdir(), 'colonnade-lock-'));
    assert.equal(isLocked(directory), false);
    const lock = lockDataDirectory(directory);
    assert.equal(isLocked(directory), true);
    assert.throws(
      () => lockDataDirectory(directory),
      (error) => error instanceof DataDirectoryInUse && error.message.includes(directory),
    );
    lock.release();
    assert.equal(isLocked(directory), false);
    lockDataDirectory(directory).release();
    rmSync(directory, { recursive: true });
  });
});
