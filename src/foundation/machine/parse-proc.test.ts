// Parses texts of /proc as Linux 6 writes them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMount, parseCpuTimes, parseMemory, parseNetwork } from './parse-proc.js';

describe('/proc/stat', () => {
  it('gives the times of all processors together', () => {
    const text = 'cpu  100 20 30 400 50 6 7 8 9 0\ncpu0 1 1 1 1 1 1 1 1 1 0\nintr 5\n';
    assert.deepEqual(parseCpuTimes(text), {
      user: 100,
      nice: 20,
      system: 43,
      idle: 400,
      iowait: 50,
      steal: 8,
      total: 621,
    });
  });

  it('gives nothing where it is not there', () => {
    assert.equal(parseCpuTimes(''), undefined);
    assert.equal(parseCpuTimes('cpu  a b c'), undefined);
  });
});

describe('/proc/meminfo', () => {
  it('counts what can be reclaimed as cached', () => {
    const text =
      'MemTotal:       1000 kB\nMemFree:         200 kB\nBuffers:          50 kB\nCached:          300 kB\n' +
      'SwapCached:        7 kB\nSReclaimable:     40 kB\n';
    assert.deepEqual(parseMemory(text), {
      usedBytes: 410 * 1024,
      freeBytes: 200 * 1024,
      cachedBytes: 340 * 1024,
      buffersBytes: 50 * 1024,
    });
    assert.equal(parseMemory('MemTotal: 1000 kB\n'), undefined);
  });
});

describe('/proc/net/dev', () => {
  it('gives every interface but the loopback one', () => {
    const text =
      'Inter-|   Receive                            |  Transmit\n' +
      ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n' +
      '    lo: 500 5 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n' +
      '  eth0:12345 9 0 0 0 0 0 0 678 3 0 0 0 0 0 0\n';
    assert.deepEqual(parseNetwork(text), [{ device: 'eth0', receivedBytes: 12_345, sentBytes: 678 }]);
  });
});

describe('/proc/self/mounts', () => {
  it('finds the mount with the longest path', () => {
    const text = 'overlay / overlay rw 0 0\n/dev/a /data ext4 rw 0 0\n/dev/b /data/my\\040disk ext4 rw 0 0\n';
    assert.equal(findMount(text, '/data/x'), '/data');
    assert.equal(findMount(text, '/data/my disk/x'), '/data/my disk');
    assert.equal(findMount(text, '/database'), '/');
    assert.equal(findMount('', '/x'), undefined);
  });
});
