// When an archive counts as behind, with a simulated clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ArchiveStatus } from '../../archive/shipping/archive-status.js';
import { ArchiveOutage } from './archive-outage.js';

const database = { behindMs: 0, waitingBytes: 0, shippedThroughMs: 1, sequence: 1, copyAtMs: 1 };

describe('the outage of an archive', () => {
  let now = 0;
  const isOver = 'the archive /a had an outage, and has worked again for less than 10 s';
  const outage = new ArchiveOutage({ monotonicMs: () => now });

  /** What is said in each of so many seconds. */
  function pass(seconds: number, behindMs: number, problem?: string): readonly (string | undefined)[] {
    const status: ArchiveStatus = {
      ...{ archive: '/a', generation: 'g', problem },
      databases: { data: { ...database, behindMs }, ops: database },
    };
    return Array.from({ length: seconds }, () => {
      now += 1_000;
      return outage.note(status);
    });
  }

  it('begins with changes that wait long, and ends when nothing was wrong for a time', () => {
    assert.deepEqual(pass(3, 29_000), [undefined, undefined, undefined]);
    assert.deepEqual(pass(1, 31_000), ['the archive /a is 31 s behind']);
    assert.deepEqual(pass(9, 0).at(-1), isOver);
    assert.deepEqual(pass(2, 0).at(-1), undefined);
  });

  it('begins with a problem that lasts, also if nothing is written', () => {
    assert.deepEqual(pass(10, 0, 'refused').at(-1), undefined);
    assert.deepEqual(pass(1, 0, 'refused'), [
      'the archive /a cannot be used, and no change waits for it: refused',
    ]);
    assert.deepEqual(pass(9, 0).at(-1), isOver);
    assert.deepEqual(pass(2, 0).at(-1), undefined);
  });
});
