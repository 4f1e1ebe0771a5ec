// How long connections are read on after a refusal.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Lingering } from './lingering.js';

describe('connections that are read on after a refusal', () => {
  it('end after 5 s, and those beyond 64 after 1 s', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const lingering = new Lingering();
    const ended: number[] = [];
    const forget = Array.from({ length: 66 }, (_, at) => lingering.endLater(() => ended.push(at)));
    test.mock.timers.tick(1000);
    assert.deepEqual(ended, [64, 65]);
    forget[0]?.();
    forget[0]?.();
    // One place is free again.
    for (const at of [66, 67]) lingering.endLater(() => ended.push(at));
    test.mock.timers.tick(3999);
    assert.deepEqual(ended, [64, 65, 67]);
    test.mock.timers.tick(1);
    assert.equal(ended.length, 3 + 63);
    assert.ok(!ended.includes(0) && !ended.includes(66));
    test.mock.timers.tick(1000);
    assert.equal(ended.at(-1), 66);
  });
  it('end at once when the listener stops, and later ones after 1 s', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const lingering = new Lingering();
    let ended = 0;
    for (let count = 0; count < 3; count += 1) lingering.endLater(() => (ended += 1));
    lingering.stop();
    assert.equal(ended, 3);
    lingering.endLater(() => (ended += 1));
    test.mock.timers.tick(999);
    assert.equal(ended, 3);
    test.mock.timers.tick(1);
    assert.equal(ended, 4);
    test.mock.timers.tick(10_000);
    assert.equal(ended, 4);
  });
});
