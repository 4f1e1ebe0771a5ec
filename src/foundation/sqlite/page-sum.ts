// SQLite's checksum: of the frames of its write-ahead log, and here also of the pages of a database file.
// https://www.sqlite.org/fileformat2.html#checksum_algorithm
import { endianness } from 'node:os';
import type { NumberPair } from './log-format.js';

/** The size of the largest page, in bytes. */
const mostBytes = 65_536;

/** Numbers with a sign, because arithmetic with them is several times as fast. */
const words = new Int32Array(mostBytes / Int32Array.BYTES_PER_ELEMENT);
const wordBytes = Buffer.from(words.buffer);

/** Whether words with the least significant byte first have another order in the memory of this machine. */
const isLittleSwapped = endianness() !== 'LE';

/**
 * Continues a sum over more bytes, of which there are a multiple of 8 and at most those of a page. `isSwapped`: the
 * words have another order of bytes than the memory of this machine.
 */
export function continueSum([first, second]: NumberPair, bytes: Buffer, isSwapped: boolean): NumberPair {
  wordBytes.set(bytes);
  if (isSwapped) wordBytes.subarray(0, bytes.length).swap32();
  const count = bytes.length >> 2;
  let one = first | 0;
  let two = second | 0;
  for (let at = 0; at < count; at += 2) {
    one = (one + (words[at] ?? 0) + two) | 0;
    two = (two + (words[at + 1] ?? 0) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}

/**
 * The sum of a page with a number, from 1: the same content at another place has another sum. It finds every change
 * within one word of 4 bytes, and all but one of 2^64 other changes. It is never [0, 0].
 */
export function sumOfPage(page: number, bytes: Buffer): NumberPair {
  const [first, second] = continueSum([page, 1], bytes, isLittleSwapped);
  return first === 0 && second === 0 ? [0, 1] : [first, second];
}
