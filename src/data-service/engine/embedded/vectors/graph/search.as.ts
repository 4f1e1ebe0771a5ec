// Searches: along the links from the pivots, or over all rows.
import { isFar, measure, measureExactly, measureInOrder, queryInput, valueOfKey } from './distance.as';
import {
  forgetSeen,
  isNew,
  keyOf,
  popNearest,
  pushFarthest,
  pushNearest,
  slotIn,
  sortFarthest,
} from './heaps.as';
import * as m from './memory.as';

/** A walk accepts as results: records whose own row is live. */
export const takeLinked: u32 = 0;
/** A walk accepts records whose own row is live, and records with a live twin. */
export const takeRows: u32 = 1;
/** A walk accepts records whose row, or a twin's row, is live and passes the filter. */
export const takePassing: u32 = 2;
/** A walk accepts the records of `takePassing`, and steps over all others to the neighbours of their neighbours. */
export const stepToPassing: u32 = 3;

const startsOfWalk: u32 = 4;

let resultCount: u32 = 0;
let bestCount: u32 = 0;
let candidateCount: u32 = 0;

function takes(slot: u32, mode: u32): bool {
  return m.hasBit(m.live, slot) && (mode < takePassing || m.hasBit(m.filter, slot));
}

/**
 * Walks the graph towards the query, see `walkFromPivots`. A walk that steps over rows may end because no further
 * passing row is near: then a walk over all rows follows.
 */
export function walk(room: u32, mode: u32): u32 {
  if (mode !== stepToPassing) return walkFromPivots(room, mode);
  walkFromPivots(room, mode);
  return candidateCount > 0 ? resultCount : walkFromPivots(room, takePassing);
}

/** Walks the graph towards the query. Leaves the nearest `room` records in `results`, a heap; returns their number. */
function walkFromPivots(room: u32, mode: u32): u32 {
  forgetSeen(room << 5);
  startAtPivots(room, mode);
  while (candidateCount > 0) {
    const key = keyOf(m.candidates, 0);
    if (resultCount === room && key > keyOf(m.results, 0)) break; // the candidate stays, see `walk`
    const slot = slotIn(m.candidates, 0);
    popNearest(m.candidates, candidateCount--);
    const unseen = mode === stepToPassing ? listPassing(slot) : listUnseen(slot);
    measure(unseen);
    for (let i: u32 = 0; i < unseen; i++) {
      const found = load<f32>(m.keys + (i << 2));
      if (resultCount < room || found < keyOf(m.results, 0)) {
        visit(load<u32>(m.list + (i << 2)), found, room, mode);
      }
    }
  }
  return resultCount;
}

/** Lists the neighbours of a record that were not visited yet; returns their number. */
function listUnseen(slot: u32): u32 {
  const links = m.linksOf(slot);
  const linkCount = m.linkCountOf(slot);
  let unseen: u32 = 0;
  for (let i: u32 = 0; i < linkCount; i++) {
    const next = load<u32>(links + (i << 2));
    if (!isNew(next)) continue;
    store<u32>(m.list + (unseen << 2), next);
    unseen++;
  }
  return unseen;
}

/** Lists the neighbours that pass; the others are replaced by their neighbours that pass. */
function listPassing(slot: u32): u32 {
  const links = m.linksOf(slot);
  const linkCount = m.linkCountOf(slot);
  let unseen: u32 = 0;
  let over: u32 = 0;
  for (let i: u32 = 0; i < linkCount; i++) {
    const next = load<u32>(links + (i << 2));
    if (!isNew(next)) continue;
    if (m.hasBit(m.filter, next)) store<u32>(m.list + (unseen++ << 2), next);
    else store<u32>(m.sorted + (over++ << 2), next);
  }
  for (let i: u32 = 0; i < over; i++) {
    const passed = load<u32>(m.sorted + (i << 2));
    const from = m.linksOf(passed);
    const ends = m.linkCountOf(passed);
    for (let j: u32 = 0; j < ends; j++) {
      const next = load<u32>(from + (j << 2));
      if (m.hasBit(m.filter, next) && isNew(next)) store<u32>(m.list + (unseen++ << 2), next);
    }
  }
  return unseen;
}

function startAtPivots(room: u32, mode: u32): void {
  const pivots = load<u32>(m.pivotCountAt);
  for (let i: u32 = 0; i < pivots; i++) {
    store<u32>(m.list + (i << 2), load<u32>(m.pivotsAt + (i << 2)));
  }
  measure(pivots);
  let starts: u32 = 0;
  for (let i: u32 = 0; i < pivots; i++) {
    starts = pushFarthest(
      m.sorted,
      starts,
      startsOfWalk,
      load<f32>(m.keys + (i << 2)),
      load<u32>(m.list + (i << 2)),
    );
  }
  resultCount = 0;
  candidateCount = 0;
  for (let i: u32 = 0; i < starts; i++) {
    const slot = slotIn(m.sorted, i);
    if (isNew(slot)) visit(slot, keyOf(m.sorted, i), room, mode);
  }
  if (mode === stepToPassing) startAtPassing(pivots, room);
}

/** Also starts at the nearest measured pivots that pass: other pivots may not lead to rows that pass. */
function startAtPassing(pivots: u32, room: u32): void {
  let starts: u32 = 0;
  for (let i: u32 = 0; i < pivots; i++) {
    const slot = load<u32>(m.list + (i << 2));
    if (!takes(slot, stepToPassing)) continue;
    starts = pushFarthest(m.sorted, starts, startsOfWalk, load<f32>(m.keys + (i << 2)), slot);
  }
  for (let i: u32 = 0; i < starts; i++) {
    const slot = slotIn(m.sorted, i);
    if (isNew(slot)) visit(slot, keyOf(m.sorted, i), room, stepToPassing);
  }
}

/** Adds a record that is near enough to the candidates, and to the results if `mode` accepts it or one of its twins. */
function visit(slot: u32, key: f32, room: u32, mode: u32): void {
  if (candidateCount < m.visitRoom) pushNearest(m.candidates, candidateCount++, key, slot);
  if (takes(slot, mode) || (mode !== takeLinked && hasTwinFor(slot, mode))) {
    resultCount = pushFarthest(m.results, resultCount, room, key, slot);
  }
}

function hasTwinFor(slot: u32, mode: u32): bool {
  let twin = load<u32>(m.recordOf(slot), m.nextIn);
  while (twin !== 0) {
    if (takes(twin - 1, mode)) return true;
    twin = load<u32>(m.recordOf(twin - 1), m.nextIn);
  }
  return false;
}

/**
 * The nearest `wanted` rows to the floats at `input`, found by a walk through the graph with a beam of `breadth`.
 * Writes the label and the key of each to `output`, both f64, nearest first; returns their number. `mode` must not be
 * `takeLinked`.
 */
export function searchGraph(wanted: u32, breadth: u32, mode: u32): u32 {
  begin(wanted, mode);
  if (isFar) lookAtAll(wanted, 0, mode);
  else takeWithTwins(walk(breadth, mode), wanted, mode);
  return report();
}

/**
 * Measures all rows: exactly, or, if `kept` is not 0, by their codes, and then the best `kept` exactly.
 */
export function searchAll(wanted: u32, kept: u32, mode: u32): u32 {
  begin(wanted, mode);
  lookAtAll(wanted, isFar ? 0 : kept, mode);
  return report();
}

function lookAtAll(wanted: u32, kept: u32, mode: u32): void {
  const isCoded = kept > 0 && m.codesWide > 0;
  resultCount = 0;
  let listed: u32 = 0;
  const words = (load<u32>(m.slotsAt) + 63) >> 6;
  for (let word: u32 = 0; word < words; word++) {
    const taken = wordOf(m.live, word) & ~wordOf(m.waiting, word) & ~wordOf(m.apart, word);
    listed = listSlots(listed, word, mode >= takePassing ? taken & wordOf(m.filter, word) : taken);
    if (listed < 128 && word + 1 < words) continue;
    if (isCoded) {
      measureInOrder(listed);
      keepResults(listed, kept);
    } else {
      takeBest(listed, wanted);
    }
    listed = 0;
  }
  takeResults(resultCount, wanted);
}

/** The bits of 64 slots. */
function wordOf(bitmap: usize, word: u32): u64 {
  return load<u64>(bitmap + (word << 3));
}

/** Adds the slots whose bits are set in a word after the first `listed` of `list`; returns the new length. */
function listSlots(listed: u32, word: u32, bits: u64): u32 {
  let end = listed;
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    store<u32>(m.list + (end++ << 2), (word << 6) + <u32>ctz<u64>(rest));
  }
  return end;
}

/** Adds those of the first `listed` slots of `list` to the results that are among the nearest `kept`. */
function keepResults(listed: u32, kept: u32): void {
  for (let from: u32 = 0; from < listed; from += 4) {
    if (resultCount === kept && !isAnyNearer(from, keyOf(m.results, 0))) continue;
    for (let i = from; i < listed && i < from + 4; i++) {
      const key = load<f32>(m.keys + (i << 2));
      resultCount = pushFarthest(m.results, resultCount, kept, key, load<u32>(m.list + (i << 2)));
    }
  }
}

/** Whether one of four keys is smaller than another key, which is rare when many records have been measured. */
function isAnyNearer(from: u32, than: f32): bool {
  return v128.any_true(f32x4.lt(v128.load(m.keys + (from << 2)), f32x4.splat(than)));
}

/** Reads the query, and measures the rows that wait to be linked or are not in the graph. */
function begin(wanted: u32, mode: u32): void {
  bestCount = 0;
  queryInput();
  if (load<u32>(m.waitingAt) === 0 && load<u32>(m.apartAt) === 0) return;
  let listed: u32 = 0;
  const words = (load<u32>(m.slotsAt) + 63) >> 6;
  for (let word: u32 = 0; word < words; word++) {
    const taken = (wordOf(m.waiting, word) | wordOf(m.apart, word)) & wordOf(m.live, word);
    listed = listSlots(listed, word, mode >= takePassing ? taken & wordOf(m.filter, word) : taken);
    if (listed >= 128) {
      takeBest(listed, wanted);
      listed = 0;
    }
  }
  takeBest(listed, wanted);
}

/** Measures the first `near` entries of `results` exactly. */
function takeResults(near: u32, wanted: u32): void {
  for (let from: u32 = 0; from < near; from += 128) {
    const listed = min<u32>(near - from, 128);
    for (let i: u32 = 0; i < listed; i++) store<u32>(m.list + (i << 2), slotIn(m.results, from + i));
    takeBest(listed, wanted);
  }
}

/** After so many consecutive twins of one record that are not near enough, the remaining ones are skipped. */
const twinsWithoutResult: u32 = 1024;

/**
 * Takes them with their twins, which have one key in a walk but may have another exact key. They may be numerous:
 * when `wanted` rows have been found, many consecutive twins that are not nearer end the search among them.
 */
function takeWithTwins(near: u32, wanted: u32, mode: u32): void {
  for (let from: u32 = 0; from < near; from += 128) {
    const end = min<u32>(near, from + 128);
    let listed: u32 = 0;
    for (let i = from; i < end; i++) {
      const slot = slotIn(m.results, i);
      if (takes(slot, mode)) store<u32>(m.list + (listed++ << 2), slot);
    }
    takeBest(listed, wanted);
  }
  for (let i: u32 = 0; i < near; i++) {
    const first = load<u32>(m.recordOf(slotIn(m.results, i)), m.nextIn);
    if (first !== 0) takeTwins(first, wanted, mode);
  }
}

function takeTwins(first: u32, wanted: u32, mode: u32): void {
  let withoutResult: u32 = 0;
  let listed: u32 = 0;
  let twin = first;
  while (twin !== 0) {
    if (takes(twin - 1, mode)) store<u32>(m.list + (listed++ << 2), twin - 1);
    twin = load<u32>(m.recordOf(twin - 1), m.nextIn);
    if (listed < 128 && twin !== 0) continue;
    withoutResult = takeBest(listed, wanted) ? 0 : withoutResult + listed;
    if (withoutResult >= twinsWithoutResult) return;
    listed = 0;
  }
}

/**
 * Adds those of the first `listed` slots of `list` that are near enough by exact keys. Returns whether there were any.
 */
function takeBest(listed: u32, wanted: u32): bool {
  if (listed === 0) return false;
  let isAny = false;
  measureExactly(listed);
  for (let i: u32 = 0; i < listed; i++) {
    const key = load<f32>(m.keys + (i << 2));
    if (bestCount === wanted && key >= keyOf(m.best, 0)) continue;
    bestCount = pushFarthest(m.best, bestCount, wanted, key, load<u32>(m.list + (i << 2)));
    isAny = true;
  }
  return isAny;
}

/** Writes the labels and keys of the results to `output`, nearest first; returns their number. */
function report(): u32 {
  sortFarthest(m.best, bestCount);
  for (let i: u32 = 0; i < bestCount; i++) {
    const to = m.output + ((<usize>i) << 4);
    store<f64>(to, load<f64>(m.recordOf(slotIn(m.best, i)), m.labelIn));
    store<f64>(to, valueOfKey(keyOf(m.best, i)), 8);
  }
  return bestCount;
}
