// Finds the rows of a file that replace a row before them, because both have the same primary key.
import { EqualTexts } from './record-ids.js';

/** The number of different keys that are remembered, in 12 to 32 bytes each. */
const mostKeys = 5_000_000;

/** The keys of the rows so far. If there are more than `mostKeys` different ones, it remembers only the first ones. */
export class KnownKeys {
  readonly #equal = new EqualTexts();

  /** Adds a key; true if a row before had it. Keys with the same 64 bits of a hash are taken as equal. */
  add(key: string): boolean {
    const [high, low] = hashOf(key);
    if (this.#equal.size < mostKeys) return this.#equal.next(high, low) > 0;
    return this.#equal.has(high, low);
  }
}

/** Makes two hashes of 32 bits with different beginnings and factors. Odd factors lose no bit of a key. */
function hashOf(text: string): readonly [high: number, low: number] {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x5bd1e995);
    low ^= low >>> 15;
  }
  return [mixed(high), mixed(low)];
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (half ^ (half >>> 15)) >>> 0;
}
