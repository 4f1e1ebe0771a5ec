// Sorts the tokens of some texts into posting lists.
import { ChunkWriter } from './chunk-writer.js';
import type { BinaryToken, Chunk, ChunkSizes } from './chunks.js';
import { eachToken } from './logged-text.js';

/** Collects texts of ascending rows, and makes the chunks of a segment from them. */
export class SegmentBuilder {
  readonly #numbers = new Map<BinaryToken, number>();
  /** For each token of each row, in the order of the rows: the number of the token, the place of the row, the count. */
  readonly #tokens: number[] = [];
  readonly #places: number[] = [];
  readonly #counts: number[] = [];
  readonly #changes: number[] = [];
  readonly #rows: number[] = [];
  readonly #lengths: number[] = [];
  #texts = 0;
  #length = 0;

  /** By how much the rows change the number of texts. */
  get texts(): number {
    return this.#texts;
  }

  /** By how much they change the number of tokens of all texts. */
  get length(): number {
    return this.#length;
  }

  /** Adds a row with its tokens, and with those that older segments have of it; rows must ascend. */
  add(row: number, logged: Uint8Array | null, old: Uint8Array | null): void {
    const lost = new Set<BinaryToken>();
    const place = this.#rows.length;
    this.#rows.push(row);
    if (old !== null) {
      this.#texts -= 1;
      this.#length -= eachToken(old, (token) => lost.add(token));
    }
    let length = 0;
    if (logged !== null) {
      length = eachToken(logged, (token, count) =>
        this.#addPosting(token, place, count, lost.delete(token) ? 0 : 1),
      );
      this.#texts += 1;
      this.#length += length;
    }
    this.#lengths.push(length);
    for (const token of lost) this.#addPosting(token, place, 0, -1);
  }

  #addPosting(token: BinaryToken, place: number, count: number, change: number): void {
    let number = this.#numbers.get(token);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(token, number);
    }
    this.#tokens.push(number);
    this.#places.push(place);
    this.#counts.push(count);
    this.#changes.push(change);
  }

  chunks(sizes: ChunkSizes): readonly Chunk[] {
    const chunks: Chunk[] = [];
    const writer = new ChunkWriter(sizes, (chunk) => chunks.push(chunk));
    const { starts, order } = this.#byToken();
    const sorted = [...this.#numbers.keys()].sort(compareTokens);
    for (const token of sorted) {
      const number = this.#numbers.get(token) ?? 0;
      const end = starts[number + 1] ?? 0;
      writer.begin(token, false);
      for (let at = starts[number] ?? 0; at < end; at += 1) {
        const posting = order[at] ?? 0;
        const place = this.#places[posting] ?? 0;
        const row = this.#rows[place] ?? 0;
        const length = this.#lengths[place] ?? 0;
        writer.posting(row, this.#counts[posting] ?? 0, length, this.#changes[posting] ?? 0);
      }
      writer.end();
    }
    writer.finish();
    return chunks;
  }

  /** The places in `#tokens` in the order of the numbers of tokens, and where each number begins. */
  #byToken(): { readonly starts: Uint32Array; readonly order: Uint32Array } {
    const starts = new Uint32Array(this.#numbers.size + 1);
    for (const number of this.#tokens) starts[number + 1] = (starts[number + 1] ?? 0) + 1;
    for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
    const next = starts.slice();
    const order = new Uint32Array(this.#tokens.length);
    for (const [place, number] of this.#tokens.entries()) {
      const at = next[number] ?? 0;
      order[at] = place;
      next[number] = at + 1;
    }
    return { starts, order };
  }
}

/** In the order of the bytes. */
export function compareTokens(left: BinaryToken, right: BinaryToken): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
