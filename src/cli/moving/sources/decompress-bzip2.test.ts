// Content that is compressed by bzip2 is decompressed one block at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decompressBzip2 } from './decompress-bzip2.js';

/** What `bzip2` makes of 100,000,000 bytes 0. */
const zeros = Buffer.from(
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1nE' +
    'YApVAD7RQALAAABAAAggADDMCapppUiDaipEHi7kinChIcCoiS4=',
  'base64',
);
/** What `bzip2` makes of the line `hello world`. */
const line = Buffer.from(
  'QlpoOTFBWSZTWU7s6DYAAAJRgAAQQAAGRJCAIAAxBkxBAaeppYC7lDH4u5IpwoSCd2dBsA==',
  'base64',
);

async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function textOf(bytes: Uint8Array, chunkBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of decompressBzip2(inChunks(bytes, chunkBytes))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('decompressBzip2', () => {
  it('holds one block of a few hundred bytes that become 800 MB', async () => {
    const bytes = Buffer.concat(Array<Buffer>(8).fill(zeros));
    const before = process.memoryUsage().arrayBuffers;
    for await (const piece of decompressBzip2(inChunks(bytes, bytes.length))) {
      const more = process.memoryUsage().arrayBuffers - before;
      assert.ok(piece.length > 40_000_000 && piece.length < 47_000_000, `${piece.length} bytes of content`);
      assert.ok(more < 256_000_000, `${more} bytes of memory`);
      break;
    }
  });

  it('reads streams one behind another, in chunks of any size', async () => {
    const bytes = Buffer.concat(Array<Buffer>(200).fill(line));
    const text = 'hello world\n'.repeat(200);
    for (const chunkBytes of [7, 65_536, bytes.length]) assert.equal(await textOf(bytes, chunkBytes), text);
  });

  it('fails for a stream that is cut, or damaged', async () => {
    for (let length = 1; length < line.length; length += 1)
      await assert.rejects(textOf(line.subarray(0, length), 64), Error, `${length} bytes`);
    const damaged = Buffer.from(line);
    damaged[30] = 0x55;
    await assert.rejects(textOf(damaged, 64), Error);
  });
});
