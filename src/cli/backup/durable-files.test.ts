// Checks how the file of a copy is written to the disk while it grows.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { syncWhileItGrows } from './durable-files.js';

describe('writing a growing file to the disk', () => {
  it('ends when it is closed, also if an interrupted copy continues and its file is gone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'colonnade-'));
    const path = join(folder, 'copy');
    writeFileSync(path, 'a');
    const syncing = syncWhileItGrows(path);
    syncing.sync();
    syncing.close();
    rmSync(folder, { recursive: true });
    assert.doesNotThrow(syncing.sync);
    assert.doesNotThrow(syncing.close);
  });
});
