// Links: adds rows to the graph.
import { encode } from './codes.as';
import { measure, queryRecord } from './distance.as';
import { keyOf, pushFarthest, setEntry, slotIn, sortFarthest } from './heaps.as';
import * as m from './memory.as';
import { takeLinked, walk } from './search.as';

/** The number of links from a new row; other rows get links to it. */
const newLinks: u32 = 16;
/** The minimum number of links of a record, even if they lead in the same direction. */
const fewestLinks: u32 = 12;
/** The number of records from which a new row's links are chosen. */
export const linkBreadth: u32 = 128;
const mostPivots: u32 = 1024;
/** The number of nearest records that are compared with a new row, to find one with the same codes. */
const twinsTried: u32 = 8;

/** Adds a waiting row to the graph. */
export function linkSlot(slot: u32): void {
  const record = m.recordOf(slot);
  if (m.hasFloats) encode(record, record + m.floatsIn, m.centreAt);
  if (load<u32>(m.pivotCountAt) > 0) {
    queryRecord(slot);
    const near = walk(linkBreadth, takeLinked);
    sortFarthest(m.results, near);
    const original = originalOf(slot, near);
    if (original !== 0) {
      beTwin(slot, original - 1);
      return;
    }
    connect(slot, near);
  }
  store<u8>(record, m.stateLinked, m.stateIn);
  m.count(m.linkedAt, 1);
  offerPivot(slot);
}

/** The record, + 1, among the nearest ones that has the same codes as a slot (without codes: the same floats); or 0. */
function originalOf(slot: u32, near: u32): u32 {
  const record = m.recordOf(slot);
  const from = m.codesWide > 0 ? m.codesIn : m.floatsIn;
  const size: usize = m.codesWide > 0 ? <usize>m.codesWide : (<usize>m.dimension) << 2;
  for (let i: u32 = 0; i < near && i < twinsTried; i++) {
    const other = m.recordOf(slotIn(m.results, i));
    const isSame = load<f32>(record, m.scaleIn) === load<f32>(other, m.scaleIn);
    if (isSame && memory.compare(record + from, other + from, size) === 0) return slotIn(m.results, i) + 1;
  }
  return 0;
}

/** Makes a slot the twin of a record with the same codes: equal rows would only link to each other. */
function beTwin(slot: u32, original: u32): void {
  const record = m.recordOf(slot);
  const first = m.recordOf(original);
  const next = load<u32>(first, m.nextIn);
  store<u8>(record, m.stateTwin, m.stateIn);
  store<u32>(record, next, m.nextIn);
  store<u32>(record + m.linksIn, original); // the previous one in the list
  if (next !== 0) store<u32>(m.linksOf(next - 1), slot);
  store<u32>(first, slot + 1, m.nextIn);
  m.count(m.twinsAt, 1);
}

/** Links a record, which is the query, to some of the `near` records in `results`, nearest first. */
export function connect(slot: u32, near: u32): void {
  let taken: u32 = 0;
  for (let i: u32 = 0; i < near; i++) {
    if (slotIn(m.results, i) === slot) continue;
    setEntry(m.sorted, taken++, keyOf(m.results, i), slotIn(m.results, i));
  }
  const chosen = choose(taken, fewestLinks, newLinks);
  for (let i: u32 = 0; i < chosen; i++) addLink(slot, slotIn(m.sorted, i));
  linkAllBack(slot);
}

/** Adds links to a record from those that it links to. */
export function linkAllBack(slot: u32): void {
  for (let i: u32 = 0; i < m.linkCountOf(slot); i++) linkBack(load<u32>(m.linksOf(slot) + (i << 2)), slot);
  if (load<u16>(m.recordOf(slot), m.inLinksIn) === 0) forceLink(slot);
}

function addLink(from: u32, to: u32): void {
  const links = m.linksOf(from);
  const linkCount = m.linkCountOf(from);
  if (linkCount === m.maxLinks || hasLink(from, to, linkCount)) return;
  store<u32>(links + (linkCount << 2), to);
  store<u32>(m.recordOf(from), linkCount + 1, m.linkCountIn);
  changeInLinks(to, 1);
}

/** Changes the number of links to a record. */
export function changeInLinks(slot: u32, change: i32): void {
  const record = m.recordOf(slot);
  store<u16>(record, <u16>(<i32>load<u16>(record, m.inLinksIn) + change), m.inLinksIn);
}

/**
 * Chooses among the first `count` entries of `sorted`, which are ordered by distance to a record, and moves the chosen
 * ones to the front. Chooses those that are nearer to that record than to any already chosen one, so that links lead in
 * different directions. If these are fewer than `fewest`, the nearest of the others are added. Chooses at most `room`;
 * returns their number.
 */
function choose(count: u32, fewest: u32, room: u32): u32 {
  let chosen: u32 = 0;
  let rest = count;
  let left: u32 = 0;
  while (chosen < rest && chosen < room) {
    const last = chosen++;
    if (chosen === room) break;
    queryRecord(slotIn(m.sorted, last));
    for (let i = chosen; i < rest; i++) store<u32>(m.list + ((i - chosen) << 2), slotIn(m.sorted, i));
    measure(rest - chosen);
    let kept = chosen;
    for (let i = chosen; i < rest; i++) {
      const key = keyOf(m.sorted, i);
      const slot = slotIn(m.sorted, i);
      if (load<f32>(m.keys + ((i - chosen) << 2)) >= key) setEntry(m.sorted, kept++, key, slot);
      else left = pushFarthest(m.candidates, left, fewest, key, slot);
    }
    rest = kept;
  }
  if (chosen >= fewest) return chosen;
  sortFarthest(m.candidates, left);
  for (let i: u32 = 0; i < left && chosen < fewest; i++) {
    setEntry(m.sorted, chosen++, keyOf(m.candidates, i), slotIn(m.candidates, i));
  }
  return chosen;
}

/** Links one record to another; if its list is full, its links are chosen again. */
function linkBack(from: u32, to: u32): void {
  const linkCount = m.linkCountOf(from);
  if (linkCount < m.maxLinks) {
    addLink(from, to);
    return;
  }
  if (hasLink(from, to, linkCount)) return;
  for (let i: u32 = 0; i < linkCount; i++) {
    store<u32>(m.list + (i << 2), load<u32>(m.linksOf(from) + (i << 2)));
  }
  store<u32>(m.list + (linkCount << 2), to);
  chooseLinks(from, linkCount + 1);
}

/**
 * Chooses a record's links again among the first `count` slots of `list`, which contain no duplicates and not the
 * record.
 */
export function chooseLinks(slot: u32, count: u32): void {
  queryRecord(slot);
  measure(count);
  let size: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    size = pushFarthest(m.sorted, size, count, load<f32>(m.keys + (i << 2)), load<u32>(m.list + (i << 2)));
  }
  sortFarthest(m.sorted, size);
  replaceLinks(slot, choose(size, fewestLinks, m.maxLinks));
}

/** Adds up to `wanted` links to and from a record, chosen among `count` slots of `list` beginning at index `from`. */
export function addChosen(slot: u32, from: u32, count: u32, wanted: u32): void {
  for (let i: u32 = 0; i < count; i++) store<u32>(m.list + (i << 2), load<u32>(m.list + ((from + i) << 2)));
  queryRecord(slot);
  measure(count);
  let size: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    size = pushFarthest(m.sorted, size, count, load<f32>(m.keys + (i << 2)), load<u32>(m.list + (i << 2)));
  }
  sortFarthest(m.sorted, size);
  const chosen = choose(size, wanted, wanted);
  // In both directions if there is room, because a removed record had links in both directions.
  for (let i: u32 = 0; i < chosen; i++) {
    addLink(slot, slotIn(m.sorted, i));
    addLink(slotIn(m.sorted, i), slot);
  }
}

/** Replaces a record's links by the first `chosen` entries of `sorted`. Every record keeps a link to it. */
function replaceLinks(slot: u32, chosen: u32): void {
  const links = m.linksOf(slot);
  const before = m.linkCountOf(slot);
  let linkCount = chosen;
  let lost: u32 = 0;
  for (let i: u32 = 0; i < before; i++) {
    const link = load<u32>(links + (i << 2));
    if (isChosen(link, chosen)) continue;
    const isLast = load<u16>(m.recordOf(link), m.inLinksIn) === 1 && !m.hasBit(m.dead, link);
    if (isLast && linkCount < m.maxLinks) {
      setEntry(m.sorted, linkCount++, 0, link);
      continue;
    }
    changeInLinks(link, -1);
    if (isLast) store<u32>(m.list + (lost++ << 2), link);
  }
  for (let i: u32 = 0; i < chosen; i++) {
    const link = slotIn(m.sorted, i);
    if (!hasLink(slot, link, before)) changeInLinks(link, 1);
  }
  for (let i: u32 = 0; i < linkCount; i++) store<u32>(links + (i << 2), slotIn(m.sorted, i));
  store<u32>(m.recordOf(slot), linkCount, m.linkCountIn);
  for (let i: u32 = 0; i < lost; i++) forceLink(load<u32>(m.list + (i << 2)));
}

function isChosen(link: u32, chosen: u32): bool {
  for (let i: u32 = 0; i < chosen; i++) if (slotIn(m.sorted, i) === link) return true;
  return false;
}

function hasLink(slot: u32, link: u32, linkCount: u32): bool {
  const links = m.linksOf(slot);
  for (let i: u32 = 0; i < linkCount; i++) if (load<u32>(links + (i << 2)) === link) return true;
  return false;
}

/** Makes one of a record's neighbours link to it, instead of to a record that others also link to. */
function forceLink(slot: u32): void {
  const linkCount = m.linkCountOf(slot);
  for (let i: u32 = 0; i < linkCount; i++) {
    const neighbour = load<u32>(m.linksOf(slot) + (i << 2));
    const theirs = m.linkCountOf(neighbour);
    if (theirs < m.maxLinks) {
      addLink(neighbour, slot);
      return;
    }
    for (let j = theirs; j > 0; j--) {
      const at = m.linksOf(neighbour) + ((j - 1) << 2);
      const replaced = load<u32>(at);
      if (load<u16>(m.recordOf(replaced), m.inLinksIn) <= 1) continue;
      changeInLinks(replaced, -1);
      changeInLinks(slot, 1);
      store<u32>(at, slot);
      return;
    }
  }
}

/** Makes some linked records pivots, evenly sampled; their number is about the square root of the number of records. */
function offerPivot(slot: u32): void {
  const pivots = load<u32>(m.pivotCountAt);
  const linked = load<u32>(m.linkedAt);
  if (pivots < mostPivots && pivots * pivots < linked) {
    addPivot(slot);
    return;
  }
  const random = nextRandom() % linked;
  if (random < pivots) store<u32>(m.pivotsAt + (random << 2), slot);
}

/** Makes a linked record a pivot. */
export function addPivot(slot: u32): void {
  const pivots = load<u32>(m.pivotCountAt);
  store<u32>(m.pivotsAt + (pivots << 2), slot);
  store<u32>(m.pivotCountAt, pivots + 1);
}

/** The next number of a fixed sequence. */
export function nextRandom(): u32 {
  let x = load<u32>(m.randomAt);
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  store<u32>(m.randomAt, x);
  return x;
}
