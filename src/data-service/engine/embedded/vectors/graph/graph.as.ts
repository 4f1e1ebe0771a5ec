// The functions that graph.ts calls: rows and queries are passed in at `input`, results are at `output`.
import { decode, encode } from './codes.as';
import { prepare, squaresOf } from './distance.as';
import { linkSlot } from './link.as';
import * as m from './memory.as';
import { searchAll, searchGraph, stepToPassing, takePassing, takeRows } from './search.as';
import { dropLabel, freeSlot, noSlot, setLabel, slotOf, takeSlot } from './slots.as';
import { sweepSome } from './sweep.as';

/** With fewer rows no graph is built, because measuring all of them is as fast. */
const fewestRows: u32 = 2048;
/** Twins count as few if at most one row in so many is one. */
const fewTwinsIn: u32 = 64;
/** The number of rows from which the centre and the radius are computed. */
const sampled: u32 = 8192;
/** Rows have equal lengths if the largest squared length is at most so many times the mean. */
const evenLengths: f32 = 1.1;
/**
 * For the dot product with rows of equal lengths: the factor by which the squared length of later rows may exceed the
 * largest one.
 */
const roomForLonger: f32 = 1.25;
/** A bound on the relative error of a squared length that is summed in 32 bits. */
const lengthError: f64 = 1e-4;

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
  const floats = m.hasFloats ? record + m.floatsIn : m.row;
  prepare(m.input, floats);
  setLabel(slot, before);
  m.setBit(m.live, slot);
  m.count(m.liveAt, 1);
  m.setBit(m.waiting, slot);
  m.count(m.waitingAt, 1);
  if (!m.hasFloats) encodeNew(slot);
  if (before !== noSlot) removeSlot(before);
  return true;
}

/** Computes the codes of a waiting row from its floats at `row`, which are lost afterwards. */
function encodeNew(slot: u32): void {
  const hasGraph = load<u32>(m.hasGraphAt) !== 0;
  const isCentred = hasGraph && isTaken(m.row);
  encode(m.recordOf(slot), m.row, isCentred);
  if (hasGraph && !isCentred) {
    setApart(slot);
    stopWaiting(slot);
  }
  // Rows that come before the centre is known are encoded twice, so that it is not left to the linking.
  if (!hasGraph && load<u32>(m.slotsAt) >= sampled) sample();
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

function stopWaiting(slot: u32): void {
  m.clearBit(m.waiting, slot);
  m.count(m.waitingAt, -1);
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
    sample();
  }
  for (let step: u32 = 0; step < steps && load<u32>(m.waitingAt) > 0; step++) {
    const slot = nextWaiting();
    // Those with codes alone are apart from the beginning, when their lengths are known.
    if (!m.hasFloats || isTaken(floatsOf(slot))) linkSlot(slot);
    else setApart(slot);
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

function setApart(slot: u32): void {
  store<u8>(m.recordOf(slot), m.stateApart, m.stateIn);
  m.setBit(m.apart, slot);
  m.count(m.apartAt, 1);
}

/** The address of the floats of a row; with codes alone, which have no centre yet, they are made from these. */
function floatsOf(slot: u32): usize {
  const record = m.recordOf(slot);
  if (m.hasFloats) return record + m.floatsIn;
  decode(record, false);
  return m.row;
}

/** Whether the graph accepts a row of the length of these floats. */
function isTaken(floats: usize): bool {
  if (m.metric === m.metricCosine) return true;
  const squares = squaresOf(floats);
  return squares === 0 || (squares >= load<f64>(m.shortestAt) && squares <= load<f64>(m.longestAt));
}

/** The step between sampled rows, so that at most `sampled` are sampled. */
function stepOfSample(): u32 {
  return (load<u32>(m.slotsAt) + sampled - 1) / sampled;
}

/** Decides from the present rows which lengths the graph accepts, and computes their centre and largest length. */
function sample(): void {
  if (m.metric !== m.metricCosine) chooseLengths();
  let rows: u32 = 0;
  let radius: f32 = 0;
  let mean: f32 = 0;
  const slots = load<u32>(m.slotsAt);
  const step = stepOfSample();
  for (let slot: u32 = 0; slot < slots; slot += step) {
    if (!m.hasBit(m.live, slot)) continue;
    const floats = floatsOf(slot);
    if (!isTaken(floats)) continue;
    rows++;
    let squares: f32 = 0;
    for (let i: usize = 0; i < m.dimension; i++) {
      const value = load<f32>(floats + (i << 2));
      const middle = load<f32>(m.centreAt + (i << 2));
      store<f32>(m.centreAt + (i << 2), middle + (value - middle) / <f32>rows);
      squares += value * value;
    }
    radius = max<f32>(radius, squares);
    mean += (squares - mean) / <f32>rows;
  }
  if (m.metric === m.metricDot) chooseRadius(radius, mean);
  if (!m.hasFloats) encodeAgain(slots);
  store<u32>(m.hasGraphAt, 1);
}

/** Computes the codes of all rows relative to the centre, which is known now. */
function encodeAgain(slots: u32): void {
  for (let slot: u32 = 0; slot < slots; slot++) {
    if (!m.hasBit(m.live, slot)) continue;
    const floats = floatsOf(slot);
    if (isTaken(floats)) encode(m.recordOf(slot), floats, true);
    else {
      setApart(slot);
      stopWaiting(slot);
    }
  }
}

/** Chooses the radius (see `radiusAt`) from the largest and the mean squared length of a sample. */
function chooseRadius(longest: f32, mean: f32): void {
  let radius = longest;
  if (longest > mean * evenLengths) {
    // Few later rows are longer. A larger radius would add a larger value to each row, which makes links worse.
    store<u32>(m.isUnevenAt, 1);
  } else {
    radius *= roomForLonger;
    // The largest value of a row determines the precision of its codes; this way the added value is not the largest.
    store<f32>(m.centreAt + ((<usize>m.dimension) << 2), sqrt<f32>(radius - mean));
  }
  store<f32>(m.radiusAt, radius);
  // A longer row cannot get the radius: links would not lead to it when its product is large.
  store<f64>(m.longestAt, min<f64>(load<f64>(m.longestAt), <f64>radius * (1 + lengthError)));
}

/** The number of exponents of a 64-bit float. */
const exponents: u32 = 2048;
const exponentOfOne: i32 = 1023;
/**
 * The limits for the squared length of rows relative to that of most rows, as powers of two: below, and above by
 * metric.
 */
const below: i32 = -12;
const above: i32 = 20;
const aboveForDot: i32 = 6;
/** The limits with codes alone: other lengths would be too far from the centre for the precision of codes. */
const belowForCodes: i32 = -6;
const aboveForCodes: i32 = 6;
/** The powers of two between which 32-bit sums can represent squared lengths and distances of rows. */
const least: i32 = -100;
const most: i32 = 112;

/** Makes the graph accept the lengths around the median of a sample, see `stepOfSample`. */
function chooseLengths(): void {
  memory.fill(m.keys, 0, (<usize>exponents) << 2);
  let rows: u32 = 0;
  const slots = load<u32>(m.slotsAt);
  const step = stepOfSample();
  for (let slot: u32 = 0; slot < slots; slot += step) {
    if (!m.hasBit(m.live, slot)) continue;
    const squares = squaresOf(floatsOf(slot));
    if (squares === 0) continue;
    rows++;
    const at = m.keys + ((<usize>(reinterpret<u64>(squares) >> 52)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let middle: u32 = 0;
  let passed = load<u32>(m.keys);
  while (passed < (rows + 1) >> 1) passed += load<u32>(m.keys + (++middle << 2));
  const exponent = rows === 0 ? 0 : <i32>middle - exponentOfOne;
  const higher = m.metric === m.metricDot ? aboveForDot : m.hasFloats ? above : aboveForCodes;
  const highest = exponent + 1 + higher;
  const lowest = exponent + (m.hasFloats ? below : belowForCodes);
  store<f64>(m.shortestAt, powerOfTwo(max<i32>(lowest, least)));
  store<f64>(m.longestAt, powerOfTwo(min<i32>(highest, most)));
}

function powerOfTwo(exponent: i32): f64 {
  return reinterpret<f64>((<u64>(exponent + exponentOfOne)) << 52);
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

/** The size of a record in bytes. */
export function recordBytes(): u32 {
  return m.stride;
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
