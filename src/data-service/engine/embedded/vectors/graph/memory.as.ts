// The layout of a graph's memory: header, bitmaps, table of labels, scratch area, records. Snapshots contain all of it
// except the scratch area, see snapshot.ts: a change here changes their format.

/** The maximum number of links of a record. */
export const maxLinks: u32 = 32;
/** The maximum number of entries of the lists in the scratch area. */
export const listRoom: u32 = 16384;
/** The maximum number of records that a search measures. */
export const visitRoom: u32 = 1 << 19;
/** The number of first rows from which a centre is computed when records have codes alone, see `areFloatsKept`. */
export const firstRows: u32 = 32;

// Addresses of the header's fields: 4 bytes each. Those at 56, 84 and 92 are not used.
const header: usize = 1024;
/** The number of values of a vector. */
export const dimensionAt: usize = header;
/**
 * The number of floats of a record: the values, for the dot product one more (see `radiusAt`), and zeros up to a
 * multiple of 4.
 */
export const floatsWideAt: usize = header + 4;
/** The number of codes of a record, a multiple of 16; 0 without codes. */
export const codesWideAt: usize = header + 8;
/** One of the metrics below. */
export const metricAt: usize = header + 12;
/** The maximum number of slots in the bitmaps and the table, a power of two. */
export const maxSlotsAt: usize = header + 16;
/** The number of slots that were ever used: all smaller numbers are records. */
export const slotsAt: usize = header + 20;
/** The number of rows that can be found. */
export const liveAt: usize = header + 24;
/** The number of rows that wait to be linked. */
export const waitingAt: usize = header + 28;
/** The number of records in the graph whose row was removed. */
export const deadAt: usize = header + 32;
/** The first free record: slot + 1, or 0. */
export const freeHeadAt: usize = header + 36;
/** The last free record: slot + 1, or 0. */
export const freeTailAt: usize = header + 40;
/** The number of free records. */
export const freeCountAt: usize = header + 44;
/** The number of entries at `pivotsAt`. */
export const pivotCountAt: usize = header + 48;
/** The size of the table of labels minus 1; 0 while there is none. */
export const tableMaskAt: usize = header + 52;
/** The number of entries of the table that are or were used. */
export const tableUsedAt: usize = header + 60;
/** The slot with which the sweep continues. */
export const sweepCursorAt: usize = header + 64;
/** The phase of a sweep under way, see sweep.as.ts. */
export const isSweepingAt: usize = header + 68;
/** The state of the random numbers, never 0. */
export const randomAt: usize = header + 72;
/** 1 when the centre is final and the radius is known; from then on rows are linked. */
export const hasGraphAt: usize = header + 76;
/** Dot product only: the squared length that every row in the graph gets by its additional value. */
export const radiusAt: usize = header + 80;
/** The number of linked records, by which tests check that searches use the graph. */
export const linkedAt: usize = header + 88;
/** The slot from which the search for the next waiting row continues. */
export const linkCursorAt: usize = header + 96;

/**
 * 1 if rows differ in length: the rows with the largest products are far from the others, so walks need a wider beam.
 */
export const isUnevenAt: usize = header + 100;
/**
 * The number of rows that the graph does not accept: they are too short or too long for 32-bit sums, or for the
 * precision of codes.
 */
export const apartAt: usize = header + 104;
/** The number of twins, see `stateTwin`. */
export const twinsAt: usize = header + 108;
/** The least squared length of rows that the graph accepts, f64. It also accepts zero vectors. */
export const shortestAt: usize = header + 112;
/** The largest squared length, f64. */
export const longestAt: usize = header + 120;
/** 1 if records have codes alone: then the graph finds rows approximately, and the caller ranks them. */
export const isCodedAloneAt: usize = header + 128;
/** With codes alone: 1 when there is a centre, so that rows have codes. */
export const hasCentreAt: usize = header + 132;

/** Slots that searches start from. */
export const pivotsAt: usize = 4096;
/** The centre of the rows, floats. */
export const centreAt: usize = 16384;
const bitmapsAt: usize = 65536;

/** Rows are stored normalized; keys are squared distances. */
export const metricCosine: u32 = 0;
/** Keys are negative products. */
export const metricDot: u32 = 1;
/** Keys are squared distances. */
export const metricEuclidean: u32 = 2;

/** States of a record. */
export const stateFree: u8 = 0;
/** Its row waits to be linked: each search measures all such rows. */
export const stateWaiting: u8 = 1;
/** It is in the graph. */
export const stateLinked: u8 = 2;
/** It is in the list of a linked record with the same codes, or without codes with the same floats. */
export const stateTwin: u8 = 3;
/** Its row is not in the graph, see `apartAt`: each search measures all such rows. */
export const stateApart: u8 = 4;

// Fields of a record.
/** The factor from codes to values, relative to the centre. */
export const scaleIn: usize = 0;
/** The squared length of the vector that the codes represent. */
export const normIn: usize = 4;
/** The next twin or the next free record: slot + 1, or 0. */
export const nextIn: usize = 8;
/** One of the states above, u8. */
export const stateIn: usize = 12;
/** The number of records that link to this one, u16. */
export const inLinksIn: usize = 14;
/** The label, f64. */
export const labelIn: usize = 16;
/** The sum of the squares of the codes, u32. Only records with codes alone have it: `normIn` may be out of range. */
export const squaresIn: usize = 24;
/** The number of links of a linked record. */
export const linkCountIn: usize = 28;
/** The codes, i8. */
export const codesIn: usize = 32;

/** See `dimensionAt`. */
export let dimension: u32 = 0;
/** See `floatsWideAt`. */
export let floatsWide: u32 = 0;
/** The number of codes, see `codesWideAt`; 0 if the floats themselves are searched. */
export let codesWide: u32 = 0;
/** See `metricAt`. */
export let metric: u32 = 0;
/** Whether records have floats, see `isCodedAloneAt`. */
export let hasFloats: bool = true;
/**
 * Whether rows and queries are rotated before they are coded, see rotate.as.ts. With the dot product they are not: the
 * errors of all codes of a row would be multiplied by a large value of the query, and not that of one code alone.
 */
export let isRotated: bool = false;
/** The size of a record in bytes. */
export let stride: u32 = 0;
/** See `maxSlotsAt`. */
export let maxSlots: u32 = 0;
/** The links, which are slots. For a twin, the previous slot of the list. */
export let linksIn: usize = 0;
/** The floats, unless `hasFloats` is false. */
export let floatsIn: usize = 0;
/** Bitmap: rows that can be found. */
export let live: usize = 0;
/** Bitmap: rows that wait to be linked. */
export let waiting: usize = 0;
/** Bitmap: records in the graph whose row was removed. */
export let dead: usize = 0;
/** Bitmap: the dead records that the present sweep removes. */
export let dying: usize = 0;
/** Bitmap: rows that the graph does not accept. */
export let apart: usize = 0;
/** Table of labels: slot + 1, by the hash of the label. */
export let table: usize = 0;
/** The first record. */
export let records: usize = 0;
/** Floats from the caller. The scratch area begins here. */
export let input: usize = 0;
/** Floats of a query. */
export let query: usize = 0;
/** The floats of the query in the form for walks: see `queryInput`. */
export let walkedQuery: usize = 0;
/** Floats of a row that the records do not hold: a new one, or one made from its codes. */
export let row: usize = 0;
/** The new centre of the rows, while it is computed and records are still relative to the one at `centreAt`. */
export let newCentre: usize = 0;
/** Doubles of a vector while it is rotated. */
export let rotated: usize = 0;
/** Codes of the query, or of the record in its place, i16. */
export let queryCodes: usize = 0;
/** Slots to measure. */
export let list: usize = 0;
/** Keys of the slots in `list`. */
export let keys: usize = 0;
/** An address that is never read, see `ask` in distance.as.ts. */
export let asked: usize = 0;
/** Heap: the nearest records by the keys of walks or codes. */
export let results: usize = 0;
/** Heap: the nearest records by exact keys. */
export let best: usize = 0;
/** Heap or list: the records from which links are chosen. */
export let sorted: usize = 0;
/** Results for the caller, and labels from the caller. */
export let output: usize = 0;
/** Heap: the records from which a walk continues; also the records that a choice of links rejected. */
export let candidates: usize = 0;
/** Two tables of the slots that a walk has visited. */
export let visits: usize = 0;
/** Bitmap: rows that pass the filter. */
export let filter: usize = 0;

/** Reads the layout from the header. Returns the size that the memory must have before any other call. */
export function attach(): usize {
  dimension = load<u32>(dimensionAt);
  floatsWide = load<u32>(floatsWideAt);
  codesWide = load<u32>(codesWideAt);
  metric = load<u32>(metricAt);
  maxSlots = load<u32>(maxSlotsAt);
  linksIn = codesIn + codesWide;
  floatsIn = linksIn + (maxLinks << 2);
  hasFloats = load<u32>(isCodedAloneAt) === 0;
  isRotated = !hasFloats && metric !== metricDot;
  stride = <u32>floatsIn + (hasFloats ? floatsWide << 2 : 0);
  const bitmapBytes: usize = ((maxSlots + 63) >> 3) & ~7;
  live = bitmapsAt;
  waiting = live + bitmapBytes;
  dead = waiting + bitmapBytes;
  dying = dead + bitmapBytes;
  apart = dying + bitmapBytes;
  table = aligned(apart + bitmapBytes);
  records = attachScratch(aligned(table + ((<usize>maxSlots) << 3)), bitmapBytes);
  return records;
}

function attachScratch(from: usize, bitmapBytes: usize): usize {
  const wide: usize = (<usize>floatsWide + 32) << 2;
  const entries: usize = (<usize>listRoom) << 3;
  input = from;
  query = input + wide;
  walkedQuery = query + wide;
  row = walkedQuery + wide;
  newCentre = row + wide;
  rotated = newCentre + wide;
  queryCodes = rotated + (wide << 1);
  list = queryCodes + wide;
  keys = list + entries;
  asked = keys + (entries >> 1); // a key has half the size of an entry
  results = keys + entries;
  best = results + entries;
  sorted = best + entries;
  output = sorted + entries;
  candidates = output + ((<usize>listRoom) << 4);
  visits = candidates + ((<usize>visitRoom) << 3);
  filter = visits + ((<usize>visitRoom) << 4);
  return aligned(filter + bitmapBytes);
}

function aligned(address: usize): usize {
  return (address + 63) & ~63;
}

/** The address of a slot's record. */
export function recordOf(slot: u32): usize {
  return records + <usize>slot * stride;
}

/**
 * Whether the floats of all rows are kept. With codes alone they are kept until there are enough rows for a centre:
 * searches compare the floats of these first rows, which are where later records will be.
 */
export function areFloatsKept(): bool {
  return hasFloats || load<u32>(hasCentreAt) === 0;
}

/** The address of the floats of a slot's row, if they are kept. */
export function floatsOf(slot: u32): usize {
  if (hasFloats) return recordOf(slot) + floatsIn;
  return recordOf(firstRows) + ((<usize>slot * floatsWide) << 2);
}

/** The length of the memory from the first record on that so many slots need. */
export function lengthFor(slots: u32): usize {
  const isWithoutCodes = !hasFloats && areFloatsKept() && slots > 0;
  return isWithoutCodes ? floatsOf(slots) - records : <usize>slots * stride;
}

/** The state of a slot's record. */
export function stateOf(slot: u32): u8 {
  return load<u8>(recordOf(slot), stateIn);
}

/** The address of the first link of a slot's record. */
export function linksOf(slot: u32): usize {
  return recordOf(slot) + linksIn;
}

/** The number of links of a slot's record. */
export function linkCountOf(slot: u32): u32 {
  return load<u32>(recordOf(slot), linkCountIn);
}

/** Whether a slot's bit is set. */
export function hasBit(bitmap: usize, slot: u32): bool {
  return ((load<u32>(bitmap + ((slot >> 5) << 2)) >> (slot & 31)) & 1) !== 0;
}

/** Sets a slot's bit. */
export function setBit(bitmap: usize, slot: u32): void {
  const at = bitmap + ((slot >> 5) << 2);
  store<u32>(at, load<u32>(at) | (1 << (slot & 31)));
}

/** Clears a slot's bit. */
export function clearBit(bitmap: usize, slot: u32): void {
  const at = bitmap + ((slot >> 5) << 2);
  store<u32>(at, load<u32>(at) & ~(1 << (slot & 31)));
}

/** Adds to a counter of the header. */
export function count(at: usize, change: i32): void {
  store<u32>(at, load<u32>(at) + change);
}
