// Files of gzip are read to the end of their last member, wherever the pieces of the file end.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Inflate } from 'pako';
import { decompressGzip } from './decompress-gzip.js';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function contentOf(bytes: Uint8Array, size: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of decompressGzip(chunksOf(bytes, size), 'f')) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a file of gzip', () => {
  const parts = ['a,b\n', '', '1,2\n'.repeat(30_000), '3,4\n'];
  const members = Buffer.concat(parts.map((part) => gzipSync(part)));

  it('has the content of all members, in chunks of every size', async () => {
    const whole = parts.join('');
    const [first = ''] = parts;
    for (const size of [1, 2, 3, 7, 20, gzipSync(first).length, 100, members.length])
      assert.equal(String(await contentOf(members, size)), whole, `chunks of ${size} bytes`);
  });

  it('is read in full if it does not become smaller', async () => {
    const bytes = randomBytes(200_000);
    assert.deepEqual(
      await contentOf(Buffer.concat([gzipSync(bytes), gzipSync(bytes)]), 65_536),
      Buffer.concat([bytes, bytes]),
    );
  });

  it('is decompressed in small pieces, because the library makes all of a piece at once', async (test) => {
    const push = test.mock.method(Inflate.prototype, 'push');
    const file = gzipSync(randomBytes(100_000));
    assert.equal((await contentOf(file, file.length)).length, 100_000);
    const lengths = push.mock.calls.map(({ arguments: [piece] }) => piece.byteLength);
    assert.equal(Math.max(...lengths), 16_384);
  });

  it('ends at zeros, which fill a block', async () => {
    const filled = Buffer.concat([gzipSync('a'), Buffer.alloc(1000)]);
    for (const size of [1, 10, filled.length]) assert.equal(String(await contentOf(filled, size)), 'a');
  });

  it('is refused where it is cut, damaged, or followed by something else', async () => {
    const damaged = Buffer.from(members);
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 6) ^ 1, damaged.length - 6);
    const cases: readonly (readonly [bytes: Buffer, reason: RegExp])[] = [
      [
        members.subarray(0, -1),
        /^f cannot be decompressed \(gzip\): the data end too early\. Is the file complete\?$/,
      ],
      [members.subarray(0, 9), /the data end too early/],
      [damaged, /\(gzip\): incorrect data check\./],
      [Buffer.concat([members, Buffer.from('junk')]), /\(gzip\): incorrect header check\./],
    ];
    for (const [bytes, message] of cases)
      for (const size of [1, bytes.length]) await assert.rejects(contentOf(bytes, size), { message });
  });
});
