// Finds the rows of a span whose texts have all of some tokens.
import { PieceReader } from './posting-list.js';
import type { RowSpan } from './text-tables.js';
import type { TokenLists } from './token-lists.js';

/** Rows with the length of their text and the count of each token, in parallel lists. */
export class MatchedRows {
  rows: number[] = [];
  lengths: number[] = [];
  /** For each token of the search. */
  readonly counts: number[][];

  constructor(tokens: number) {
    this.counts = Array.from({ length: tokens }, () => []);
  }

  get size(): number {
    return this.rows.length;
  }

  push(row: number, length: number, counts: readonly number[]): void {
    this.rows.push(row);
    this.lengths.push(length);
    for (const [token, list] of this.counts.entries()) list.push(counts[token] ?? 0);
  }

  /** Keeps the rows at some places, in this order. */
  keep(places: readonly number[]): void {
    const kept = (list: readonly number[]) => places.map((place) => list[place] ?? 0);
    this.rows = kept(this.rows);
    this.lengths = kept(this.lengths);
    for (const [token, list] of this.counts.entries()) if (list.length > 0) this.counts[token] = kept(list);
  }

  /** Sorts the rows; of several with the same number the last one stays. */
  sort(): void {
    const { rows } = this;
    const places = rows.map((_, place) => place);
    places.sort((left, right) => (rows[left] ?? 0) - (rows[right] ?? 0) || left - right);
    this.keep(places.filter((place, at) => rows[place] !== rows[places[at + 1] ?? -1]));
  }
}

/**
 * The rows of a span that have all tokens in segments, by the lists of each token; in ascending order. What newer
 * segments have of a row counts.
 */
export function matchedInSegments(lists: readonly TokenLists[], span: RowSpan): MatchedRows {
  const matched = new MatchedRows(lists.length);
  const order = lists.map((_, token) => token);
  const assumed = lists.map((list) => list.assumedRows);
  order.sort((left, right) => (assumed[left] ?? 0) - (assumed[right] ?? 0));
  for (const [at, token] of order.entries()) {
    const list = lists[token];
    if (list === undefined) continue;
    if (at === 0) addRows(matched, token, list, span);
    else narrow(matched, token, list, span);
    if (matched.size === 0) return matched;
  }
  return matched;
}

function addRows(matched: MatchedRows, token: number, list: TokenLists, { above, through }: RowSpan): void {
  const { rows, lengths } = matched;
  const counts = matched.counts[token] ?? [];
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
      rows.push(row);
      lengths.push(reader.length);
      counts.push(reader.change < 0 ? 0 : reader.count);
      hasLost ||= reader.change < 0;
    }
  }
  if (!isAscending) matched.sort();
  if (hasLost) keepCounted(matched, token);
}

function keepCounted(matched: MatchedRows, token: number): void {
  const places: number[] = [];
  for (const [place, count] of matched.counts[token]?.entries() ?? []) if (count > 0) places.push(place);
  matched.keep(places);
}

/** Keeps the rows that also have another token. */
function narrow(matched: MatchedRows, token: number, list: TokenLists, { above, through }: RowSpan): void {
  const { rows } = matched;
  const counts = new Array<number>(rows.length).fill(0);
  matched.counts[token] = counts;
  const last = rows.at(-1) ?? 0;
  for (const piece of list.pieces({ above, through: Math.min(through, last) })) {
    let place = placeOf(rows, piece.first);
    // A piece between two rows need not be read.
    if ((rows[place] ?? Number.POSITIVE_INFINITY) > piece.last) continue;
    const reader = new PieceReader(piece);
    let wanted = rows[place] ?? 0;
    while (reader.next()) {
      const { row } = reader;
      while (wanted < row && place < rows.length) {
        place += 1;
        wanted = rows[place] ?? Number.POSITIVE_INFINITY;
      }
      if (wanted === row) counts[place] = reader.change < 0 ? 0 : reader.count;
      else if (place >= rows.length) break;
    }
  }
  if (counts.includes(0)) keepCounted(matched, token);
}

/** The first place whose row is not below another one. */
function placeOf(rows: readonly number[], row: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
