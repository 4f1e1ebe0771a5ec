// Heaps of (key f32, slot u32) in memory, and the set of slots that a search has visited.
import * as m from './memory.as';

/** The key of entry `i` of a heap. */
export function keyOf(heap: usize, i: u32): f32 {
  return load<f32>(heap + ((<usize>i) << 3));
}

/** The slot of entry `i` of a heap. */
export function slotIn(heap: usize, i: u32): u32 {
  return load<u32>(heap + ((<usize>i) << 3), 4);
}

/** Sets entry `i` of a heap. */
export function setEntry(heap: usize, i: u32, key: f32, slot: u32): void {
  const at = heap + ((<usize>i) << 3);
  store<f32>(at, key);
  store<u32>(at, slot, 4);
}

/** Adds an entry to a heap of `size`, nearest on top. */
export function pushNearest(heap: usize, size: u32, key: f32, slot: u32): void {
  let i = size;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = keyOf(heap, parent);
    if (above <= key) break;
    setEntry(heap, i, above, slotIn(heap, parent));
    i = parent;
  }
  setEntry(heap, i, key, slot);
}

/** Removes the top of a heap of `size`, nearest on top. */
export function popNearest(heap: usize, size: u32): void {
  const last = size - 1;
  const key = keyOf(heap, last);
  const slot = slotIn(heap, last);
  let i: u32 = 0;
  while (true) {
    let child: u32 = 2 * i + 1;
    if (child >= last) break;
    if (child + 1 < last && keyOf(heap, child + 1) < keyOf(heap, child)) child++;
    if (keyOf(heap, child) >= key) break;
    setEntry(heap, i, keyOf(heap, child), slotIn(heap, child));
    i = child;
  }
  setEntry(heap, i, key, slot);
}

/** Adds an entry to a heap of `size`, farthest on top, that keeps at most `room` entries. Returns its new size. */
export function pushFarthest(heap: usize, size: u32, room: u32, key: f32, slot: u32): u32 {
  if (size === room) {
    if (key < keyOf(heap, 0)) sinkFarthest(heap, size, key, slot);
    return size;
  }
  let i = size;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = keyOf(heap, parent);
    if (above >= key) break;
    setEntry(heap, i, above, slotIn(heap, parent));
    i = parent;
  }
  setEntry(heap, i, key, slot);
  return size + 1;
}

/** Replaces the top of a heap of `size`, farthest on top. */
function sinkFarthest(heap: usize, size: u32, key: f32, slot: u32): void {
  let i: u32 = 0;
  while (true) {
    let child: u32 = 2 * i + 1;
    if (child >= size) break;
    if (child + 1 < size && keyOf(heap, child + 1) > keyOf(heap, child)) child++;
    if (keyOf(heap, child) <= key) break;
    setEntry(heap, i, keyOf(heap, child), slotIn(heap, child));
    i = child;
  }
  setEntry(heap, i, key, slot);
}

/** Sorts a heap of `size`, farthest on top, in place: nearest first. */
export function sortFarthest(heap: usize, size: u32): void {
  for (let rest = size; rest > 1; rest--) {
    const key = keyOf(heap, 0);
    const slot = slotIn(heap, 0);
    sinkFarthest(heap, rest - 1, keyOf(heap, rest - 1), slotIn(heap, rest - 1));
    setEntry(heap, rest - 1, key, slot);
  }
}

let seen: usize = 0;
let seenMask: u32 = 0;
let seenCount: u32 = 0;

/** Empties the set; about `expected` slots will be added. */
export function forgetSeen(expected: u32): void {
  let size: u32 = 1024;
  while (size < expected << 1) size <<= 1;
  seen = m.visits;
  seenMask = size - 1;
  seenCount = 0;
  memory.fill(seen, 0, (<usize>size) << 2);
}

/** Whether a slot is visited for the first time. False if there is no more room, so that a search ends. */
export function isNew(slot: u32): bool {
  let at = ((slot * 0x9e3779b1) >> 7) & seenMask;
  while (true) {
    const entry = load<u32>(seen + ((<usize>at) << 2));
    if (entry === slot + 1) return false;
    if (entry === 0) break;
    at = (at + 1) & seenMask;
  }
  if (seenCount >= m.visitRoom - 64) return false;
  store<u32>(seen + ((<usize>at) << 2), slot + 1);
  seenCount++;
  if (seenCount << 1 > seenMask && seenMask < (m.visitRoom << 1) - 1) enlargeSeen();
  return true;
}

/** Moves the set to the other half of the area, into a table of twice the size. */
function enlargeSeen(): void {
  const before = seen;
  const size = seenMask + 1;
  seen = before === m.visits ? m.visits + ((<usize>m.visitRoom) << 3) : m.visits;
  seenMask = size * 2 - 1;
  memory.fill(seen, 0, (<usize>size) << 3);
  for (let i: u32 = 0; i < size; i++) {
    const entry = load<u32>(before + ((<usize>i) << 2));
    if (entry === 0) continue;
    let at = (((entry - 1) * 0x9e3779b1) >> 7) & seenMask;
    while (load<u32>(seen + ((<usize>at) << 2)) !== 0) at = (at + 1) & seenMask;
    store<u32>(seen + ((<usize>at) << 2), entry);
  }
}
