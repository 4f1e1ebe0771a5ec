// Limits of connections leave file descriptors for all other uses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectionLimits } from './connection-limits.js';

describe('limits on connections', () => {
  it('are those that are wanted where the system has no lower one', () => {
    assert.deepEqual(connectionLimits(4096), { data: 4096, ops: 1024 });
    assert.deepEqual(connectionLimits(4096, 1_000_000), { data: 4096, ops: 1024 });
  });

  it('leave descriptors for files and threads', () => {
    assert.deepEqual(connectionLimits(4096, 1024), { data: 640, ops: 256 });
    assert.deepEqual(connectionLimits(100, 1024), { data: 100, ops: 256 });
    assert.deepEqual(connectionLimits(4096, 256), { data: 64, ops: 64 });
  });

  it('refuse to serve with too few', () => {
    assert.throws(() => connectionLimits(4096, 255), /may open only 255 files .* \(ulimit -n\)/);
  });
});
