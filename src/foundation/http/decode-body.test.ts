// Bodies in gzip wait for the memory of what they become, and hold the memory of what they were.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Lease, MemoryShare } from '../limits/memory-share.js';
import { type DecodingListener, decodingGzip } from './decode-body.js';

const plain = randomBytes(90_000);
const body = gzipSync(plain);
const limits = { maxBytes: 200_000, waitMs: 120_000 };

function ignoreOthers(
  onBody: DecodingListener['onBody'],
  onOther: (outcome: string) => void,
): DecodingListener {
  return {
    onBody,
    onRoom: () => onOther('room'),
    onTooLarge: () => onOther('too large'),
    onNoRoom: () => onOther('no room'),
    onStalled: () => onOther('stalled'),
    onInvalid: () => onOther('invalid'),
  };
}

describe('bodies in gzip', () => {
  it('are all decoded, one after the other, when together they fill the memory of bodies', async () => {
    const share = new MemoryShare(body.length * 4);
    const decodedShare = new MemoryShare(100_000);
    const decode = (lease: Lease) =>
      new Promise<void>((resolve, reject) => {
        const onBody = (decoded: Buffer, own: Lease | undefined) => {
          own?.release();
          if (decoded.equals(plain)) resolve();
          else reject(new Error('it was decoded as something else'));
        };
        const listener = ignoreOthers(onBody, (outcome) => reject(new Error(outcome)));
        decodingGzip({ ...limits, share, decodedShare }, listener, new PassThrough()).onBody(body, lease);
      });
    const leases = [1, 2, 3, 4].map(() => share.takeAnyway(body.length));
    await Promise.all(leases.map(decode));
    assert.deepEqual([share.usedBytes, decodedShare.usedBytes], [0, 0]);
  });

  it('leave the queue for memory when their client disconnects', async () => {
    const share = new MemoryShare(body.length);
    const decodedShare = new MemoryShare(100_000);
    const other = decodedShare.takeAnyway(100_000);
    const outcomes: string[] = [];
    const listener = ignoreOthers(
      () => outcomes.push('body'),
      (outcome) => outcomes.push(outcome),
    );
    const reply = new PassThrough();
    const decoding = decodingGzip({ ...limits, share, decodedShare }, listener, reply);
    decoding.onBody(body, share.takeAnyway(body.length));
    assert.deepEqual([share.isAwaited, decodedShare.isAwaited], [true, true]);
    const isClosed = new Promise((resolve) => reply.once('close', resolve));
    reply.destroy();
    await isClosed;
    assert.deepEqual([share.isAwaited, decodedShare.isAwaited, share.usedBytes], [false, false, 0]);
    other.release();
    assert.deepEqual([outcomes, decodedShare.usedBytes], [[], 0]);
  });
});
