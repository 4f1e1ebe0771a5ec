// Decompresses bzip2 block by block; the only file that imports the library for it.
import { createRequire } from 'node:module';

/** Reads bits of chunks. Null instead of a number continues with the next whole byte. */
interface Bits {
  (count: number | null): number | undefined;
  /** Bytes of which bits were read. */
  readonly bytesRead: number;
}

interface Library {
  /** Reads the beginning of a stream; returns the size of its blocks in units of 100,000 bytes. */
  header(bits: Bits): number;
  /** Reads a block. Returns the checksum of the stream up to its end, or null at the end of the stream. */
  decompress(
    bits: Bits,
    onByte: (byte: number) => void,
    workspace: Int32Array,
    blockBytes: number,
    checksum: number,
  ): number | null;
}

// The package exports only a stream, which keeps all blocks of the last 900 kB in memory: 500 bytes can become 600 MB.
const require = createRequire(import.meta.url);
const bitsOf: (
  nextChunk: () => Uint8Array | undefined,
) => Bits = require('unbzip2-stream/lib/bit_iterator.js');
const library: Library = require('unbzip2-stream/lib/bzip2.js');

/** Bytes that a compressed block may have beyond its content. */
const mostAdded = 25_000;

/**
 * The content of compressed chunks, one block of at most 47 MB at a time.
 * @throws Error if it is damaged or cut; a TypeError of the library if a block is cut
 */
export async function* decompressBzip2(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The library takes the first chunk before it reads anything.
  const waiting: Uint8Array[] = [new Uint8Array()];
  let receivedBytes = 0;
  const bits = bitsOf(() => waiting.shift());
  let stream: { readonly blockBytes: number; checksum: number } | undefined;
  let workspace = new Int32Array();
  const readNext = (): Uint8Array | undefined => {
    if (stream === undefined) {
      stream = { blockBytes: library.header(bits) * 100_000, checksum: 0 };
      return undefined;
    }
    const { blockBytes, checksum } = stream;
    const content = new Content();
    // The library reads only what it wrote for the same block.
    if (workspace.length < blockBytes) workspace = new Int32Array(blockBytes);
    const next = library.decompress(bits, (byte) => content.add(byte), workspace, blockBytes, checksum);
    if (next === null) stream = undefined;
    else stream.checksum = next;
    return content.bytes();
  };
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    waiting.push(chunk);
    receivedBytes += chunk.length;
    while (receivedBytes - bits.bytesRead > mostAdded + (stream?.blockBytes ?? 0)) {
      const content = readNext();
      if (content !== undefined) yield content;
    }
  }
  while (receivedBytes > bits.bytesRead) {
    const content = readNext();
    if (content !== undefined) yield content;
  }
  if (stream !== undefined) throw new Error('the data are cut');
}

/** Bytes that are added one after another. */
class Content {
  #bytes = new Uint8Array(64 * 1024);
  #size = 0;

  add(byte: number): void {
    if (this.#size === this.#bytes.length) {
      const larger = new Uint8Array(this.#size * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#size] = byte;
    this.#size += 1;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }
}
