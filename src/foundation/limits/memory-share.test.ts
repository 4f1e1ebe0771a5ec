// A share of memory: taken memory is counted, and waiting requests for memory are served in order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Lease, MemoryShare } from './memory-share.js';

describe('a share of memory', () => {
  it('grants no more than it has, until some is released', () => {
    const share = new MemoryShare(100);
    const first = share.tryTake(60);
    assert.equal(share.tryTake(41), undefined);
    assert.equal(share.refusals, 1);
    assert.ok(share.tryTake(40));
    assert.equal(share.usedBytes, 100);
    first?.release();
    first?.release();
    assert.equal(share.usedBytes, 40);
  });

  it('lets small things go beyond the total as far as they may', () => {
    const share = new MemoryShare(100);
    share.takeAnyway(100);
    assert.equal(share.tryTake(11, 10), undefined);
    assert.ok(share.tryTake(10, 10));
  });

  it('serves the smallest that waits and the one that came first in turn', () => {
    const share = new MemoryShare(100);
    const all = share.takeAnyway(100);
    const order: string[] = [];
    const leases: Lease[] = [];
    const wait = (name: string, bytes: number) =>
      share.takeWhenFree(bytes, (lease) => {
        order.push(name);
        leases.push(lease);
      });
    wait('large', 90);
    wait('larger', 95);
    for (const name of ['small', 'second small', 'third small']) wait(name, 10);
    assert.equal(share.isAwaited, true);
    assert.equal(share.tryTake(1), undefined, 'nothing overtakes those that wait');
    all.shrinkTo(95);
    assert.deepEqual(order, []);
    all.release();
    assert.deepEqual(order, ['small', 'large']);
    leases[1]?.release();
    assert.deepEqual(
      order,
      ['small', 'large', 'second small'],
      'the one that came first waits for its room now',
    );
    leases[0]?.release();
    leases[2]?.release();
    assert.deepEqual(order, ['small', 'large', 'second small', 'larger']);
    leases[3]?.release();
    assert.equal(order.at(-1), 'third small');
    assert.equal(share.isAwaited, false);
  });

  it('forgets who no longer waits', () => {
    const share = new MemoryShare(100);
    const all = share.takeAnyway(100);
    const stop = share.takeWhenFree(100, () => assert.fail('it waits no longer'));
    let lease: Lease | undefined;
    share.takeWhenFree(30, (taken) => {
      lease = taken;
    });
    stop();
    all.release();
    assert.equal(lease?.bytes, 30);
    assert.equal(share.usedBytes, 30);
  });

  it('gives the whole share to what is larger', () => {
    const share = new MemoryShare(100);
    let lease: Lease | undefined;
    share.takeWhenFree(1000, (taken) => {
      lease = taken;
    });
    assert.equal(lease?.bytes, 100);
  });
});
