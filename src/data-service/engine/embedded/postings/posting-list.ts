// Posting lists: the rows that have a token, or lost it, in the order of their numbers.

/**
 * A piece of a posting list, in some bytes. For each row: the difference from the row before (the first: its number)
 * times 2, plus 1 unless it is new and has the token once. In that case 2 times the count follows, plus 1 if the row is
 * not new; 0 if it lost the token. The length of the text follows unless it lost it.
 */
export interface ListPiece {
  /** By how much it changes the number of rows: the sum of `PieceReader.change`. */
  readonly change: number;
  readonly first: number;
  readonly last: number;
  readonly bytes: Uint8Array;
  /** Where the piece begins and ends in the bytes. */
  readonly start: number;
  readonly end: number;
}

/** Reads the postings of a piece one after another. */
export class PieceReader {
  row = 0;
  /** How often the text has the token; 0 if the row lost it. */
  count = 0;
  /** The number of all tokens of the text; 0 if the row lost the token. */
  length = 0;
  /** 1 if older segments do not have the token of the row, 0 if they do, -1 if the row lost it. */
  change = 0;
  #bytes: Uint8Array;
  #at: number;
  #end: number;

  constructor({ bytes, start, end }: Pick<ListPiece, 'bytes' | 'start' | 'end'>) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Moves to the next posting; false at the end. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const code = this.#integer();
    if (code % 2 === 0) {
      this.row += code / 2;
      this.count = 1;
      this.change = 1;
      this.length = this.#integer();
      return true;
    }
    this.row += (code - 1) / 2;
    const counted = this.#integer();
    this.count = Math.floor(counted / 2);
    this.change = counted === 0 ? -1 : 1 - (counted % 2);
    this.length = counted === 0 ? 0 : this.#integer();
    return true;
  }

  // `ByteReader` does the same; an object of its own would make long lists slower.
  #integer(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
}
