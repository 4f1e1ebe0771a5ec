// Slots: which records are free, and which one has the row with a label.
import * as m from './memory.as';

const growthPages: i32 = 64;

/** No slot: the memory is full, or there is no row with that label. */
export const noSlot: u32 = 0xffffffff;

/** A free slot, or `noSlot` when the memory is full. */
export function takeSlot(): u32 {
  if (load<u32>(m.freeCountAt) > 0) return takeFreed();
  const slots = load<u32>(m.slotsAt);
  if (slots === m.maxSlots || !hasRoom(slots + 1)) return noSlot;
  memory.fill(m.recordOf(slots), 0, m.stride);
  store<u32>(m.slotsAt, slots + 1);
  return slots;
}

function hasRoom(slots: u32): bool {
  const needed: u64 = <u64>m.records + <u64>m.lengthFor(slots);
  const present: u64 = (<u64>memory.size()) << 16;
  if (needed <= present) return true;
  const missing = <i32>((needed - present + 65535) >> 16);
  return memory.grow(missing > growthPages ? missing : growthPages) >= 0 || memory.grow(missing) >= 0;
}

function takeFreed(): u32 {
  const slot = load<u32>(m.freeHeadAt) - 1;
  store<u32>(m.freeHeadAt, load<u32>(m.recordOf(slot), m.nextIn));
  if (load<u32>(m.freeHeadAt) === 0) store<u32>(m.freeTailAt, 0);
  m.count(m.freeCountAt, -1);
  store<u32>(m.recordOf(slot), 0, m.nextIn);
  return slot;
}

/** Frees a record, to which nothing links. */
export function freeSlot(slot: u32): void {
  const record = m.recordOf(slot);
  store<u8>(record, m.stateFree, m.stateIn);
  store<u32>(record, 0, m.linkCountIn);
  store<u16>(record, 0, m.inLinksIn);
  store<u32>(record, 0, m.nextIn);
  const tail = load<u32>(m.freeTailAt);
  if (tail === 0) store<u32>(m.freeHeadAt, slot + 1);
  else store<u32>(m.recordOf(tail - 1), slot + 1, m.nextIn);
  store<u32>(m.freeTailAt, slot + 1);
  m.count(m.freeCountAt, 1);
}

/** The slot of a label, or `noSlot`. */
export function slotOf(label: f64): u32 {
  const mask = load<u32>(m.tableMaskAt);
  if (mask === 0) return noSlot;
  let at = placeOf(label) & mask;
  while (true) {
    const entry = load<u32>(m.table + ((<usize>at) << 2));
    if (entry === 0) return noSlot;
    if (entry !== removed && load<f64>(m.recordOf(entry - 1), m.labelIn) === label) return entry - 1;
    at = (at + 1) & mask;
  }
}

/** An entry whose label was removed: a look-up of another label continues after it. */
const removed: u32 = 0xffffffff;

function placeOf(label: f64): u32 {
  let bits = reinterpret<u64>(label);
  bits ^= bits >> 32;
  bits *= ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;
  return <u32>(bits >> 40);
}

/** Adds the label of a slot's record to the table; `before` is the slot that had the label, or `noSlot`. */
export function setLabel(slot: u32, before: u32): void {
  const label = load<f64>(m.recordOf(slot), m.labelIn);
  if (before !== noSlot) {
    store<u32>(entryOf(label, before), slot + 1);
    return;
  }
  const used = load<u32>(m.tableUsedAt) + 1;
  const mask = load<u32>(m.tableMaskAt);
  if (mask === 0 || used * 2 > mask) makeTable(slot);
  else {
    store<u32>(m.tableUsedAt, used);
    enter(label, slot, mask);
  }
}

/** Removes the label of a slot from the table. */
export function dropLabel(label: f64, slot: u32): void {
  store<u32>(entryOf(label, slot), removed);
}

function entryOf(label: f64, slot: u32): usize {
  const mask = load<u32>(m.tableMaskAt);
  let at = placeOf(label) & mask;
  while (load<u32>(m.table + ((<usize>at) << 2)) !== slot + 1) at = (at + 1) & mask;
  return m.table + ((<usize>at) << 2);
}

function enter(label: f64, slot: u32, mask: u32): void {
  let at = placeOf(label) & mask;
  while (load<u32>(m.table + ((<usize>at) << 2)) !== 0) at = (at + 1) & mask;
  store<u32>(m.table + ((<usize>at) << 2), slot + 1);
}

/** Creates the table again, with room for twice the number of rows; `added` is a row that is not live yet. */
function makeTable(added: u32): void {
  const rows = load<u32>(m.liveAt) + 1;
  let size: u32 = 1024;
  while (size < (rows * 5) / 2 && size < m.maxSlots << 1) size <<= 1;
  memory.fill(m.table, 0, (<usize>size) << 2);
  store<u32>(m.tableMaskAt, size - 1);
  const slots = load<u32>(m.slotsAt);
  for (let slot: u32 = 0; slot < slots; slot++) {
    if (slot !== added && m.hasBit(m.live, slot))
      enter(load<f64>(m.recordOf(slot), m.labelIn), slot, size - 1);
  }
  enter(load<f64>(m.recordOf(added), m.labelIn), added, size - 1);
  store<u32>(m.tableUsedAt, rows);
}
