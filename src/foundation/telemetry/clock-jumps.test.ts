// Decides what is too old with a clock that jumps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeKeptSince } from './clock-jumps.js';

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

describe('what is kept by its age', () => {
  it('is everything until both clocks have agreed for an hour', () => {
    const now = { wallMs: 50 * yearMs, monotonicMs: 7 };
    const keptSince = makeKeptSince({ nowMs: () => now.wallMs, monotonicMs: () => now.monotonicMs });
    const pass = (ms: number, jumpMs = 0) => {
      now.wallMs += ms + jumpMs;
      now.monotonicMs += ms;
      return keptSince(hourMs);
    };
    assert.equal(keptSince(hourMs), 0);
    assert.equal(pass(hourMs - 1), 0);
    assert.equal(pass(1), now.wallMs - hourMs);
    assert.equal(pass(1000, yearMs), 0);
    assert.equal(pass(hourMs / 2), 0);
    assert.equal(pass(1000, -yearMs), 0);
    assert.equal(pass(hourMs / 2), 0, 'the hour begins with the last jump');
    assert.equal(pass(hourMs / 2), now.wallMs - hourMs);
    assert.equal(
      pass(1000, 500),
      now.wallMs - hourMs,
      'a clock that is set right little by little is believed',
    );
  });
});
