// A program is replaced once, and only if that changes something.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RestartableProcess, restartForAllocator } from './restart-for-allocator.js';

const running: RestartableProcess = {
  platform: 'linux',
  env: { LANG: 'C' },
  execPath: '/usr/bin/node',
  execArgv: ['--max-old-space-size=1024'],
  argv: ['/usr/bin/node', '/app/colonnade.js', 'serve', '--port', '0'],
};

/** The calls of `execve` for a process that differs in `changes`. */
function callsFor(changes: Partial<RestartableProcess>): readonly unknown[][] {
  const calls: unknown[][] = [];
  restartForAllocator({ execve: (...args) => void calls.push(args), ...running, ...changes });
  return calls;
}

describe('restartForAllocator', () => {
  it('starts the same program with the same arguments and a limit for mapped blocks', () => {
    assert.deepEqual(callsFor({}), [
      [
        '/usr/bin/node',
        ['/usr/bin/node', '--max-old-space-size=1024', '/app/colonnade.js', 'serve', '--port', '0'],
        { LANG: 'C', MALLOC_MMAP_THRESHOLD_: '131072' },
      ],
    ]);
  });

  it('does nothing where the variable is set, so that it happens once', () => {
    assert.deepEqual(callsFor({ env: { MALLOC_MMAP_THRESHOLD_: '65536' } }), []);
    assert.deepEqual(callsFor({ env: { MALLOC_MMAP_THRESHOLD_: '' } }), []);
  });

  it('does nothing on other systems, or where the parent has a channel that would be closed', () => {
    assert.deepEqual(callsFor({ platform: 'darwin' }), []);
    assert.deepEqual(callsFor({ send: () => true }), []);
  });

  it('does nothing where Node cannot replace a program', () => {
    assert.doesNotThrow(() => restartForAllocator(running));
  });
});
