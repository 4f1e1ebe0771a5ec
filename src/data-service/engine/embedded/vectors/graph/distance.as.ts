// Distances of many records to one query: of the codes (8 bits per value) or of the floats, four records at a time.
// Records are rarely in the processor's cache, and four can be fetched at the same time.
//
// A smaller key means a nearer record. Between rows, keys are squared distances. Between a query and a row, for the dot
// product, they are negative products. Keys of a walk only need the right order, so terms that are the same for all
// rows are omitted. Exact keys are the fourth roots of 64-bit sums, so that 32 bits are enough for all vectors of
// 32-bit floats; for the cosine, whose rows have length 1, no root is needed.
import { decode } from './codes.as';
import * as m from './memory.as';
import { rotate } from './rotate.as';

/** The floats that records are compared with: those of the query, or of a record. */
let floats: usize = 0;
let queryScale: f32 = 0;
let queryNorm: f32 = 0;
let isProduct: bool = false;
/** With codes alone: what gives exact keys from products of codes, see `approximateKey`. */
let queryUnit: f64 = 1;
let centreTerm: f64 = 0;

/** Whether the query is so much longer than the rows of the graph that all sums of 32 bits are the same. */
export let isFar: bool = false;

/**
 * The largest code of a query. Its products with the largest codes of a row must have a sum that 32 bits can hold: the
 * sum of all of them, not only of those that `productsOf` adds in each of its four lanes.
 */
function queryCodeLimit(): i32 {
  return min<i32>(32000, i32.MAX_VALUE / (127 * <i32>m.codesWide));
}

/** Makes the floats at `input` the query. */
export function queryInput(): void {
  prepare(m.input, m.query);
  floats = m.walkedQuery;
  isProduct = m.metric === m.metricDot;
  queryNorm = 0;
  isFar = m.metric === m.metricEuclidean && squaresOf(m.query) > load<f64>(m.longestAt);
  // The length of the query does not change the order of products, so walks use a query with values of at most 1.
  const scale: f64 = isProduct ? unitFor(m.query) : 1;
  let largest: f64 = 0;
  for (let i: usize = 0; i < m.floatsWide; i++) {
    const value = <f64>load<f32>(m.query + (i << 2)) * scale;
    store<f32>(m.walkedQuery + (i << 2), <f32>value);
    largest = max<f64>(largest, abs<f64>(value - centreOf(i)));
  }
  if (m.codesWide === 0) return;
  const limit = <f64>queryCodeLimit();
  queryScale = <f32>(largest / limit);
  const factor: f64 = largest > 0 ? limit / largest : 0;
  for (let i: usize = 0; i < m.codesWide; i++) {
    let value: f64 = 0;
    if (i < m.floatsWide) value = <f64>load<f32>(m.walkedQuery + (i << 2)) - centreOf(i);
    store<i16>(m.queryCodes + (i << 1), <i16>nearest<f64>(value * factor));
  }
  if (m.hasFloats) return;
  queryUnit = scale;
  centreTerm = 0;
  for (let i: usize = 0; i < m.dimension; i++) {
    const value = <f64>load<f32>(m.query + (i << 2));
    const centre = <f64>load<f32>(m.centreAt + (i << 2));
    centreTerm += isProduct ? value * centre : (value - centre) * (value - centre);
  }
}

/** The value that is subtracted from the query's value at index `i` before it is coded. */
function centreOf(i: usize): f64 {
  return isProduct ? 0 : <f64>load<f32>(m.centreAt + (i << 2));
}

/** The factor that makes the largest of some floats about 1. */
function unitFor(from: usize): f64 {
  let largest: f64 = 0;
  for (let i: usize = 0; i < m.dimension; i++) {
    largest = max<f64>(largest, abs<f64>(<f64>load<f32>(from + (i << 2))));
  }
  return largest > 0 ? 1 / largest : 1;
}

/** The squared length of the floats of a row or a query. */
export function squaresOf(from: usize): f64 {
  let squares: f64 = 0;
  for (let i: usize = 0; i < m.dimension; i++) {
    const value = <f64>load<f32>(from + (i << 2));
    squares += value * value;
  }
  return squares;
}

/** Makes a record the query. */
export function queryRecord(slot: u32): void {
  const record = m.recordOf(slot);
  floats = record + m.floatsIn; // not read with codes alone
  isProduct = false;
  if (m.codesWide === 0) return;
  queryScale = load<f32>(record, m.scaleIn);
  queryNorm = load<f32>(record, m.normIn);
  for (let i: usize = 0; i < m.codesWide; i += 8) {
    v128.store(m.queryCodes + (i << 1), v128.load_ext<i8>(record + m.codesIn + i));
  }
}

/**
 * Copies floats to the form of records: normalized for the cosine, rotated where that makes codes more precise, and
 * padded with zeros.
 */
export function prepare(from: usize, to: usize): void {
  let squares: f64 = 0;
  let largest: f64 = 0;
  const isCosine = m.metric === m.metricCosine;
  if (isCosine) {
    for (let i: usize = 0; i < m.dimension; i++) {
      largest = max<f64>(largest, abs<f64>(<f64>load<f32>(from + (i << 2))));
    }
    for (let i: usize = 0; i < m.dimension && largest > 0; i++) {
      const value = <f64>load<f32>(from + (i << 2)) / largest;
      squares += value * value;
    }
  }
  const divisor: f64 = isCosine && largest > 0 ? largest * sqrt<f64>(squares) : 1;
  for (let i: usize = 0; i < m.floatsWide; i++) {
    const value: f64 = i < m.dimension ? <f64>load<f32>(from + (i << 2)) / divisor : 0;
    if (!m.isRotated || i >= m.dimension) store<f32>(to + (i << 2), <f32>value);
    else store<f64>(m.rotated + (i << 3), value);
  }
  if (m.isRotated) rotate(to);
}

/** Puts the key of every record of `list` (`count` slots) into `keys`, as exactly as the codes allow. */
export function measure(count: u32): void {
  measureAsking(count, m.codesIn + m.codesWide);
}

/** Measures records in the order of their slots: the processor prefetches most of them. */
export function measureInOrder(count: u32): void {
  measureAsking(count, 1);
}

function measureAsking(count: u32, bytes: usize): void {
  if (count === 0) return;
  fillUp(count);
  if (m.codesWide === 0) for (let i: u32 = 0; i < count; i += 4) floatKeys(i);
  else {
    ask(0, bytes);
    for (let i: u32 = 0; i < count; i += 4) {
      if (i + 4 < count) ask(i + 4, bytes);
      codedKeys(i);
    }
  }
}

/**
 * Reads from each cache line of the first `bytes` of four records, so that they are fetched while others are measured.
 */
function ask(index: u32, bytes: usize): void {
  let sum: u32 = 0;
  const ra = recordAt(index);
  const rb = recordAt(index + 1);
  const rc = recordAt(index + 2);
  const rd = recordAt(index + 3);
  for (let at: usize = 0; at < bytes; at += 64) {
    sum += load<u32>(ra + at) + load<u32>(rb + at) + load<u32>(rc + at) + load<u32>(rd + at);
  }
  store<u32>(m.asked, sum); // otherwise the compiler would remove the reads
}

/**
 * Computes the exact keys to the query for all records of `list`; with codes alone, those of the vectors that the codes
 * represent.
 */
export function measureExactly(count: u32): void {
  if (count === 0) return;
  fillUp(count);
  if (!m.areFloatsKept()) for (let i: u32 = 0; i < count; i += 4) approximateKeys(i);
  else if (m.metric === m.metricCosine) for (let i: u32 = 0; i < count; i += 4) floatKeys(i);
  else for (let i: u32 = 0; i < count; i += 4) doubleKeys(i);
}

/** Repeats the last slot of `list` until its length is a multiple of four. */
function fillUp(count: u32): void {
  const last = load<u32>(m.list + ((count - 1) << 2));
  for (let i = count; (i & 3) !== 0; i++) store<u32>(m.list + (i << 2), last);
}

function recordAt(index: u32): usize {
  return m.recordOf(load<u32>(m.list + (index << 2)));
}

function floatsAt(index: u32): usize {
  return m.floatsOf(load<u32>(m.list + (index << 2)));
}

/** The products of the codes of four records with those of the query. */
function productsOf(ra: usize, rb: usize, rc: usize, rd: usize): v128 {
  let sa = i32x4.splat(0);
  let sb = i32x4.splat(0);
  let sc = i32x4.splat(0);
  let sd = i32x4.splat(0);
  let q = m.queryCodes;
  for (let i = m.codesIn, end = m.codesIn + m.codesWide; i < end; i += 16, q += 32) {
    const q0 = v128.load(q);
    const q1 = v128.load(q, 16);
    sa = i32x4.add(sa, i32x4.dot_i16x8_s(v128.load_ext<i8>(ra + i), q0));
    sb = i32x4.add(sb, i32x4.dot_i16x8_s(v128.load_ext<i8>(rb + i), q0));
    sc = i32x4.add(sc, i32x4.dot_i16x8_s(v128.load_ext<i8>(rc + i), q0));
    sd = i32x4.add(sd, i32x4.dot_i16x8_s(v128.load_ext<i8>(rd + i), q0));
    sa = i32x4.add(sa, i32x4.dot_i16x8_s(v128.load_ext<i8>(ra + i, 8), q1));
    sb = i32x4.add(sb, i32x4.dot_i16x8_s(v128.load_ext<i8>(rb + i, 8), q1));
    sc = i32x4.add(sc, i32x4.dot_i16x8_s(v128.load_ext<i8>(rc + i, 8), q1));
    sd = i32x4.add(sd, i32x4.dot_i16x8_s(v128.load_ext<i8>(rd + i, 8), q1));
  }
  const ab = i32x4.add(v128.shuffle<i32>(sa, sb, 0, 4, 1, 5), v128.shuffle<i32>(sa, sb, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(sc, sd, 0, 4, 1, 5), v128.shuffle<i32>(sc, sd, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

function codedKeys(index: u32): void {
  const ra = recordAt(index);
  const rb = recordAt(index + 1);
  const rc = recordAt(index + 2);
  const rd = recordAt(index + 3);
  const sums = productsOf(ra, rb, rc, rd);
  const scales = four(ra, rb, rc, rd, m.scaleIn);
  const products = f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sums), scales), f32x4.splat(queryScale));
  const to = m.keys + ((<usize>index) << 2);
  if (isProduct) {
    v128.store(to, f32x4.neg(products));
  } else {
    const norms = f32x4.add(four(ra, rb, rc, rd, m.normIn), f32x4.splat(queryNorm));
    v128.store(to, f32x4.sub(norms, f32x4.add(products, products)));
  }
}

/** One f32 field of four records. */
function four(a: usize, b: usize, c: usize, d: usize, field: usize): v128 {
  let values = v128.load32_zero(a + field);
  values = v128.load_lane<f32>(b + field, values, 1);
  values = v128.load_lane<f32>(c + field, values, 2);
  return v128.load_lane<f32>(d + field, values, 3);
}

function floatKeys(index: u32): void {
  const ra = floatsAt(index);
  const rb = floatsAt(index + 1);
  const rc = floatsAt(index + 2);
  const rd = floatsAt(index + 3);
  let sa = f32x4.splat(0);
  let sb = f32x4.splat(0);
  let sc = f32x4.splat(0);
  let sd = f32x4.splat(0);
  const end: usize = (<usize>m.floatsWide) << 2;
  if (isProduct) {
    for (let i: usize = 0; i < end; i += 16) {
      const q = v128.load(floats + i);
      sa = f32x4.sub(sa, f32x4.mul(v128.load(ra + i), q));
      sb = f32x4.sub(sb, f32x4.mul(v128.load(rb + i), q));
      sc = f32x4.sub(sc, f32x4.mul(v128.load(rc + i), q));
      sd = f32x4.sub(sd, f32x4.mul(v128.load(rd + i), q));
    }
  } else {
    for (let i: usize = 0; i < end; i += 16) {
      const q = v128.load(floats + i);
      const da = f32x4.sub(v128.load(ra + i), q);
      const db = f32x4.sub(v128.load(rb + i), q);
      const dc = f32x4.sub(v128.load(rc + i), q);
      const dd = f32x4.sub(v128.load(rd + i), q);
      sa = f32x4.add(sa, f32x4.mul(da, da));
      sb = f32x4.add(sb, f32x4.mul(db, db));
      sc = f32x4.add(sc, f32x4.mul(dc, dc));
      sd = f32x4.add(sd, f32x4.mul(dd, dd));
    }
  }
  const ab = f32x4.add(v128.shuffle<f32>(sa, sb, 0, 4, 1, 5), v128.shuffle<f32>(sa, sb, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(sc, sd, 0, 4, 1, 5), v128.shuffle<f32>(sc, sd, 2, 6, 3, 7));
  v128.store(
    m.keys + ((<usize>index) << 2),
    f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7)),
  );
}

/** The squared distance or negative product for a key of `measureExactly`. */
export function valueOfKey(key: f32): f64 {
  if (m.metric === m.metricCosine) return <f64>key;
  const square = <f64>key * <f64>key;
  const value = copysign<f64>(square * square, <f64>key);
  return isProduct && !m.hasFloats ? value - centreTerm : value;
}

function rootOf(value: f64): f32 {
  return <f32>copysign<f64>(sqrt<f64>(sqrt<f64>(abs<f64>(value))), value);
}

function doubleKeys(index: u32): void {
  const ra = floatsAt(index);
  const rb = floatsAt(index + 1);
  const rc = floatsAt(index + 2);
  const rd = floatsAt(index + 3);
  let sa = f64x2.splat(0);
  let sb = f64x2.splat(0);
  let sc = f64x2.splat(0);
  let sd = f64x2.splat(0);
  const end: usize = (<usize>m.dimension) << 2;
  const isDot = m.metric === m.metricDot;
  for (let i: usize = 0; i < end; i += 8) {
    // Beyond the dimension the query is zero, and a row may have one more value.
    const q = doublesAt(m.query + i);
    if (isDot) {
      sa = f64x2.sub(sa, f64x2.mul(doublesAt(ra + i), q));
      sb = f64x2.sub(sb, f64x2.mul(doublesAt(rb + i), q));
      sc = f64x2.sub(sc, f64x2.mul(doublesAt(rc + i), q));
      sd = f64x2.sub(sd, f64x2.mul(doublesAt(rd + i), q));
    } else {
      const da = f64x2.sub(doublesAt(ra + i), q);
      const db = f64x2.sub(doublesAt(rb + i), q);
      const dc = f64x2.sub(doublesAt(rc + i), q);
      const dd = f64x2.sub(doublesAt(rd + i), q);
      sa = f64x2.add(sa, f64x2.mul(da, da));
      sb = f64x2.add(sb, f64x2.mul(db, db));
      sc = f64x2.add(sc, f64x2.mul(dc, dc));
      sd = f64x2.add(sd, f64x2.mul(dd, dd));
    }
  }
  const to = m.keys + ((<usize>index) << 2);
  store<f32>(to, rootOf(f64x2.extract_lane(sa, 0) + f64x2.extract_lane(sa, 1)));
  store<f32>(to, rootOf(f64x2.extract_lane(sb, 0) + f64x2.extract_lane(sb, 1)), 4);
  store<f32>(to, rootOf(f64x2.extract_lane(sc, 0) + f64x2.extract_lane(sc, 1)), 8);
  store<f32>(to, rootOf(f64x2.extract_lane(sd, 0) + f64x2.extract_lane(sd, 1)), 12);
}

/** Two floats. */
function doublesAt(from: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(from));
}

/** The keys of four records that have codes alone. */
function approximateKeys(index: u32): void {
  const ra = recordAt(index);
  const rb = recordAt(index + 1);
  const rc = recordAt(index + 2);
  const rd = recordAt(index + 3);
  const sums = productsOf(ra, rb, rc, rd);
  const to = m.keys + ((<usize>index) << 2);
  store<f32>(to, approximateKey(ra, i32x4.extract_lane(sums, 0)));
  store<f32>(to, approximateKey(rb, i32x4.extract_lane(sums, 1)), 4);
  store<f32>(to, approximateKey(rc, i32x4.extract_lane(sums, 2)), 8);
  store<f32>(to, approximateKey(rd, i32x4.extract_lane(sums, 3)), 12);
}

/** The key of a record by the product of its codes with those of the query. */
function approximateKey(record: usize, sum: i32): f32 {
  // The codes of rows that are apart are not relative to the centre.
  if (load<u8>(record, m.stateIn) === m.stateApart) return keyApart(record);
  const scale = <f64>load<f32>(record, m.scaleIn);
  const product = <f64>sum * scale * <f64>queryScale;
  // The product with the centre is the same for all rows, and may be so large that their keys would be equal.
  if (isProduct) return rootOf(-(product / queryUnit));
  const norm = scale * scale * <f64>load<u32>(record, m.squaresIn);
  const square = max<f64>(norm + centreTerm - 2 * product, 0);
  return m.metric === m.metricCosine ? <f32>square : rootOf(square);
}

function keyApart(record: usize): f32 {
  decode(record);
  let sum: f64 = isProduct ? centreTerm : 0;
  for (let i: usize = 0; i < m.dimension; i++) {
    const value = <f64>load<f32>(m.row + (i << 2));
    const asked = <f64>load<f32>(m.query + (i << 2));
    sum += isProduct ? -value * asked : (value - asked) * (value - asked);
  }
  return rootOf(sum);
}
