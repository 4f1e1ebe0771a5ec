// Checks which line is named for bytes that the encoding does not have.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText } from './decode-text.js';

async function messageOf(bytes: Uint8Array, size: number, encoding: string | undefined): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  try {
    for await (const _ of decodeText(chunks(), { name: 'f', encoding }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'no error';
}

describe('decodeText', () => {
  const text = 'a\ufffd\n\ufffd\nüber €\n𝄞\n\ufffd';
  it('names the line of wrong bytes behind valid U+FFFD and cut characters, for chunks of every size', async () => {
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]);
    for (let size = 1; size <= bytes.length; size += 1)
      assert.match(await messageOf(bytes, size, undefined), /^f line 5 is not UTF-8/, `chunks of ${size}`);
  });

  it('names the line of a surrogate that is alone in UTF-16, for chunks of every size', async () => {
    const bytes = Buffer.concat([Buffer.from(text, 'utf16le'), Buffer.from([0x00, 0xdc, 0x0a, 0x00])]);
    for (let size = 2; size <= bytes.length; size += 1)
      assert.match(
        await messageOf(bytes, size, 'utf-16le'),
        /^f line 5 is not UTF-16LE/,
        `chunks of ${size}`,
      );
  });

  it('refuses an encoding that is not the one of the byte order mark', async () => {
    const bytes = Buffer.from('\ufeffname\n');
    assert.match(
      await messageOf(bytes, 1, 'latin1'),
      /^f begins with the byte order mark of UTF-8: leave out/,
    );
    assert.equal(await messageOf(bytes, 1, 'utf8'), 'no error');
    assert.equal(await messageOf(bytes, 1, undefined), 'no error');
  });

  it('says that a file is compressed twice', async () => {
    // Only what is left after decompression is decoded.
    const twice = Uint8Array.of(0x1f, 0x8b, 0x08);
    assert.match(await messageOf(twice, 3, undefined), /^f line 1 is not UTF-8: it is compressed twice/);
  });
});
