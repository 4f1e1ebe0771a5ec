// Checks which window each frame of a zstd file names, however the file is cut into pieces.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ZstdFrames } from './zstd-frames.js';

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** The last block of a frame, with `bytes` bytes as they are. */
const rawBlock = (bytes: number) => {
  const block = Buffer.alloc(3 + bytes);
  block.writeUIntLE((bytes << 3) | 1, 0, 3);
  return block;
};
const size64 = (size: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(size);
  return bytes;
};

const small = Buffer.concat([magic, Buffer.from([0x20, 5]), rawBlock(5)]);
const withChecksum = Buffer.concat([magic, Buffer.from([0x24, 5]), rawBlock(5), Buffer.alloc(4)]);
const repeated = Buffer.concat([magic, Buffer.from([0x20, 200]), Buffer.from([0x43, 0x06, 0x00, 0x61])]);
const skippable = Buffer.concat([Buffer.from([0x51, 0x2a, 0x4d, 0x18, 7, 0, 0, 0]), Buffer.alloc(7, 0x28)]);
const hugeSegment = Buffer.concat([magic, Buffer.from([0xe0]), size64(2n ** 31n)]);
const hugeWindow = Buffer.concat([magic, Buffer.from([0x00, (31 - 10) << 3])]);

function largest(content: Buffer, pieceBytes: number): number {
  const frames = new ZstdFrames();
  let found = 0;
  for (let at = 0; at < content.length; at += pieceBytes)
    found = Math.max(found, frames.largestWindow(content.subarray(at, at + pieceBytes)));
  return found;
}

describe('frames of zstd', () => {
  const cases: readonly (readonly [what: string, content: Buffer, window: number])[] = [
    ['a single segment', small, 5],
    ['a window', hugeWindow, 2 ** 31],
    ['a large single segment', hugeSegment, 2 ** 31],
    ['a frame behind a skippable one', Buffer.concat([skippable, hugeSegment]), 2 ** 31],
    ['a frame behind others', Buffer.concat([small, withChecksum, repeated, hugeWindow]), 2 ** 31],
    ['frames that are all small', Buffer.concat([withChecksum, skippable, repeated, small]), 200],
  ];
  for (const [what, content, window] of cases)
    it(`name their window: ${what}`, () => {
      for (const pieceBytes of [1, 2, 3, 7, 1000]) assert.equal(largest(content, pieceBytes), window);
    });
});
