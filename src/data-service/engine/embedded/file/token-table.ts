// The different tokens of some texts: a hash table over their bytes, which makes no strings.

/** Some bytes that contain a token, and where it begins and ends in them. */
export interface TokenPlace {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The token at a place, with one character for each byte. */
export function binaryAt({ bytes, start, end }: TokenPlace): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/** In the order of the bytes: negative if the left token comes first, 0 if both are the same. */
export function compareTokens(left: TokenPlace, right: TokenPlace): number {
  const [bytes, others] = [left.bytes, right.bytes];
  let [at, other] = [left.start, right.start];
  for (; at < left.end && other < right.end; at += 1, other += 1) {
    const difference = (bytes[at] ?? 0) - (others[other] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.end - at - (right.end - other);
}

const usualTokenBytes = 8;
/** So many places are looked at: a client can send many tokens with the same hash. */
const mostProbes = 64;

/** Gives each different token a number, from 0. */
export class TokenTable {
  size = 0;
  /** The tokens one after another, in the order of their numbers. */
  #bytes: Uint8Array;
  /** Where each token begins; the next one begins at its end. */
  #starts: Uint32Array;
  #hashes: Uint32Array;
  /** Open addressing: near the place of its hash, the number of a token plus 1; 0 is free. */
  #slots: Uint32Array;
  /** The tokens that found no free place, by their bytes. */
  readonly #others = new Map<string, number>();
  readonly #usualTokens: number;

  /** `usualTokens`: with more of them the table grows. A power of two. */
  constructor(usualTokens: number) {
    this.#usualTokens = usualTokens;
    this.#bytes = new Uint8Array(usualTokens * usualTokenBytes);
    this.#starts = new Uint32Array(usualTokens + 1);
    this.#hashes = new Uint32Array(usualTokens);
    this.#slots = new Uint32Array(usualTokens * 2);
  }

  /** Removes all tokens. */
  clear(): void {
    this.size = 0;
    this.#slots.fill(0);
    this.#others.clear();
  }

  /** Whether it has grown. */
  get isLarge(): boolean {
    return this.#slots.length > this.#usualTokens * 2;
  }

  /** The number of bytes of all tokens. */
  get sizeBytes(): number {
    return this.#starts[this.size] ?? 0;
  }

  /** The number of a token, which is added if it is new. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = 0; probe < mostProbes; probe += 1) {
      const number = (slots[(hash + probe) & mask] ?? 0) - 1;
      if (number < 0) return this.#add(bytes, start, end, hash);
      if (this.#hashes[number] === hash && this.#isToken(number, bytes, start, end)) return number;
    }
    return this.#others.get(binaryAt({ bytes, start, end })) ?? this.#add(bytes, start, end, hash);
  }

  /** Where the bytes of a token are; until another token is added. */
  placeOf(number: number): TokenPlace {
    return { bytes: this.#bytes, start: this.#starts[number] ?? 0, end: this.#starts[number + 1] ?? 0 };
  }

  /** The numbers in the order of the bytes of the tokens. */
  sorted(): Uint32Array {
    // By the first bytes as integers: few tokens have the same ones and must be compared.
    const prefixes = new Uint32Array(this.size);
    for (let number = 0; number < this.size; number += 1) prefixes[number] = this.#prefixOf(number);
    const numbers = sortedByPrefix(prefixes);
    const prefixAt = (at: number) => prefixes[numbers[at] ?? 0];
    let start = 0;
    for (let at = 1; at <= numbers.length; at += 1) {
      if (at < numbers.length && prefixAt(at) === prefixAt(start)) continue;
      if (at - start > 1)
        numbers
          .subarray(start, at)
          .sort((left, right) => compareTokens(this.placeOf(left), this.placeOf(right)));
      start = at;
    }
    return numbers;
  }

  /** Appends the bytes of a token to others; returns where they end. */
  copyTo(target: Uint8Array, at: number, number: number): number {
    const [start, end] = [this.#starts[number] ?? 0, this.#starts[number + 1] ?? 0];
    const source = this.#bytes;
    for (let from = start; from < end; from += 1) target[at + from - start] = source[from] ?? 0;
    return at + end - start;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const number = this.size;
    const at = this.#starts[number] ?? 0;
    this.#reserve(at + end - start);
    for (let from = start; from < end; from += 1) this.#bytes[at + from - start] = bytes[from] ?? 0;
    this.size = number + 1;
    this.#starts[number + 1] = at + end - start;
    this.#hashes[number] = hash;
    if (this.size * 2 > this.#slots.length) this.#growSlots();
    else this.#place(number);
    return number;
  }

  /** Room for another token that ends there. */
  #reserve(end: number): void {
    if (end > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    if (this.size < this.#hashes.length) return;
    const [hashes, starts] = [new Uint32Array(this.size * 2), new Uint32Array(this.size * 2 + 1)];
    hashes.set(this.#hashes);
    starts.set(this.#starts);
    [this.#hashes, this.#starts] = [hashes, starts];
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    this.#others.clear();
    for (let number = 0; number < this.size; number += 1) this.#place(number);
  }

  #place(number: number): void {
    const slots = this.#slots;
    const hash = this.#hashes[number] ?? 0;
    const mask = slots.length - 1;
    for (let probe = 0; probe < mostProbes; probe += 1) {
      const slot = (hash + probe) & mask;
      if (slots[slot] !== 0) continue;
      slots[slot] = number + 1;
      return;
    }
    this.#others.set(binaryAt(this.placeOf(number)), number);
  }

  #isToken(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[number] ?? 0;
    if ((this.#starts[number + 1] ?? 0) - from !== end - start) return false;
    const own = this.#bytes;
    for (let at = start; at < end; at += 1) if (own[from + at - start] !== bytes[at]) return false;
    return true;
  }

  /** The first four bytes of a token as an integer, with zeros behind a shorter one. */
  #prefixOf(number: number): number {
    const [start, end] = [this.#starts[number] ?? 0, this.#starts[number + 1] ?? 0];
    let prefix = 0;
    for (let at = start; at < start + 4; at += 1)
      prefix = (prefix << 8) | (at < end ? (this.#bytes[at] ?? 0) : 0);
    return prefix >>> 0;
  }
}

/** The numbers of some prefixes in ascending order: four rounds by one byte each, from the last one. */
function sortedByPrefix(prefixes: Uint32Array): Uint32Array {
  let numbers = new Uint32Array(prefixes.length);
  for (let number = 0; number < numbers.length; number += 1) numbers[number] = number;
  let next = new Uint32Array(prefixes.length);
  for (let shift = 0; shift < 32; shift += 8) {
    /** Where the next number with a byte goes. */
    const places = new Uint32Array(257);
    for (let at = 0; at < prefixes.length; at += 1) {
      const following = (((prefixes[at] ?? 0) >>> shift) & 0xff) + 1;
      places[following] = (places[following] ?? 0) + 1;
    }
    for (let byte = 1; byte < 256; byte += 1) places[byte] = (places[byte] ?? 0) + (places[byte - 1] ?? 0);
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0;
      const byte = ((prefixes[number] ?? 0) >>> shift) & 0xff;
      const place = places[byte] ?? 0;
      next[place] = number;
      places[byte] = place + 1;
    }
    [numbers, next] = [next, numbers];
  }
  return numbers;
}
