// The rows of the first list of a search, as records in this memory.
import { entryFrom, listsEnd } from './lists.as';
import * as p from './postings.as';

// A record is a row of the first list: its number (f64), the length of its text (u32), the count of the token (u32).
// The first list can also be the rows that pass a filter: further lists then give the lengths, and the count is 1.
export const lengthIn: usize = 8;
export const countIn: usize = 12;
const recordsAt: usize = listsEnd;

/** The number of records. */
export let size: u32 = 0;
/** The records from here on are of the present segment; those before are of older ones. */
let runStart: u32 = 0;
/** Whether a row lost the token. */
let hasLost: bool = false;

/** Begins without records. */
export function beginRecords(): void {
  size = 0;
  runStart = 0;
  hasLost = false;
}

/** The address of the record at a place. */
export function record(place: u32): usize {
  return recordsAt + ((<usize>place) << 4);
}

/** Begins a piece or a shared list of the first token, which begins with a row, before its rows are added. */
export function beginFirst(first: f64): void {
  if (size === 0 || first > load<f64>(record(size - 1))) return;
  mergeRun();
  runStart = size;
}

/** The address for the bytes of a piece of the first list, which has so many. */
export function roomForFirst(bytes: u32): usize {
  // A posting has at least two bytes.
  return p.room(record(size + (bytes >> 1) + 1), bytes);
}

/** Adds the rows of a span of a piece of the first list; the pieces of older segments come first. */
export function addFirst(start: usize, end: usize, above: f64, through: f64): void {
  const lowest = <u64>above;
  const highest = <u64>through;
  let from = start;
  let row: u64 = 0;
  let to = record(size);
  while (from < end) {
    let code: u64 = load<u8>(from);
    from += 1;
    if (code >= 0x80) {
      code = p.wide(<u32>code, from);
      from = p.at;
    }
    row += code >> 1;
    const byte: u32 = load<u8>(from);
    if (p.isShort(code, byte)) {
      from += 1;
      store<u32>(to, byte, lengthIn);
      store<u32>(to, 1, countIn);
    } else {
      from = p.readRest(code, from);
      store<u32>(to, p.length, lengthIn);
      store<u32>(to, p.count, countIn);
      if (p.count === 0) hasLost = true;
    }
    if (row <= lowest) continue;
    if (row > highest) break;
    store<f64>(to, <f64>row);
    to += 16;
  }
  size = <u32>((to - recordsAt) >> 4);
}

/** The address for so many numbers of `addNumbers`. */
export function roomForFirstNumbers(count: u32): usize {
  return p.room(record(count), (<usize>count) << 3);
}

/** The first list has the rows whose numbers are given: f64 each, in ascending order. */
export function addNumbers(count: u32): void {
  const numbers = record(count);
  for (let each: u32 = 0; each < count; each += 1) {
    const to = record(each);
    store<f64>(to, load<f64>(numbers + ((<usize>each) << 3)));
    store<u32>(to, 0, lengthIn);
    store<u32>(to, 1, countIn);
  }
  size = count;
}

/** The number of rows of the first list until now. */
export function firstRows(): u32 {
  return size;
}

/** The number of rows of a span in a shared list. */
export function rowsIn(list: usize, entries: u32, base: f64, above: f64, through: f64): u32 {
  const end = entryFrom(list, list + ((<usize>entries) << 3), through + 1 - base);
  return <u32>((end - entryFrom(list, end, above + 1 - base)) >> 3);
}

/** Adds the rows of a span of a shared list. */
export function addFirstOf(list: usize, entries: u32, base: f64, above: f64, through: f64): void {
  const end = entryFrom(list, list + ((<usize>entries) << 3), through + 1 - base);
  let from = entryFrom(list, end, above + 1 - base);
  p.room(record(size + <u32>((end - from) >> 3)), 0);
  let to = record(size);
  for (; from < end; from += 8) {
    const rest = load<u32>(from, 4);
    store<f64>(to, base + <f64>load<u32>(from));
    store<u32>(to, rest >> 8, lengthIn);
    store<u32>(to, rest & 0xff, countIn);
    if ((rest & 0xff) === 0) hasLost = true;
    to += 16;
  }
  size = <u32>((to - recordsAt) >> 4);
}

/** Merges the rows of the present segment with those of older ones; what the newer one has of a row stays. */
function mergeRun(): void {
  if (runStart === 0) return;
  const first = load<f64>(record(runStart));
  let low: u32 = 0;
  for (let high = runStart; low < high; ) {
    const middle = (low + high) >> 1;
    if (load<f64>(record(middle)) < first) low = middle + 1;
    else high = middle;
  }
  // The older rows from there on move behind the newer ones, and both are merged to their place.
  const moved = runStart - low;
  let older = record(size);
  const olderEnd = record(size + moved);
  p.room(olderEnd, 0);
  memory.copy(older, record(low), olderEnd - older);
  let newer = record(runStart);
  const newerEnd = record(size);
  let to = record(low);
  while (older < olderEnd && newer < newerEnd) {
    const left = load<f64>(older);
    const right = load<f64>(newer);
    const from = left < right ? older : newer;
    v128.store(to, v128.load(from));
    to += 16;
    if (left <= right) older += 16;
    if (right <= left) newer += 16;
  }
  const rest = olderEnd - older;
  if (newer < newerEnd) {
    memory.copy(to, newer, newerEnd - newer);
    to += newerEnd - newer;
  } else {
    memory.copy(to, older, rest);
    to += rest;
  }
  size = <u32>((to - recordsAt) >> 4);
  runStart = 0;
}

/** After the first list: drops the rows that lost the token. */
export function endRecords(): void {
  mergeRun();
  if (hasLost) {
    let to = recordsAt;
    for (let from = recordsAt; from < record(size); from += 16) {
      if (load<u32>(from, countIn) === 0) continue;
      v128.store(to, v128.load(from));
      to += 16;
    }
    size = <u32>((to - recordsAt) >> 4);
  }
}
