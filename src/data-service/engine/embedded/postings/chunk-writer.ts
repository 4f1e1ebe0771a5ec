// Writes the lists of tokens as chunks.

import { binaryAt, type TokenPlace } from '../file/token-table.js';
import { ByteReader, ByteWriter } from './byte-coding.js';
import { type BinaryToken, type Chunk, type ChunkSizes, placeOf } from './chunks.js';
import type { ListPiece } from './posting-list.js';

/** Takes tokens in ascending order: for each `begin`, its postings or pieces in the order of rows, then `end`. */
export class ChunkWriter {
  readonly #sizes: ChunkSizes;
  readonly #emit: (chunk: Chunk) => void;
  readonly #shared = new ByteWriter();
  readonly #list = new ByteWriter();
  readonly #long = new ByteWriter();
  #sharedToken: BinaryToken | undefined;
  #token = placeOf(new Uint8Array(0));
  #isLong = false;
  #change = 0;
  #first = 0;
  #last = 0;

  constructor(sizes: ChunkSizes, emit: (chunk: Chunk) => void) {
    this.#sizes = sizes;
    this.#emit = emit;
  }

  /** Begins a token; `isLong`: its list gets chunks of its own, whatever its size. */
  begin(token: TokenPlace, isLong: boolean): void {
    this.#token = token;
    this.#isLong = isLong;
  }

  /** Adds a row; see `PieceReader`. */
  posting(row: number, count: number, length: number, change: number): void {
    const list = this.#list;
    const isFirst = list.size === 0;
    if (isFirst) this.#first = row;
    const difference = isFirst ? row : row - this.#last;
    if (change === 1 && count === 1) list.integer(difference * 2);
    else {
      list.integer(difference * 2 + 1);
      list.integer(change < 0 ? 0 : count * 2 + (change === 0 ? 1 : 0));
    }
    if (change >= 0) list.integer(length);
    this.#last = row;
    this.#change += change;
    if (list.size >= (this.#isLong ? this.#sizes.chunk : this.#sizes.sharedList)) this.#listIsLarge();
  }

  /** Adds a piece of a list without reading its postings. */
  piece({ bytes, start, end, first, last, change }: ListPiece): void {
    const list = this.#list;
    if (list.size + end - start > this.#sizes.sharedList) this.#isLong = true;
    if (list.size > 0 && list.size + end - start > this.#sizes.chunk) this.#emitLong();
    if (list.size === 0) {
      this.#first = first;
      list.append(bytes, start, end);
    } else {
      const reader = new ByteReader(bytes, start, end);
      list.integer((first - this.#last) * 2 + (reader.integer() % 2));
      list.append(bytes, reader.at, end);
    }
    this.#last = last;
    this.#change += change;
  }

  /** Ends the list of the token; one without rows is left out. */
  end(): void {
    if (this.#list.size === 0) return;
    if (this.#isLong) this.#emitLong();
    else this.#addShared();
  }

  /** Ends the last chunk. */
  finish(): void {
    if (this.#sharedToken === undefined) return;
    this.#emit({ token: this.#sharedToken, row: 0, change: 0, bytes: this.#shared.take() });
    this.#sharedToken = undefined;
  }

  #listIsLarge(): void {
    if (this.#isLong) this.#emitLong();
    else this.#isLong = true;
  }

  #addShared(): void {
    const [shared, list, token] = [this.#shared, this.#list, this.#token];
    const size = token.end - token.start;
    if (shared.size + size + list.size > this.#sizes.chunk) this.finish();
    this.#sharedToken ??= binaryAt(token);
    shared.integer(size);
    shared.append(token.bytes, token.start, token.end);
    shared.integer(this.#change < 0 ? this.#change * -2 - 1 : this.#change * 2);
    shared.integer(this.#last - this.#first);
    shared.integer(list.size);
    shared.move(list);
    this.#change = 0;
  }

  #emitLong(): void {
    this.finish();
    this.#long.integer(this.#last - this.#first);
    this.#long.move(this.#list);
    this.#emit({
      token: binaryAt(this.#token),
      row: this.#first,
      change: this.#change,
      bytes: this.#long.take(),
    });
    this.#change = 0;
  }
}
