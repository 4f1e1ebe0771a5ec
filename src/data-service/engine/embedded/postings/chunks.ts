// Chunks: the rows of the table of postings. A shared chunk has the whole lists of several tokens; a long list has
// chunks of its own. Their keys ascend, so that the last chunk whose key is not after a token is the only one that can
// have it, or is its last one.
import type { TokenPlace } from '../file/token-table.js';
import { ByteReader } from './byte-coding.js';
import type { ListPiece } from './posting-list.js';

/** A token in its stored form, as a string with one character for each byte: such strings compare like the bytes. */
export type BinaryToken = string;

export interface Chunk {
  /** The token; the first one of a shared chunk. */
  readonly token: BinaryToken;
  /** The first row of a long list; 0 for a shared chunk. */
  readonly row: number;
  /** See `ListPiece`; 0 for a shared chunk. */
  readonly change: number;
  /**
   * For a long list the difference between its last and its first row, then the list. Otherwise for each token: the
   * number of its bytes, the bytes, 2 times `change` (for a negative one 2 times its amount, minus 1), the difference
   * between the last and the first row, the number of bytes of the list, the list.
   */
  readonly bytes: Uint8Array;
}

/** Sizes in bytes. */
export interface ChunkSizes {
  /** About the largest chunk: two pages of SQLite. */
  readonly chunk: number;
  /** A list that is larger has chunks of its own. At most half of a chunk. */
  readonly sharedList: number;
}

/** Reads the entries of a chunk one after another: tokens with their lists, or a piece of a long list. */
export class ChunkReader implements ListPiece {
  /** Stays the same after the next entry. */
  token: TokenPlace;
  change = 0;
  first = 0;
  last = 0;
  start = 0;
  end = 0;
  readonly isLong: boolean;
  readonly bytes: Buffer;
  readonly #chunk: Chunk;
  readonly #reader: ByteReader;

  constructor(chunk: Chunk) {
    const { bytes } = chunk;
    this.#chunk = chunk;
    this.isLong = chunk.row > 0;
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#reader = new ByteReader(this.bytes);
    this.token = placeOf(this.isLong ? bytesOfBinary(chunk.token) : noBytes);
  }

  /** Moves to the next entry; false at the end. */
  next(): boolean {
    const reader = this.#reader;
    if (reader.isAtEnd) return false;
    if (this.isLong) {
      const { row, change } = this.#chunk;
      [this.first, this.change] = [row, change];
      this.last = row + reader.integer();
      [this.start, this.end] = [reader.at, this.bytes.length];
      reader.at = this.end;
      return true;
    }
    const size = reader.integer();
    this.token = { bytes: this.bytes, start: reader.at, end: reader.at + size };
    reader.at += size;
    this.#readList();
    return true;
  }

  /** Moves to a token of a shared chunk; false if it has none of that name. */
  find(token: Uint8Array): boolean {
    const reader = this.#reader;
    while (!reader.isAtEnd) {
      const size = reader.integer();
      const isFound = size === token.length && startsAt(this.bytes, reader.at, token);
      reader.at += size;
      if (isFound) {
        this.#readList();
        return true;
      }
      reader.integer();
      reader.integer();
      const listSize = reader.integer();
      reader.at += listSize;
    }
    return false;
  }

  /** The list of the present entry, without the rest of the chunk. */
  copy(): ListPiece {
    const { change, first, last, start, end } = this;
    const bytes = Uint8Array.prototype.slice.call(this.bytes, start, end);
    return { change, first, last, bytes, start: 0, end: bytes.length };
  }

  #readList(): void {
    const reader = this.#reader;
    const sign = reader.integer();
    const span = reader.integer();
    const size = reader.integer();
    this.start = reader.at;
    this.end = reader.at + size;
    this.first = Math.floor(reader.integer() / 2);
    this.last = this.first + span;
    this.change = sign % 2 === 0 ? sign / 2 : -(sign + 1) / 2;
    reader.at = this.end;
  }
}

const noBytes = new Uint8Array(0);

function startsAt(bytes: Uint8Array, start: number, token: Uint8Array): boolean {
  for (let at = 0; at < token.length; at += 1) if (bytes[start + at] !== token[at]) return false;
  return true;
}

/** The place of a token that is all of some bytes. */
export function placeOf(bytes: Uint8Array): TokenPlace {
  return { bytes, start: 0, end: bytes.length };
}

/** The bytes of a token as a string. */
export function binaryOf(bytes: Uint8Array): BinaryToken {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a token. */
export function bytesOfBinary(token: BinaryToken): Uint8Array {
  return Buffer.from(token, 'latin1');
}
