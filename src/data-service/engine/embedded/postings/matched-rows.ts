// Finds the rows of a span whose texts have all of some tokens.
import { PieceReader } from './posting-list.js';
import type { RowSpan } from './text-tables.js';
import type { TokenLists } from './token-lists.js';

const firstCapacity = 1_024;

/** Rows with the length of their text and the count of each token: the first `size` values of parallel arrays. */
export class MatchedRows {
  size = 0;
  rows = new Float64Array(firstCapacity);
  lengths = new Uint32Array(firstCapacity);
  /** For each token of the search; empty for one that was not read. */
  readonly counts: Uint32Array[];

  constructor(tokens: number) {
    this.counts = Array.from({ length: tokens }, () => new Uint32Array(0));
  }

  /** Makes room for another row. */
  reserve(): void {
    if (this.size < this.rows.length) return;
    const capacity = Math.max(firstCapacity, this.size * 2);
    this.rows = larger(this.rows, new Float64Array(capacity));
    this.lengths = larger(this.lengths, new Uint32Array(capacity));
    for (const [token, list] of this.counts.entries())
      if (list.length > 0) this.counts[token] = larger(list, new Uint32Array(capacity));
  }

  push(row: number, length: number, counts: readonly number[]): void {
    this.reserve();
    const at = this.size;
    this.rows[at] = row;
    this.lengths[at] = length;
    for (const [token, list] of this.counts.entries()) {
      const wide = list.length > at ? list : larger(list, new Uint32Array(this.rows.length));
      wide[at] = counts[token] ?? 0;
      this.counts[token] = wide;
    }
    this.size = at + 1;
  }

  /** Keeps the rows at some ascending places. */
  keep(places: readonly number[] | Uint32Array): void {
    keepPlaces(this.rows, places);
    this.keepBeside(places);
  }

  /** Keeps the lengths and counts at some ascending places, where `rows` has only these rows already. */
  keepBeside(places: readonly number[] | Uint32Array): void {
    for (const list of [this.lengths, ...this.counts]) if (list.length > 0) keepPlaces(list, places);
    this.size = places.length;
  }

  /** Keeps the rows that have a token at least once. */
  keepCounted(token: number): void {
    const counts = this.counts[token] ?? [];
    const places = new Uint32Array(this.size);
    let kept = 0;
    for (let place = 0; place < this.size; place += 1) {
      places[kept] = place;
      if ((counts[place] ?? 0) > 0) kept += 1;
    }
    if (kept < this.size) this.keep(places.subarray(0, kept));
  }

  /** Sorts the rows; of several with the same number the last one stays. */
  sort(): void {
    const { rows, size } = this;
    const places = Uint32Array.from({ length: size }, (_, place) => place);
    places.sort((left, right) => (rows[left] ?? 0) - (rows[right] ?? 0) || left - right);
    const last = places.filter((place, at) => at + 1 === size || rows[place] !== rows[places[at + 1] ?? 0]);
    this.rows = Float64Array.from(last, (place) => rows[place] ?? 0);
    const sorted = (list: Uint32Array) => Uint32Array.from(last, (place) => list[place] ?? 0);
    this.lengths = sorted(this.lengths);
    for (const [token, list] of this.counts.entries()) if (list.length > 0) this.counts[token] = sorted(list);
    this.size = last.length;
  }
}

function keepPlaces(list: Float64Array | Uint32Array, places: readonly number[] | Uint32Array): void {
  for (let at = 0; at < places.length; at += 1) list[at] = list[places[at] ?? 0] ?? 0;
}

function larger<List extends Float64Array | Uint32Array>(list: List, wide: List): List {
  wide.set(list);
  return wide;
}

/**
 * The rows of a span that have all tokens in segments, by the lists of each token; in ascending order. What newer
 * segments have of a row counts. `order`: the tokens, the rarest first.
 */
export function matchedInSegments(
  lists: readonly TokenLists[],
  order: readonly number[],
  span: RowSpan,
): MatchedRows {
  const matched = new MatchedRows(lists.length);
  let narrowed: NarrowedRows | undefined;
  for (const token of order) {
    const list = lists[token];
    if (list === undefined) continue;
    if (narrowed === undefined) {
      addRows(matched, token, list, span);
      narrowed = new NarrowedRows(matched);
    } else narrowed.narrow(token, list, span);
    if (narrowed.size === 0) break;
  }
  narrowed?.finish();
  return matched;
}

function addRows(matched: MatchedRows, token: number, list: TokenLists, { above, through }: RowSpan): void {
  matched.counts[token] = new Uint32Array(firstCapacity);
  let isAscending = true;
  let hasLost = false;
  let last = 0;
  for (const piece of list.pieces({ above, through })) {
    const reader = new PieceReader(piece);
    while (reader.next()) {
      const { row } = reader;
      if (row <= above) continue;
      if (row > through) break;
      isAscending &&= row > last;
      last = row;
      matched.reserve();
      const at = matched.size;
      matched.rows[at] = row;
      matched.lengths[at] = reader.length;
      const counts = matched.counts[token];
      if (counts !== undefined) counts[at] = reader.change < 0 ? 0 : reader.count;
      matched.size = at + 1;
      hasLost ||= reader.change < 0;
    }
  }
  if (!isAscending) matched.sort();
  if (hasLost) matched.keepCounted(token);
}

/**
 * Rows of which each further token leaves some. Only their numbers are moved together each time: the counts of all
 * tokens before stay at their places until the end, so that the time grows with the postings that are read.
 */
class NarrowedRows {
  readonly #matched: MatchedRows;
  /** Where each row was in the beginning. */
  readonly #places: Uint32Array;
  size: number;

  constructor(matched: MatchedRows) {
    this.#matched = matched;
    this.size = matched.size;
    this.#places = Uint32Array.from({ length: matched.size }, (_, place) => place);
  }

  /** Keeps the rows that also have another token. */
  narrow(token: number, list: TokenLists, { above, through }: RowSpan): void {
    const { rows } = this.#matched;
    const [places, size] = [this.#places, this.size];
    const counts = new Uint32Array(rows.length);
    this.#matched.counts[token] = counts;
    const last = rows[size - 1] ?? 0;
    for (const piece of list.pieces({ above, through: Math.min(through, last) })) {
      let at = firstFrom(rows, size, piece.first);
      // A piece between two rows need not be read.
      if (at >= size || (rows[at] ?? 0) > piece.last) continue;
      const reader = new PieceReader(piece);
      let wanted = rows[at] ?? 0;
      while (reader.next()) {
        const { row } = reader;
        while (wanted < row && at < size) {
          at += 1;
          wanted = at < size ? (rows[at] ?? 0) : Number.POSITIVE_INFINITY;
        }
        if (wanted === row) counts[places[at] ?? 0] = reader.change < 0 ? 0 : reader.count;
        else if (at >= size) break;
      }
    }
    let kept = 0;
    for (let at = 0; at < size; at += 1) {
      const place = places[at] ?? 0;
      if ((counts[place] ?? 0) === 0) continue;
      places[kept] = place;
      rows[kept] = rows[at] ?? 0;
      kept += 1;
    }
    this.size = kept;
  }

  /** Moves the counts and the lengths together, too. */
  finish(): void {
    if (this.size < this.#matched.size) this.#matched.keepBeside(this.#places.subarray(0, this.size));
  }
}

/** The first place whose row is not below another one, among the first `size` rows. */
function firstFrom(rows: Float64Array, size: number, row: number): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
