// The centre of the rows, and the lengths of the rows that the graph accepts: from the first rows, and then from more.
import { decode, encode, noCentre } from './codes.as';
import { squaresOf } from './distance.as';
import * as m from './memory.as';

/** The number of rows from which the final centre and the radius are computed. */
export const sampled: u32 = 8192;
/** Rows have equal lengths if the largest squared length is at most so many times the mean. */
const evenLengths: f32 = 1.1;
/**
 * For the dot product with rows of equal lengths: the factor by which the squared length of later rows may exceed the
 * largest one.
 */
const roomForLonger: f32 = 1.25;
/** A new centre is near the present one if no element differs by more than this part of the largest of most rows. */
const nearCentres: f32 = 4;
/** A bound on the relative error of a squared length that is summed in 32 bits. */
const lengthError: f64 = 1e-4;

/** A row does not wait any more. */
export function stopWaiting(slot: u32): void {
  m.clearBit(m.waiting, slot);
  m.count(m.waitingAt, -1);
}

/** A waiting row is not accepted. */
export function setApart(slot: u32): void {
  stopWaiting(slot);
  store<u8>(m.recordOf(slot), m.stateApart, m.stateIn);
  m.setBit(m.apart, slot);
  m.count(m.apartAt, 1);
}

/** A row that was apart is accepted now, and waits to be linked. */
function acceptAgain(slot: u32): void {
  store<u8>(m.recordOf(slot), m.stateWaiting, m.stateIn);
  m.clearBit(m.apart, slot);
  m.count(m.apartAt, -1);
  m.setBit(m.waiting, slot);
  m.count(m.waitingAt, 1);
}

/** The address of the floats of a row; if they are not kept, they are made from its codes. */
function knownFloats(slot: u32): usize {
  if (m.areFloatsKept()) return m.floatsOf(slot);
  decode(m.recordOf(slot));
  return m.row;
}

/** Whether the graph accepts a row of the length of these floats. */
export function isTaken(floats: usize): bool {
  if (m.metric === m.metricCosine) return true;
  const squares = squaresOf(floats);
  return squares === 0 || (squares >= load<f64>(m.shortestAt) && squares <= load<f64>(m.longestAt));
}

/** The step between sampled rows, so that at most `sampled` are sampled. */
function stepOfSample(): u32 {
  return (load<u32>(m.slotsAt) + sampled - 1) / sampled;
}

/** Makes the centre and the radius final: rows are linked from now on. */
export function startGraph(): void {
  sample(true);
  store<u32>(m.hasGraphAt, 1);
}

/**
 * Decides from the present rows which lengths the graph accepts, and computes their centre; `isFinal`: and the radius.
 */
export function sample(isFinal: bool): void {
  if (m.metric !== m.metricCosine) chooseLengths();
  memory.fill(m.newCentre, 0, (<usize>m.floatsWide) << 2);
  let rows: u32 = 0;
  let largest: f32 = 0;
  let radius: f32 = 0;
  let mean: f32 = 0;
  const slots = load<u32>(m.slotsAt);
  const step = stepOfSample();
  for (let slot: u32 = 0; slot < slots; slot += step) {
    if (!m.hasBit(m.live, slot)) continue;
    const floats = knownFloats(slot);
    if (!isTaken(floats)) continue;
    rows++;
    if (!m.hasFloats) largest += (load<f32>(m.recordOf(slot), m.scaleIn) * 127 - largest) / <f32>rows;
    let squares: f32 = 0;
    for (let i: usize = 0; i < m.dimension; i++) {
      const value = load<f32>(floats + (i << 2));
      const middle = load<f32>(m.newCentre + (i << 2));
      store<f32>(m.newCentre + (i << 2), middle + (value - middle) / <f32>rows);
      squares += value * value;
    }
    radius = max<f32>(radius, squares);
    mean += (squares - mean) / <f32>rows;
  }
  if (isFinal && m.metric === m.metricDot) chooseRadius(radius, mean);
  if (!m.hasFloats) encodeAgain(largest);
  else memory.copy(m.centreAt, m.newCentre, (<usize>m.floatsWide) << 2);
}

/**
 * Computes the codes of all rows relative to the new centre. Codes that are made from codes are less precise, so the
 * present ones are kept if their centre is near the new one. `largest`: the mean of the rows' largest elements relative
 * to the present centre.
 */
function encodeAgain(largest: f32): void {
  const areCodesKept =
    !m.areFloatsKept() && m.metric !== m.metricDot && distanceOfCentres() * nearCentres <= largest;
  const slots = load<u32>(m.slotsAt);
  for (let slot: u32 = 0; slot < slots; slot++) {
    if (!m.hasBit(m.live, slot)) continue;
    const floats = knownFloats(slot);
    const wasApart = m.stateOf(slot) === m.stateApart;
    if (!isTaken(floats)) {
      if (wasApart) continue;
      setApart(slot);
      encode(m.recordOf(slot), floats, noCentre);
      continue;
    }
    if (areCodesKept && !wasApart) continue;
    if (wasApart) acceptAgain(slot);
    encode(m.recordOf(slot), floats, areCodesKept ? m.centreAt : m.newCentre);
  }
  if (!areCodesKept) memory.copy(m.centreAt, m.newCentre, (<usize>m.floatsWide) << 2);
  store<u32>(m.hasCentreAt, 1);
}

/** The largest difference between elements of the present centre and the new one. */
function distanceOfCentres(): f32 {
  let largest: f32 = 0;
  for (let i: usize = 0; i < m.dimension; i++) {
    largest = max<f32>(
      largest,
      abs<f32>(load<f32>(m.newCentre + (i << 2)) - load<f32>(m.centreAt + (i << 2))),
    );
  }
  return largest;
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
    store<f32>(m.newCentre + ((<usize>m.dimension) << 2), sqrt<f32>(radius - mean));
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
    const squares = squaresOf(knownFloats(slot));
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
