// Frees records whose row was removed: first the records that link to them get other links. Works in steps, so that
// searches are answered in between.
import { queryRecord } from './distance.as';
import { forgetSeen, isNew, slotIn, sortFarthest } from './heaps.as';
import {
  addChosen,
  addPivot,
  changeInLinks,
  chooseLinks,
  connect,
  linkAllBack,
  linkBreadth,
} from './link.as';
import * as m from './memory.as';
import { takeLinked, walk } from './search.as';
import { freeSlot } from './slots.as';

const isResting: u32 = 0;
const isRepairing: u32 = 1;
const isUnlinking: u32 = 2;
const isFreeing: u32 = 3;

/** A sweep is due when the number of dead records exceeds this and an eighth of the number of live rows. */
const fewestDead: u32 = 64;

/** Processes up to `steps` records. Returns whether there is more to do. */
export function sweepSome(steps: u32): bool {
  if (load<u32>(m.isSweepingAt) === isResting && !begin()) return false;
  const slots = load<u32>(m.slotsAt);
  for (let step: u32 = 0; step < steps; step++) {
    const slot = load<u32>(m.sweepCursorAt);
    if (slot >= slots) {
      const phase = load<u32>(m.isSweepingAt);
      store<u32>(m.isSweepingAt, phase === isFreeing ? isResting : phase + 1);
      store<u32>(m.sweepCursorAt, 0);
      if (phase === isFreeing) return isDue();
      continue;
    }
    store<u32>(m.sweepCursorAt, slot + 1);
    const phase = load<u32>(m.isSweepingAt);
    if (phase === isRepairing) repair(slot);
    else if (m.hasBit(m.dying, slot)) {
      if (phase === isUnlinking) unlink(slot);
      else freeDead(slot);
    }
  }
  return true;
}

function isDue(): bool {
  const dead = load<u32>(m.deadAt);
  return dead > fewestDead && dead > load<u32>(m.liveAt) >> 3;
}

function begin(): bool {
  if (!isDue()) return false;
  memory.copy(m.dying, m.dead, ((<usize>load<u32>(m.slotsAt) + 31) >> 5) << 2);
  store<u32>(m.isSweepingAt, isRepairing);
  store<u32>(m.sweepCursorAt, 0);
  let kept: u32 = 0;
  const pivots = load<u32>(m.pivotCountAt);
  for (let i: u32 = 0; i < pivots; i++) {
    const pivot = load<u32>(m.pivotsAt + (i << 2));
    if (!m.hasBit(m.dying, pivot)) store<u32>(m.pivotsAt + (kept++ << 2), pivot);
  }
  const slots = load<u32>(m.slotsAt);
  // Searches always need a record to start from.
  for (let slot: u32 = 0; kept === 0 && slot < slots; slot++) {
    if (isInGraph(slot)) store<u32>(m.pivotsAt + (kept++ << 2), slot);
  }
  store<u32>(m.pivotCountAt, kept);
  return true;
}

function isInGraph(slot: u32): bool {
  return m.stateOf(slot) === m.stateLinked && !m.hasBit(m.dying, slot);
}

/**
 * Replaces the links of a record to neighbours that will be removed: by links to their neighbours or, if it loses half
 * of its links, by the links that a new row would get.
 */
function repair(slot: u32): void {
  if (!isInGraph(slot)) return;
  const linkCount = m.linkCountOf(slot);
  let lost: u32 = 0;
  for (let i: u32 = 0; i < linkCount; i++) {
    if (m.hasBit(m.dying, load<u32>(m.linksOf(slot) + (i << 2)))) lost++;
  }
  if (lost === 0) return;
  if (lost * 2 >= linkCount && m.hasBit(m.live, slot)) linkAgain(slot);
  else linkPast(slot, linkCount, lost);
}

function linkAgain(slot: u32): void {
  queryRecord(slot);
  const near = walk(linkBreadth, takeLinked);
  forgetSeen(1024);
  isNew(slot);
  let listed = listLinks(slot, 0);
  for (let i: u32 = 0; i < near; i++) {
    const found = slotIn(m.results, i);
    if (isNew(found)) store<u32>(m.list + (listed++ << 2), found);
  }
  chooseLinks(slot, listed);
  linkAllBack(slot);
}

/** The other links stay: many of them lead back to records that linked here first, and would be lost. */
function linkPast(slot: u32, linkCount: u32, lost: u32): void {
  forgetSeen(1024);
  isNew(slot);
  const kept = listLinks(slot, 0);
  let listed = kept;
  for (let i: u32 = 0; i < linkCount; i++) {
    const link = load<u32>(m.linksOf(slot) + (i << 2));
    if (m.hasBit(m.dying, link)) listed = listLinks(link, listed);
  }
  for (let i: u32 = 0; i < linkCount; i++) {
    const link = load<u32>(m.linksOf(slot) + (i << 2));
    if (m.hasBit(m.dying, link)) changeInLinks(link, -1);
  }
  for (let i: u32 = 0; i < kept; i++) {
    store<u32>(m.linksOf(slot) + (i << 2), load<u32>(m.list + (i << 2)));
  }
  store<u32>(m.recordOf(slot), kept, m.linkCountIn);
  addChosen(slot, kept, listed - kept, lost);
}

function listLinks(slot: u32, from: u32): u32 {
  let listed = from;
  const linkCount = m.linkCountOf(slot);
  for (let i: u32 = 0; i < linkCount; i++) {
    const link = load<u32>(m.linksOf(slot) + (i << 2));
    if (isInGraph(link) && isNew(link)) store<u32>(m.list + (listed++ << 2), link);
  }
  return listed;
}

/** Removes the links of a record that nothing links to; records that only it linked to get new links. */
function unlink(slot: u32): void {
  const linkCount = m.linkCountOf(slot);
  store<u32>(m.recordOf(slot), 0, m.linkCountIn);
  for (let i: u32 = 0; i < linkCount; i++) {
    const link = load<u32>(m.linksOf(slot) + (i << 2));
    changeInLinks(link, -1);
    if (load<u16>(m.recordOf(link), m.inLinksIn) === 0 && isInGraph(link)) relink(link);
  }
}

function freeDead(slot: u32): void {
  m.clearBit(m.dying, slot);
  m.clearBit(m.dead, slot);
  m.count(m.deadAt, -1);
  m.count(m.linkedAt, -1);
  freeSlot(slot);
}

function relink(slot: u32): void {
  queryRecord(slot);
  const near = walk(linkBreadth, takeLinked);
  sortFarthest(m.results, near);
  connect(slot, near);
  if (load<u16>(m.recordOf(slot), m.inLinksIn) === 0) addPivot(slot);
}
