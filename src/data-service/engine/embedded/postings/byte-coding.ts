// Integers in 7-bit groups, smallest first, and growing byte arrays for them.

/** Collects bytes. */
export class ByteWriter {
  #bytes = new Uint8Array(4_096);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Appends an integer from 0 to 2^53 - 1. */
  integer(value: number): void {
    this.#reserve(8);
    if (value < 0x80) {
      this.#bytes[this.#size] = value;
      this.#size += 1;
      return;
    }
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#size] = (rest % 0x80) | 0x80;
      this.#size += 1;
      rest = rest < 2 ** 31 ? rest >> 7 : Math.floor(rest / 0x80);
    }
    this.#bytes[this.#size] = rest;
    this.#size += 1;
  }

  append(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const count = end - start;
    this.#reserve(count);
    // Most pieces are so short that a view of them would take longer.
    if (count > 64) this.#bytes.set(bytes.subarray(start, end), this.#size);
    else for (let at = 0; at < count; at += 1) this.#bytes[this.#size + at] = bytes[start + at] ?? 0;
    this.#size += count;
  }

  /** Appends what another writer has, and empties that one. */
  move(other: ByteWriter): void {
    this.append(other.#bytes, 0, other.#size);
    other.#size = 0;
  }

  /** A copy of the bytes since the last call. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    return taken;
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + count));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#end;
  }

  integer(): number {
    const { bytes } = this;
    let value = 0;
    for (let scale = 1; this.at < this.#end; scale *= 0x80) {
      const byte = bytes[this.at] ?? 0;
      this.at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  }
}
