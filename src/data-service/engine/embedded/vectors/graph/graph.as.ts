// The functions that graph.ts calls: rows and queries are passed in at `input`, results are at `output`.
import { isTaken, sample, sampled, setApart, startGraph, stopWaiting } from './centre.as';
import { encode, noCentre } from './codes.as';
import { prepare } from './distance.as';
import { linkSlot } from './link.as';
import * as m from './memory.as';
import { searchAll, searchGraph, stepToPassing, takePassing, takeRows } from './search.as';
import { dropLabel, freeSlot, noSlot, setLabel, slotOf, takeSlot } from './slots.as';
import { sweepSome } from './sweep.as';

/** With fewer rows no graph is built, because measuring all of them is as fast. */
const fewestRows: u32 = 2048;
/** Twins count as few if at most one row in so many is one. */
const fewTwinsIn: u32 = 64;
/** See `attach` in memory.as.ts. */
export function attach(): usize {
  return m.attach();
}

/** The address of the input: floats of rows and queries. */
export function inputAddress(): usize {
  return m.input;
}

/** The address of the output: results, and labels for `pass`. */
export function outputAddress(): usize {
  return m.output;
}

/** Stores the row at `input`, and replaces the one with the same label. Returns whether there was room. */
export function put(label: f64): bool {
  const before = slotOf(label);
  const slot = takeSlot();
  if (slot === noSlot) return false;
  const record = m.recordOf(slot);
  store<u8>(record, m.stateWaiting, m.stateIn);
  store<f64>(record, label, m.labelIn);
  prepare(m.input, m.areFloatsKept() ? m.floatsOf(slot) : m.row);
  setLabel(slot, before);
  m.setBit(m.live, slot);
  m.count(m.liveAt, 1);
  m.setBit(m.waiting, slot);
  m.count(m.waitingAt, 1);
  if (!m.hasFloats) encodeNew(slot);
  if (before !== noSlot) removeSlot(before);
  return true;
}

/**
 * Computes the codes of a waiting row from its floats at `row`, which are lost afterwards. The first rows get their
 * codes together, when there are enough of them for a centre.
 */
function encodeNew(slot: u32): void {
  const slots = load<u32>(m.slotsAt);
  if (m.areFloatsKept()) {
    if (slots >= m.firstRows) sample(false);
    return;
  }
  if (isTaken(m.row)) encode(m.recordOf(slot), m.row, m.centreAt);
  else {
    setApart(slot);
    encode(m.recordOf(slot), m.row, noCentre);
  }
  // The final centre may change the codes of all rows before, so that it is not left to the linking.
  if (load<u32>(m.hasGraphAt) === 0 && slots >= sampled) startGraph();
}

/** Whether there is a row with a label. */
export function has(label: f64): bool {
  return slotOf(label) !== noSlot;
}

/** Removes the row with a label. Returns whether there was one. */
export function remove(label: f64): bool {
  const slot = slotOf(label);
  if (slot === noSlot) return false;
  dropLabel(label, slot);
  removeSlot(slot);
  return true;
}

function removeSlot(slot: u32): void {
  const record = m.recordOf(slot);
  const state = load<u8>(record, m.stateIn);
  if (state === m.stateLinked && load<u32>(record, m.nextIn) !== 0) {
    takeTwin(slot);
    return;
  }
  m.clearBit(m.live, slot);
  m.count(m.liveAt, -1);
  if (state === m.stateLinked) {
    m.setBit(m.dead, slot);
    m.count(m.deadAt, 1);
    return;
  }
  if (state === m.stateTwin) removeFromTwins(slot);
  else if (state === m.stateApart) {
    m.clearBit(m.apart, slot);
    m.count(m.apartAt, -1);
  } else stopWaiting(slot);
  freeSlot(slot);
}

/** Replaces the removed row of a record by the row of its first twin, which has the same links. */
function takeTwin(slot: u32): void {
  const record = m.recordOf(slot);
  const twin = load<u32>(record, m.nextIn) - 1;
  const from = m.recordOf(twin);
  store<f64>(record, load<f64>(from, m.labelIn), m.labelIn);
  if (m.hasFloats) memory.copy(record + m.floatsIn, from + m.floatsIn, (<usize>m.floatsWide) << 2);
  setLabel(slot, twin);
  m.clearBit(m.live, twin);
  m.count(m.liveAt, -1);
  removeFromTwins(twin);
  freeSlot(twin);
}

function removeFromTwins(twin: u32): void {
  const next = load<u32>(m.recordOf(twin), m.nextIn);
  const before = load<u32>(m.linksOf(twin));
  m.count(m.twinsAt, -1);
  store<u32>(m.recordOf(before), next, m.nextIn);
  if (next !== 0) store<u32>(m.linksOf(next - 1), before);
}

/** Links up to `steps` waiting rows. Returns whether there is more to do. */
export function link(steps: u32): bool {
  if (load<u32>(m.hasGraphAt) === 0) {
    if (load<u32>(m.liveAt) < fewestRows) return false;
    startGraph();
  }
  for (let step: u32 = 0; step < steps && load<u32>(m.waitingAt) > 0; step++) {
    const slot = nextWaiting();
    // Those with codes alone are apart from the beginning.
    if (m.hasFloats && !isTaken(m.floatsOf(slot))) {
      setApart(slot);
      continue;
    }
    linkSlot(slot);
    stopWaiting(slot);
  }
  return load<u32>(m.waitingAt) > 0;
}

function nextWaiting(): u32 {
  const words = (load<u32>(m.slotsAt) + 31) >> 5;
  let word = load<u32>(m.linkCursorAt);
  if (word >= words) word = 0;
  while (load<u32>(m.waiting + (word << 2)) === 0) word = word + 1 === words ? 0 : word + 1;
  store<u32>(m.linkCursorAt, word);
  return (word << 5) + ctz<u32>(load<u32>(m.waiting + (word << 2)));
}

/** Removes dead records, see sweep.as.ts. Returns whether there is more to do. */
export function sweep(steps: u32): bool {
  return sweepSome(steps);
}

/** Empties the filter: no row passes. */
export function passNone(): void {
  memory.fill(m.filter, 0, ((<usize>load<u32>(m.slotsAt) + 31) >> 5) << 2);
}

/** Adds to the filter the rows whose labels are at `output`. Returns their number. */
export function pass(labels: u32): u32 {
  let found: u32 = 0;
  for (let i: u32 = 0; i < labels; i++) {
    const slot = slotOf(load<f64>(m.output + (i << 3)));
    if (slot === noSlot || m.hasBit(m.filter, slot)) continue;
    m.setBit(m.filter, slot);
    found++;
  }
  return found;
}

/** See `searchGraph` in search.as.ts. */
export function walkGraph(wanted: u32, breadth: u32, isFiltered: bool): u32 {
  const broadened = min<u32>(breadth << load<u32>(m.isUnevenAt), m.listRoom);
  return searchGraph(wanted, broadened, isFiltered ? takePassing : takeRows);
}

/**
 * Searches with a filter; the walk steps over rows that do not pass. It is for filters that about one row in ten
 * passes: few neighbours of neighbours are measured, but enough.
 */
export function stepThroughGraph(wanted: u32, breadth: u32): u32 {
  const broadened = min<u32>(breadth << load<u32>(m.isUnevenAt), m.listRoom);
  // A twin is found only with its linked record, which may not pass.
  const areTwinsFew = load<u32>(m.twinsAt) < load<u32>(m.liveAt) / fewTwinsIn;
  return searchGraph(wanted, broadened, areTwinsFew ? stepToPassing : takePassing);
}

/** See `searchAll` in search.as.ts. */
export function lookAtAll(wanted: u32, kept: u32, isFiltered: bool): u32 {
  return searchAll(wanted, kept, isFiltered ? takePassing : takeRows);
}

/** The address of the table of labels: a snapshot contains everything before it, and the used parts after it. */
export function tableAddress(): usize {
  return m.table;
}

/** The length of the records, and of the floats of rows that have no codes yet, from the first record on in bytes. */
export function recordsLength(): usize {
  return m.lengthFor(load<u32>(m.slotsAt));
}

/** A checksum of bytes, whose number is a multiple of 16, to detect damage. */
export function checksum(from: usize, bytes: usize): u32 {
  let a = i32x4.splat(1);
  let b = i32x4.splat(2);
  const factor = i32x4.splat(0x01000193);
  const middle = from + ((bytes >> 5) << 4);
  for (let at = from, other = middle; at < middle; at += 16, other += 16) {
    a = v128.xor(i32x4.mul(a, factor), v128.load(at));
    b = v128.xor(i32x4.mul(b, factor), v128.load(other));
  }
  if ((bytes & 31) !== 0) a = v128.xor(i32x4.mul(a, factor), v128.load(from + bytes - 16));
  const sum = i32x4.add(i32x4.mul(a, factor), b);
  let mixed: u32 = 0;
  mixed = mixed * 31 + i32x4.extract_lane(sum, 0);
  mixed = mixed * 31 + i32x4.extract_lane(sum, 1);
  mixed = mixed * 31 + i32x4.extract_lane(sum, 2);
  return mixed * 31 + i32x4.extract_lane(sum, 3);
}
