// Reads logged texts: what the SQL function `text_tokens` made of a text.
import { type BinaryToken, binaryOf } from './chunks.js';

const byte = { fieldEnd: 0, countMark: 1, zero: 0x30, nine: 0x39 } as const;
const [fieldEnd, countMark] = ['\u0000', '\u0001'];
const isDigit = (character: string | undefined) =>
  character !== undefined && character >= '0' && character <= '9';

/** Reads the different tokens of a text one after another. */
export class TokenReader {
  /** The number of all tokens. */
  readonly length: number;
  /** Where the present token begins and ends in the bytes. */
  start = 0;
  end = 0;
  /** How often the text has it. */
  count = 0;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = this.#integer();
  }

  /** Moves to the next token; false at the end. */
  next(): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.#at;
    if (at >= length) return false;
    this.start = at;
    while (at < length && bytes[at] !== byte.fieldEnd) at += 1;
    this.end = at;
    this.count = 1;
    this.#at = at + 1;
    if (bytes[at + 1] === byte.countMark) {
      const digit = bytes[at + 2] ?? 0;
      if (digit >= byte.zero && digit <= byte.nine) {
        this.#at = at + 2;
        this.count = this.#integer();
      }
    }
    return true;
  }

  /** Reads a field of digits. */
  #integer(): number {
    let value = 0;
    for (;;) {
      const digit = this.#bytes[this.#at] ?? byte.fieldEnd;
      this.#at += 1;
      if (digit === byte.fieldEnd) return value;
      value = value * 10 + digit - byte.zero;
    }
  }
}

/** The number in a field; undefined for a token. */
function countIn(field: string): number | undefined {
  return field.startsWith(countMark) && isDigit(field[1]) ? Number(field.slice(1)) : undefined;
}

/** The number of all tokens, and how often each of some tokens occurs. */
export function countsIn(
  bytes: Uint8Array,
  tokens: readonly BinaryToken[],
): { readonly length: number; readonly counts: readonly number[] } {
  const logged = binaryOf(bytes);
  const counts = tokens.map((token) => {
    const at = logged.indexOf(`${fieldEnd}${token}${fieldEnd}`);
    if (at < 0) return 0;
    const next = at + token.length + 2;
    return countIn(logged.slice(next, logged.indexOf(fieldEnd, next))) ?? 1;
  });
  return { length: Number(logged.slice(0, logged.indexOf(fieldEnd))), counts };
}

/** The bytes that a logged text with a token contains, and no other one. */
export function searchedBytes(token: BinaryToken): Uint8Array {
  return Buffer.from(`${fieldEnd}${token}${fieldEnd}`, 'latin1');
}
