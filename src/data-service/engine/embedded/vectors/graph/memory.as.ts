// The layout of a graph's memory: header, bitmaps, table of labels, scratch area, records.
// Snapshots hold all of it but the scratch area, see snapshot.ts: what changes here changes their format.

/** Links that a record has room for. */
export const maxLinks: u32 = 32;
/** Entries that the lists of the scratch area have room for. */
export const listRoom: u32 = 16384;
/** Records that a search measures at most. */
export const visitRoom: u32 = 1 << 19;

// Addresses of the header's fields: 4 bytes each. Those at 56, 84 and 92 are not used.
const header: usize = 1024;
/** Values of a vector. */
export const dimensionAt: usize = header;
/** Floats of a record: the values, for the dot product one more (see `radiusAt`), zeros up to a multiple of 4. */
export const floatsWideAt: usize = header + 4;
/** Codes of a record, a multiple of 16; 0 where there are none. */
export const codesWideAt: usize = header + 8;
/** One of the metrics below. */
export const metricAt: usize = header + 12;
/** Slots that the bitmaps and the table have room for, a power of two. */
export const maxSlotsAt: usize = header + 16;
/** Slots ever used: all smaller numbers name records. */
export const slotsAt: usize = header + 20;
/** Rows that can be found. */
export const liveAt: usize = header + 24;
/** Rows that wait to be linked. */
export const waitingAt: usize = header + 28;
/** Records in the graph whose row is gone. */
export const deadAt: usize = header + 32;
/** First free record: slot + 1, or 0. */
export const freeHeadAt: usize = header + 36;
/** Last free record: slot + 1, or 0. */
export const freeTailAt: usize = header + 40;
/** Free records. */
export const freeCountAt: usize = header + 44;
/** Entries at `pivotsAt`. */
export const pivotCountAt: usize = header + 48;
/** Size of the table of labels, less 1; 0 while there is none. */
export const tableMaskAt: usize = header + 52;
/** Entries of the table that are or were used. */
export const tableUsedAt: usize = header + 60;
/** The slot with which the sweep continues. */
export const sweepCursorAt: usize = header + 64;
/** Which part of a sweep is under way, see sweep.as.ts. */
export const isSweepingAt: usize = header + 68;
/** State of the random numbers, not 0. */
export const randomAt: usize = header + 72;
/** 1 once the centre and the radius are known, from which on rows are linked. */
export const hasGraphAt: usize = header + 76;
/** Dot product only: the squared length that every row in the graph gets by one more value. */
export const radiusAt: usize = header + 80;
/** Linked records. Tests see by it that searches use the graph. */
export const linkedAt: usize = header + 88;
/** The place from which the next row that waits is looked for. */
export const linkCursorAt: usize = header + 96;

/** 1 where rows differ in length: the rows with the largest products are far from the others, so walks are broader. */
export const isUnevenAt: usize = header + 100;
/** Rows that the graph does not take: too short or too long for 32-bit sums, or for codes that show differences. */
export const apartAt: usize = header + 104;
/** Twins, see `stateTwin`. */
export const twinsAt: usize = header + 108;
/** The least squared length of the rows that the graph takes, f64. It also takes rows of zeros. */
export const shortestAt: usize = header + 112;
/** The largest one, f64. */
export const longestAt: usize = header + 120;

/** Slots that searches start from. */
export const pivotsAt: usize = 4096;
/** The middle of the rows, floats. */
export const centreAt: usize = 16384;
const bitmapsAt: usize = 65536;

/** Rows are kept with length 1; keys are squared distances. */
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
/** In the list of a linked record that has the same codes, or the same floats where there are no codes. */
export const stateTwin: u8 = 3;
/** Its row is not in the graph, see `apartAt`: each search measures all such rows. */
export const stateApart: u8 = 4;

// Fields of a record. The four bytes at 24 are not used.
/** Codes times this are the values, less those of the centre. */
export const scaleIn: usize = 0;
/** Squared length of what the codes stand for. */
export const normIn: usize = 4;
/** Next twin, or next free record: slot + 1, or 0. */
export const nextIn: usize = 8;
/** One of the states above, u8. */
export const stateIn: usize = 12;
/** How many records link to this one, u16. */
export const inLinksIn: usize = 14;
/** The label, f64. */
export const labelIn: usize = 16;
/** Links of a linked record. */
export const linkCountIn: usize = 28;
/** The codes, i8. */
export const codesIn: usize = 32;

/** See `dimensionAt`. */
export let dimension: u32 = 0;
/** See `floatsWideAt`. */
export let floatsWide: u32 = 0;
/** Bytes of codes, 0 where the floats themselves are searched. */
export let codesWide: u32 = 0;
/** See `metricAt`. */
export let metric: u32 = 0;
/** Bytes of a record. */
export let stride: u32 = 0;
/** See `maxSlotsAt`. */
export let maxSlots: u32 = 0;
/** The links: slots. A twin has the slot before it here. */
export let linksIn: usize = 0;
/** The floats. */
export let floatsIn: usize = 0;
/** Bitmap: rows that can be found. */
export let live: usize = 0;
/** Bitmap: rows that wait to be linked. */
export let waiting: usize = 0;
/** Bitmap: records in the graph whose row is gone. */
export let dead: usize = 0;
/** Bitmap: the dead records that the present sweep removes. */
export let dying: usize = 0;
/** Bitmap: rows that the graph does not take. */
export let apart: usize = 0;
/** Table of labels: slot + 1, by the hash of the label. */
export let table: usize = 0;
/** The first record. */
export let records: usize = 0;
/** Floats from the caller. The scratch area begins here. */
export let input: usize = 0;
/** Floats of a query. */
export let query: usize = 0;
/** The same floats as walks use them: see `queryInput`. */
export let walkedQuery: usize = 0;
/** Codes of the query, or of the record in its place, i16. */
export let queryCodes: usize = 0;
/** Slots to measure. */
export let list: usize = 0;
/** Keys of the slots in `list`. */
export let keys: usize = 0;
/** A place that is never read, see `ask` in distance.as.ts. */
export let asked: usize = 0;
/** Heap: the nearest records by the keys that walks and codes give. */
export let results: usize = 0;
/** Heap: the nearest records by exact keys. */
export let best: usize = 0;
/** Heap or list: the records that links are chosen from. */
export let sorted: usize = 0;
/** Results for the caller, and labels from it. */
export let output: usize = 0;
/** Heap: the records that a walk continues from; those that a choice of links did not take. */
export let candidates: usize = 0;
/** Two tables of the slots that a walk has met. */
export let visits: usize = 0;
/** Bitmap: rows that pass the filter. */
export let filter: usize = 0;

/** Reads the layout from the header. Gives the size that the memory must have before anything else is called. */
export function attach(): usize {
  dimension = load<u32>(dimensionAt);
  floatsWide = load<u32>(floatsWideAt);
  codesWide = load<u32>(codesWideAt);
  metric = load<u32>(metricAt);
  maxSlots = load<u32>(maxSlotsAt);
  linksIn = codesIn + codesWide;
  floatsIn = linksIn + (maxLinks << 2);
  stride = <u32>floatsIn + (floatsWide << 2);
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
  queryCodes = walkedQuery + wide;
  list = queryCodes + wide;
  keys = list + entries;
  asked = keys + (entries >> 1); // keys are half as large as entries
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

/** The state of a slot's record. */
export function stateOf(slot: u32): u8 {
  return load<u8>(recordOf(slot), stateIn);
}

/** The address of the first link of a slot's record. */
export function linksOf(slot: u32): usize {
  return recordOf(slot) + linksIn;
}

/** How many links a slot's record has. */
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
