// Content that is compressed by zstd is decompressed in pieces, whatever its frames and blocks are.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decompressZstd } from './decompress-zstd.js';

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The header of a block: its kind is 0 for bytes as they are, and 1 for one byte that is repeated. */
function blockHeader(size: number, kind: 0 | 1, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (kind << 1) | Number(isLast), 0, 3);
  return header;
}

describe('decompressZstd', () => {
  it('holds a few megabytes of a chunk that becomes hundreds', async () => {
    const [blocks, blockBytes] = [4_096, 128 * 1024];
    const frame = Buffer.concat([
      Buffer.from('28b52ffd0038', 'hex'), // a window of 128 KiB
      ...Array.from({ length: blocks }, (_, at) => [
        blockHeader(blockBytes, 1, at === blocks - 1),
        Buffer.from('a'),
      ]).flat(),
    ]);
    const before = process.memoryUsage().arrayBuffers;
    let more: number | undefined;
    let size = 0;
    for await (const piece of decompressZstd(inOneChunk(frame), 'f')) {
      more ??= process.memoryUsage().arrayBuffers - before;
      size += piece.length;
    }
    assert.equal(size, blocks * blockBytes);
    assert.ok(more !== undefined && more < 128 * 1024 * 1024, `${more} bytes`);
  });

  it('reads tens of thousands of frames in one chunk', async () => {
    const frame = Buffer.concat([
      Buffer.from('28b52ffd2001', 'hex'), // a content of one byte
      blockHeader(1, 0, true),
      Buffer.from('a'),
    ]);
    const frames = 25_000;
    let size = 0;
    const chunk = Buffer.concat(Array<Buffer>(frames).fill(frame));
    for await (const piece of decompressZstd(inOneChunk(chunk), 'f')) size += piece.length;
    assert.equal(size, frames);
  });
});
