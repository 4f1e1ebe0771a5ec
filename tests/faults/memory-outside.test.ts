// Memory that waits for the garbage collector stays bounded in a thread that allocates little. The test needs a process
// of its own: beside a large heap, as that of many tests, V8 alone decides when to collect.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryOutside } from '../../src/foundation/memory-outside.js';

const megabyte = 2 ** 20;

/** Releases objects of a megabyte each, one in each turn of the event loop; returns the most that waited, in bytes. */
async function releaseMany(outside: MemoryOutside, count: number, keep: object[] = []): Promise<number> {
  let mostBytes = 0;
  for (let number = 0; number < count; number += 1) {
    const object = { number };
    outside.release(object, megabyte);
    keep.push(object);
    if (keep.length > 2) keep.shift();
    await nextTurn();
    mostBytes = Math.max(mostBytes, outside.waitingBytes);
  }
  return mostBytes;
}

describe('MemoryOutside', () => {
  it('collects the garbage when much memory waits for it', async () => {
    const outside = new MemoryOutside();
    const mostBytes = await releaseMany(outside, 500);
    assert.ok(mostBytes < 100 * megabyte, `${mostBytes / megabyte} MB waited`);
  });

  it('counts what is still in use as waiting', async () => {
    const outside = new MemoryOutside();
    const kept = Array.from({ length: 50 }, (_, number) => ({ number }));
    for (const object of kept) outside.release(object, megabyte);
    await releaseMany(outside, 100);
    assert.ok(outside.waitingBytes >= kept.length * megabyte);
  });
});
