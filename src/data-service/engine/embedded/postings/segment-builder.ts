// Sorts the tokens of some texts into posting lists.
import { TokenTable } from '../file/token-table.js';
import { ChunkWriter } from './chunk-writer.js';
import type { Chunk, ChunkSizes } from './chunks.js';
import { TokenReader } from './logged-text.js';

/** Collects texts of ascending rows, and makes the chunks of a segment from them. */
export class SegmentBuilder {
  readonly #tokens = new TokenTable(usualTokens);
  readonly #postings = new Postings();
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
    const place = this.#rows.length;
    const lost = old === null ? noTokens : this.#tokensBefore(old);
    let length = 0;
    if (logged !== null) {
      const reader = new TokenReader(logged);
      ({ length } = reader);
      while (reader.next()) {
        const token = this.#tokens.numberOf(logged, reader.start, reader.end);
        this.#postings.add(token, place, reader.count, lost.size > 0 && lost.delete(token) ? 0 : 1);
      }
      this.#texts += 1;
      this.#length += length;
    }
    for (const token of lost) this.#postings.add(token, place, 0, -1);
    this.#rows.push(row);
    this.#lengths.push(length);
  }

  #tokensBefore(old: Uint8Array): Set<number> {
    const reader = new TokenReader(old);
    this.#texts -= 1;
    this.#length -= reader.length;
    const tokens = new Set<number>();
    while (reader.next()) tokens.add(this.#tokens.numberOf(old, reader.start, reader.end));
    return tokens;
  }

  chunks(sizes: ChunkSizes): readonly Chunk[] {
    const chunks: Chunk[] = [];
    const writer = new ChunkWriter(sizes, (chunk) => chunks.push(chunk));
    const { places, counts, changes } = this.#postings;
    const { starts, order } = this.#postings.byToken(this.#tokens.size);
    for (const token of this.#tokens.sorted()) {
      const end = starts[token + 1] ?? 0;
      writer.begin(this.#tokens.placeOf(token), false);
      for (let at = starts[token] ?? 0; at < end; at += 1) {
        const posting = order[at] ?? 0;
        const place = places[posting] ?? 0;
        const [row, length] = [this.#rows[place] ?? 0, this.#lengths[place] ?? 0];
        writer.posting(row, counts[posting] ?? 0, length, changes[posting] ?? 0);
      }
      writer.end();
    }
    writer.finish();
    return chunks;
  }
}

const noTokens = new Set<number>();
const usualTokens = 16 * 1024;
const firstPostings = 32 * 1024;

/** A posting for each token of each row, in the order of the rows: the first `size` values of parallel arrays. */
class Postings {
  size = 0;
  tokens = new Uint32Array(firstPostings);
  /** The place of the row among the rows of the segment. */
  places = new Uint32Array(firstPostings);
  counts = new Uint32Array(firstPostings);
  changes = new Int8Array(firstPostings);

  add(token: number, place: number, count: number, change: number): void {
    const at = this.size;
    if (at === this.tokens.length) this.#grow();
    this.tokens[at] = token;
    this.places[at] = place;
    this.counts[at] = count;
    this.changes[at] = change;
    this.size = at + 1;
  }

  /** The places of the postings in the order of their tokens, and where each token begins. */
  byToken(tokenCount: number): { readonly starts: Uint32Array; readonly order: Uint32Array } {
    const { tokens, size } = this;
    const starts = new Uint32Array(tokenCount + 1);
    for (let at = 0; at < size; at += 1) {
      const next = (tokens[at] ?? 0) + 1;
      starts[next] = (starts[next] ?? 0) + 1;
    }
    for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
    const next = starts.slice();
    const order = new Uint32Array(size);
    for (let posting = 0; posting < size; posting += 1) {
      const token = tokens[posting] ?? 0;
      const at = next[token] ?? 0;
      order[at] = posting;
      next[token] = at + 1;
    }
    return { starts, order };
  }

  #grow(): void {
    const capacity = this.size * 2;
    this.tokens = copied(this.tokens, new Uint32Array(capacity));
    this.places = copied(this.places, new Uint32Array(capacity));
    this.counts = copied(this.counts, new Uint32Array(capacity));
    this.changes = copied(this.changes, new Int8Array(capacity));
  }
}

function copied<List extends Uint32Array | Int8Array>(list: List, wide: List): List {
  wide.set(list);
  return wide;
}
