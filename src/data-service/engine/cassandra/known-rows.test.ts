// Checks how many rows are asked for, by what was seen before.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KnownRows } from './known-rows.js';

const limits = { bytes: 4_000, rows: 100, growth: 2 };

describe('KnownRows', () => {
  it('begins with few rows, and at most doubles them', () => {
    const known = new KnownRows();
    assert.equal(known.rowsToAsk(1_000, limits), 16);
    known.note(16, 1);
    assert.equal(known.rowsToAsk(1_000, limits), 32);
    known.note(5, 1);
    assert.equal(known.rowsToAsk(1_000, limits), 32);
    known.note(90, 1);
    assert.equal(known.rowsToAsk(1_000, limits), 100);
    assert.equal(known.rowsToAsk(7, limits), 7);
  });

  it('asks for as many as fit by the largest row, and for one at least', () => {
    const known = new KnownRows();
    known.note(16, 1_000);
    assert.equal(known.rowsToAsk(1_000, limits), 4);
    known.note(4, 9_000);
    assert.equal(known.rowsToAsk(1_000, limits), 1);
    assert.equal(known.expectedBytes(2), 18_000);
  });

  it('forgets a large row after many pages without one, and notes no empty page', () => {
    const known = new KnownRows();
    known.note(16, 4_000);
    for (let page = 0; page < 60; page += 1) known.note(0, 0);
    assert.equal(known.rowsToAsk(1_000, limits), 1);
    for (let page = 0; page < 60; page += 1) known.note(1, 10);
    assert.equal(known.rowsToAsk(1_000, limits), 32);
  });
});
