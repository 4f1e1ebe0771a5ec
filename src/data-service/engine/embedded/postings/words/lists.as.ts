// Lists that searches share: decoded once, so that a search leaps in them.
import * as p from './postings.as';

/** The memory of shared lists, of which the system keeps only what is written. */
const listsAt: usize = 65536;
const listsBytes: usize = 24 * 1024 * 1024;
const mostListBytes: usize = listsBytes / 3;
/** The end of that memory. */
export const listsEnd: usize = listsAt + listsBytes;

/** Where the last shared list ends. */
let listEnd: usize = listsAt;
let listStart: usize = listsAt;

/** Forgets all shared lists. */
export function forgetLists(): void {
  listEnd = listsAt;
}

/**
 * Begins a shared list: an entry of eight bytes for each row, with its number relative to the first one (u32), then the
 * length of the text times 256, plus the count (u32). Returns its address.
 */
export function beginList(): usize {
  listStart = listEnd;
  return listStart;
}

/** The address for the bytes of a piece of a shared list; no search is under way. */
export function roomForList(bytes: u32): usize {
  return p.room(listsEnd, bytes);
}

/**
 * Adds a piece. Returns the number of rows of the list until now. If the list does not fit, it is forgotten, and the
 * result is 0 if there is no room for it, or -1 if it can never be shared.
 */
export function addToList(start: usize, end: usize, base: f64): i32 {
  let from = start;
  let row: u64 = 0;
  let to = listEnd;
  let isFit = true;
  const first = <u64>base;
  const mostTo = listStart + mostListBytes;
  while (from < end) {
    let code: u64 = load<u8>(from);
    from += 1;
    if (code >= 0x80) {
      code = p.wide(<u32>code, from);
      from = p.at;
    }
    row += code >> 1;
    let rest: u32 = load<u8>(from);
    if (p.isShort(code, rest)) {
      from += 1;
      rest = (rest << 8) | 1;
    } else {
      from = p.readRest(code, from);
      isFit = isFit && p.count <= 0xff && p.length <= 0xffffff;
      rest = (p.length << 8) | p.count;
    }
    if (to >= mostTo || row - first > 0xffffffff) isFit = false;
    if (!isFit || to >= listsEnd) {
      listEnd = listStart;
      return isFit ? 0 : -1;
    }
    store<u32>(to, <u32>(row - first));
    store<u32>(to, rest, 4);
    to += 8;
  }
  listEnd = to;
  return <i32>((listEnd - listStart) >> 3);
}

/** The first entry of a shared list from a row on, relative to the first one. */
export function entryFrom(list: usize, end: usize, row: f64): usize {
  if (row <= 0) return list;
  let low: usize = 0;
  for (let high = (end - list) >> 3; low < high; ) {
    const middle = (low + high) >> 1;
    if (<f64>load<u32>(list + (middle << 3)) < row) low = middle + 1;
    else high = middle;
  }
  return list + (low << 3);
}
