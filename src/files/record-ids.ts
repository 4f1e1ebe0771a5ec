// Makes the ids of documents whose file has none: the same record gets the same id, in whatever file it is.
import type { JsonText } from '../foundation/json/json-value.js';

/** The SHA-256 of a text, or another hash of at least 32 hexadecimal digits. */
export type HashText = (text: string) => string;

/** The number of different records without ids that a file can have. */
const mostRecords = 50_000_000;

/**
 * Numbers equal texts: 0 for the first one, 1 for the second. It keeps 12 to 32 bytes for each different text. Texts
 * with the same 64 bits of a hash are taken as equal: a number is then not 0 that could be, which harms nothing.
 */
export class EqualTexts {
  #high = new Uint32Array(1024);
  #low = new Uint32Array(1024);
  /** How often; 0 for an empty slot. */
  #counts = new Uint32Array(1024);
  #size = 0;

  /** The number of a text with these two halves of a hash, each an unsigned integer of 32 bits. */
  next(high: number, low: number): number {
    if (this.#size * 4 > this.#counts.length * 3) this.#grow();
    const slot = this.#slotOf(high, low);
    const count = this.#counts[slot] ?? 0;
    if (count === 0) {
      this.#size += 1;
      this.#high[slot] = high;
      this.#low[slot] = low;
    }
    this.#counts[slot] = count + 1;
    return count;
  }

  /** Whether there was a text with these two halves of a hash. */
  has(high: number, low: number): boolean {
    return this.#counts[this.#slotOf(high, low)] !== 0;
  }

  /** How many different texts there were. */
  get size(): number {
    return this.#size;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#counts.length - 1;
    let slot = low & mask;
    while (this.#counts[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low))
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [high, low, counts] = [this.#high, this.#low, this.#counts];
    this.#high = new Uint32Array(counts.length * 2);
    this.#low = new Uint32Array(counts.length * 2);
    this.#counts = new Uint32Array(counts.length * 2);
    for (let at = 0; at < counts.length; at += 1) {
      const [count = 0, own = 0, other = 0] = [counts[at], high[at], low[at]];
      if (count === 0) continue;
      const slot = this.#slotOf(own, other);
      this.#high[slot] = own;
      this.#low[slot] = other;
      this.#counts[slot] = count;
    }
  }
}

/** The ids of the records of one file, which must be asked for in the order of the file. */
export class RecordIds {
  readonly #hash: HashText;
  readonly #equal = new EqualTexts();

  constructor(hash: HashText) {
    this.#hash = hash;
  }

  /** The id of a record with this content; undefined if the file has more different ones than `mostRecords`. */
  next(content: string): JsonText | undefined {
    const hash = this.#hash(content);
    const number = this.#equal.next(halfOf(hash, 0), halfOf(hash, 8));
    if (this.#equal.size > mostRecords) return undefined;
    return uuidOf(number === 0 ? hash : this.#hash(`${hash} ${number}`));
  }
}

function halfOf(hash: string, at: number): number {
  return Number.parseInt(hash.slice(at, at + 8), 16);
}

/** A UUID of version 8 (RFC 9562). */
function uuidOf(hash: string): JsonText {
  const variant = '89ab'[Number.parseInt(hash.slice(16, 17), 16) % 4] ?? '8';
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ];
  return `{"$uuid":"${parts.join('-')}"}`;
}
