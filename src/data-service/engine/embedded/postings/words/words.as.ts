// Finds and scores the rows that have all of some tokens, by posting lists in this memory. `word-kernel.ts` calls it.
import * as p from './postings.as';
import { beginRecords, countIn, endRecords, lengthIn, record, size } from './records.as';
import { addScore, beginScores, lowestScore } from './scores.as';

export { addToList, beginList, forgetLists, roomForList } from './lists.as';
export {
  addFirst,
  addFirstOf,
  addNumbers,
  beginFirst,
  firstRows,
  roomForFirst,
  roomForFirstNumbers,
  rowsIn,
} from './records.as';
export { lowestScore } from './scores.as';

/** The weights of a search, each with the place of its token: 16 bytes each. */
const weightsAt: usize = 1024;

/** The number of tokens that are searched. */
let searched: u32 = 0;
/** The number of rows that have all tokens until now; `placesAt` has the places of their records, u32 each. */
let kept: u32 = 0;

/** Begins a search in a span. */
export function begin(): void {
  beginRecords();
  kept = 0;
}

/** The address for the bytes of a piece of a further list. */
export function roomForNext(bytes: u32): usize {
  return p.room(countsOf(searched), bytes);
}

function placesAt(): usize {
  return record(size);
}

/** The counts of the token at a place of the order: from 1, u32 each. Those of the first one are in the records. */
function countsOf(token: u32): usize {
  return placesAt() + ((<usize>size * token) << 2);
}

/** After the first list. Returns the number of rows. */
export function endFirst(tokens: u32): u32 {
  endRecords();
  kept = size;
  searched = tokens;
  p.room(countsOf(tokens), 0);
  for (let place: u32 = 0; place < size; place += 1) store<u32>(placesAt() + ((<usize>place) << 2), place);
  return size;
}

/** Begins a further list, the number of the token in the order. */
export function beginNext(token: u32): void {
  memory.fill(countsOf(token), 0, (<usize>size) << 2);
}

/** Whether a piece can have a row that has all tokens until now. */
export function isWanted(first: f64, last: f64): bool {
  const place = firstKept(first);
  return place < kept && rowOfKept(place) <= last;
}

function placeOfKept(index: u32): u32 {
  return load<u32>(placesAt() + ((<usize>index) << 2));
}

function rowOfKept(index: u32): f64 {
  return load<f64>(record(placeOfKept(index)));
}

function firstKept(row: f64): u32 {
  return keptFrom(0, row);
}

/** The first of the rows from one on whose number is not lower. */
function keptFrom(from: u32, row: f64): u32 {
  let low = from;
  for (let high = kept; low < high; ) {
    const middle = (low + high) >> 1;
    if (rowOfKept(middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Notes the counts and lengths that a piece of a further list has of the rows until now. */
export function addNext(token: u32, start: usize, end: usize, first: f64): void {
  let index = firstKept(first);
  if (index >= kept) return;
  const counts = countsOf(token);
  let from = start;
  let row: u64 = 0;
  let place = placeOfKept(index);
  let wanted = <u64>load<f64>(record(place));
  while (from < end) {
    let code: u64 = load<u8>(from);
    from += 1;
    if (code >= 0x80) {
      code = p.wide(<u32>code, from);
      from = p.at;
    }
    row += code >> 1;
    const byte: u32 = load<u8>(from);
    let found: u32 = 1;
    let length = byte;
    if (p.isShort(code, byte)) from += 1;
    else {
      from = p.readRest(code, from);
      found = p.count;
      length = p.length;
    }
    while (wanted < row) {
      index += 1;
      if (index >= kept) return;
      place = placeOfKept(index);
      wanted = <u64>load<f64>(record(place));
    }
    if (wanted !== row) continue;
    store<u32>(counts + ((<usize>place) << 2), found);
    store<u32>(record(place), length, lengthIn);
  }
}

/** Does what `addNext` does for a shared list. It leaps from row to row in steps that double. */
export function addNextOf(token: u32, list: usize, entries: u32, base: f64): void {
  const end = list + ((<usize>entries) << 3);
  const counts = countsOf(token);
  let from = list;
  for (let index = firstKept(base); index < kept; index += 1) {
    const place = placeOfKept(index);
    const relative = load<f64>(record(place)) - base;
    if (relative > 4294967295.0) return;
    const wanted = <u32>relative;
    if (load<u32>(from) < wanted) {
      let step: usize = 8;
      while (from + step < end && load<u32>(from + step) < wanted) {
        from += step;
        step <<= 1;
      }
      let high = min(from + step, end);
      for (from += 8; from < high; ) {
        const middle = from + (((high - from) >> 4) << 3);
        if (load<u32>(middle) < wanted) from = middle + 8;
        else high = middle;
      }
      if (from >= end) return;
    }
    if (load<u32>(from) !== wanted) continue;
    const rest = load<u32>(from, 4);
    store<u32>(counts + ((<usize>place) << 2), rest & 0xff);
    store<u32>(record(place), rest >> 8, lengthIn);
  }
}

/** Keeps the rows that have a further token. Returns their number. */
export function endNext(token: u32): u32 {
  const counts = countsOf(token);
  const places = placesAt();
  let to: u32 = 0;
  for (let index: u32 = 0; index < kept; index += 1) {
    const place = load<u32>(places + ((<usize>index) << 2));
    store<u32>(places + ((<usize>to) << 2), place);
    to += load<u32>(counts + ((<usize>place) << 2)) > 0 ? 1 : 0;
  }
  kept = to;
  return to;
}

/** Drops a row; `endDrops` follows. */
export function drop(row: f64): void {
  const index = firstKept(row);
  if (index < kept && rowOfKept(index) === row) store<u32>(record(placeOfKept(index)), 0, countIn);
}

/** Keeps the rows that were not dropped. */
export function endDrops(): void {
  let to: u32 = 0;
  for (let index: u32 = 0; index < kept; index += 1) {
    const place = placeOfKept(index);
    store<u32>(placesAt() + ((<usize>to) << 2), place);
    to += load<u32>(record(place), countIn) > 0 ? 1 : 0;
  }
  kept = to;
}

/** The address for the numbers of `keepOnly`, which are so many. */
export function roomForNumbers(count: u32): usize {
  return p.room(resultsAt(), (<usize>count) << 3);
}

/** Keeps the rows whose numbers are given: f64 each, in ascending order. Returns how many are kept. */
export function keepOnly(count: u32): u32 {
  const numbers = resultsAt();
  let to: u32 = 0;
  let index: u32 = 0;
  for (let each: u32 = 0; each < count; each += 1) {
    const wanted = load<f64>(numbers + ((<usize>each) << 3));
    index = keptFrom(index, wanted);
    if (index >= kept) break;
    if (rowOfKept(index) !== wanted) continue;
    // Places before `index` are not read again.
    store<u32>(placesAt() + ((<usize>to) << 2), placeOfKept(index));
    to += 1;
    index += 1;
  }
  kept = to;
  return to;
}

/** The number of rows that have all tokens. */
export function keptRows(): u32 {
  return kept;
}

/** Puts the numbers of the rows at the beginning, f64 each. Returns their address. */
export function rows(): usize {
  const to = (countsOf(1) + 7) & ~7;
  p.room(to + ((<usize>kept) << 3), 0);
  for (let index: u32 = 0; index < kept; index += 1) store<f64>(to + ((<usize>index) << 3), rowOfKept(index));
  return to;
}

/** The address of the results of `score`. */
export function resultsAt(): usize {
  return (countsOf(searched) + 7) & ~7;
}

/**
 * Scores the rows. Results are those whose score is from `least` on, below `below`, and not lower than `best` others:
 * for each its number (f64) and its score (f64). Returns how many there are. `lowestScore` is then the lowest of the
 * `best` highest scores: rows with lower ones are not complete.
 */
export function score(weights: u32, averageLength: f64, least: f64, below: f64, best: u32): u32 {
  beginScores(best, least);
  const results = p.room(resultsAt(), (<usize>kept) << 4);
  let to = results;
  for (let index: u32 = 0; index < kept; index += 1) {
    const place = placeOfKept(index);
    const from = record(place);
    const norm: f64 = 1.2 * (1.0 - 0.75 + (0.75 * <f64>load<u32>(from, lengthIn)) / averageLength);
    let sum: f64 = 0;
    for (let each: u32 = 0; each < weights; each += 1) {
      const weight = weightsAt + ((<usize>each) << 4);
      const token = load<u32>(weight, 8);
      const count = <f64>(
        (token === 0 ? load<u32>(from, countIn) : load<u32>(countsOf(token) + ((<usize>place) << 2)))
      );
      sum += (load<f64>(weight) * count) / (count + norm);
    }
    const found = <f64>(<f32>sum);
    if (found < lowestScore() || found >= below) continue;
    store<f64>(to, load<f64>(from));
    store<f64>(to, found, 8);
    to += 16;
    addScore(found);
  }
  return <u32>((to - results) >> 4);
}
