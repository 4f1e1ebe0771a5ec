// Statements of one turn of the event loop are sent together.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SendTurns } from './send-turns.js';

describe('SendTurns', () => {
  it('lets those of one turn begin together, behind it, and later ones in the next', async () => {
    const turns = new SendTurns();
    const seen: string[] = [];
    const wait = (name: string) => turns.next().then(() => seen.push(name));
    const first = [wait('a'), Promise.resolve().then(() => wait('b'))];
    await Promise.resolve();
    process.nextTick(() => seen.push('tick of the turn'));
    await Promise.resolve();
    const later = first[0]?.then(() => wait('c'));
    await Promise.all(first);
    assert.deepEqual(seen, ['tick of the turn', 'a', 'b']);
    await nextTurn();
    await later;
    assert.deepEqual(seen, ['tick of the turn', 'a', 'b', 'c']);
  });
});
