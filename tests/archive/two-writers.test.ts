// How writes of two servers at the same time are found.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordedWriter } from './recorded-states.js';
import { findTwoWriters } from './two-writers.js';

/** A writer with a change for each pair of the moments at which it was sent and acknowledged. */
function writerOf(...moments: readonly (readonly [number, number | undefined])[]): RecordedWriter {
  const changes = moments.map(([sentMs, acknowledgedMs]) => ({ sentMs, acknowledgedMs, values: [] }));
  return { name: 'one', kind: 'rows', changes };
}

describe('findTwoWriters', () => {
  const next = [writerOf([100, undefined], [200, 210])];

  it('takes changes of the old server before the first one of the new server, and those without a reply', () => {
    assert.deepEqual(findTwoWriters([writerOf([190, 205], [206, undefined], [300, undefined])], next), []);
    assert.deepEqual(findTwoWriters([writerOf([190, 205])], [writerOf([100, undefined])]), []);
  });

  it('finds a change that the old server acknowledged later', () => {
    const found = findTwoWriters([writerOf([190, 205]), writerOf([206, 215])], next);
    assert.match(found.join(), /^1 changes were acknowledged by the old server .* 5 ms later$/);
  });

  it('takes a late reply to a change of before the process was stopped, and no other one', () => {
    assert.deepEqual(findTwoWriters([writerOf([100, 300])], next, 150), []);
    assert.equal(findTwoWriters([writerOf([100, 300], [301, 302])], next, 150).length, 1);
  });
});
