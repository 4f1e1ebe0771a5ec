// Finds the memory that the frames of a zstd file need, before they are decompressed (RFC 8878).

import { joinBytes } from './join-bytes.js';

/** Follows the frames of a file that arrives in pieces. */
export class ZstdFrames {
  /** The beginning of a header that is not complete yet. */
  #header = new Uint8Array();
  /** Bytes of a block, a checksum or a skippable frame that are not looked at. */
  #skipped = 0;
  #expected: 'frame' | 'block' = 'frame';
  #hasChecksum = false;

  /**
   * The largest window, in bytes, of the frames whose headers end in this piece; 0 without one. A frame of a single
   * segment is held as a whole. What is not a frame counts as none: the decompressor reports it.
   */
  largestWindow(piece: Uint8Array): number {
    let largest = 0;
    let at = 0;
    while (at < piece.length) {
      if (this.#skipped > 0) {
        const passed = Math.min(this.#skipped, piece.length - at);
        this.#skipped -= passed;
        at += passed;
        continue;
      }
      const before = this.#header.length;
      this.#header = joinBytes(this.#header, piece.subarray(at, at + longestHeader));
      const read = this.#expected === 'block' ? this.#readBlock() : this.#readFrame();
      if (read === undefined) return largest; // the header continues in the next piece
      largest = Math.max(largest, read.window);
      at += read.length - before;
      this.#header = new Uint8Array();
    }
    return largest;
  }

  #readBlock(): Read | undefined {
    if (this.#header.length < 3) return undefined;
    const bits = numberAt(this.#header, 0, 3);
    const size = bits >> 3;
    const isRepeatedByte = ((bits >> 1) & 3) === 1;
    this.#skipped = isRepeatedByte ? 1 : size;
    if ((bits & 1) === 1) {
      this.#expected = 'frame';
      this.#skipped += this.#hasChecksum ? 4 : 0;
    }
    return { length: 3, window: 0 };
  }

  #readFrame(): Read | undefined {
    const header = this.#header;
    if (header.length < 5) return undefined;
    const magic = numberAt(header, 0, 4);
    if (magic >>> 4 === skippableMagic) {
      if (header.length < 8) return undefined;
      this.#skipped = numberAt(header, 4, 4);
      return { length: 8, window: 0 };
    }
    const descriptor = header[4] ?? 0;
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const contentAt = 5 + (isSingleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 3] ?? 0);
    const contentBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    if (header.length < contentAt + contentBytes) return undefined;
    this.#expected = 'block';
    this.#hasChecksum = (descriptor & 4) !== 0;
    const window = isSingleSegment
      ? contentSize(header, contentAt, contentBytes)
      : windowSize(header[5] ?? 0);
    return { length: contentAt + contentBytes, window };
  }
}

/** How long a header is, and the window that it names. */
interface Read {
  readonly length: number;
  readonly window: number;
}

/** A frame header has at most 18 bytes. */
const longestHeader = 18;
const skippableMagic = 0x184d2a5;
const dictionaryIdBytes = [0, 1, 2, 4];

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(header: Uint8Array, at: number, bytes: number): number {
  return numberAt(header, at, bytes) + (bytes === 2 ? 256 : 0);
}

/** An unsigned integer whose least byte is the first one, rounded if it has more than 53 bits. */
function numberAt(bytes: Uint8Array, at: number, length: number): number {
  return bytes.subarray(at, at + length).reduceRight((number, byte) => number * 256 + byte, 0);
}
