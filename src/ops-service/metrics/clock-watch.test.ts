// Jumps of the wall clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event, NewEvent } from '../events/event.js';
import { watchClock } from './clock-watch.js';

describe('watchClock', () => {
  it('reports a jump over a minute, once, and not of a slow drift', () => {
    const now = { wallMs: 1e12, monotonicMs: 5 };
    const events: NewEvent[] = [];
    const clock = { nowMs: () => now.wallMs, monotonicMs: () => now.monotonicMs };
    const append = (_: string, event: NewEvent) => {
      events.push(event);
      return {} as Event; // not used
    };
    const look = watchClock(clock, append);
    const pass = (wallMs: number, monotonicMs: number) => {
      now.wallMs += wallMs;
      now.monotonicMs += monotonicMs;
      look();
    };
    pass(100_000, 100_000);
    for (let at = 0; at < 10; at += 1) pass(31_000, 1_000);
    assert.deepEqual(events, []);
    pass(-3_599_000, 1_000);
    pass(1_000, 1_000);
    pass(62_000, 1_000);
    const messages = events.map(({ action, message }) => `${action}: ${message}`);
    assert.deepEqual(messages, [
      'clockJumped: the clock jumped 3600 seconds back',
      'clockJumped: the clock jumped 61 seconds forward',
    ]);
  });
});
