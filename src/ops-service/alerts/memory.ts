// The samples of a rule's window for one target, kept between two evaluations.
import { type LatencyCounts, mergeLatencies } from '../../foundation/telemetry/latency-counts.js';

/**
 * Sums of samples. A hundred thousand targets are evaluated at every interval, so a memory is changed in place. A slot
 * holds one sample, or, in a long window, the samples of 1/240 of it.
 */
export interface AverageMemory {
  /** A ring of slots of three numbers: the begin of the slot on the monotonic clock, the sum, the count. */
  ring: number[];
  first: number;
  slotCount: number;
  /** The time of the newest sample. */
  lastMs: number;
}

/** Distributions in slots, as in `AverageMemory`, oldest first. */
export interface HistogramMemory {
  readonly startsMs: number[];
  readonly histograms: LatencyCounts[];
  lastMs: number;
}

/** The most slots of a window: a long window takes no more memory than this many samples. */
const slotsPerWindow = 240;
/** The fewest slots of a window, which are enough for the default window at the default interval. */
const fewestSlots = 8;
const numbersPerSlot = 3;

/**
 * Adds a sample and drops samples that have left the window. A sample that is not newer than the last one is ignored.
 */
export function addToAverage(
  memory: AverageMemory | undefined,
  { atMs, value }: { readonly atMs: number; readonly value: number },
  windowMs: number,
): AverageMemory {
  const kept: AverageMemory = memory ?? {
    ring: new Array<number>(fewestSlots * numbersPerSlot).fill(0),
    first: 0,
    slotCount: 0,
    lastMs: Number.NEGATIVE_INFINITY,
  };
  if (atMs <= kept.lastMs) return kept;
  kept.lastMs = atMs;
  while (kept.slotCount > 0 && (kept.ring[placeOf(kept, 0)] ?? 0) <= atMs - windowMs) {
    kept.first = (kept.first + 1) % (kept.ring.length / numbersPerSlot);
    kept.slotCount -= 1;
  }
  const newest = placeOf(kept, kept.slotCount - 1);
  if (kept.slotCount > 0 && atMs - (kept.ring[newest] ?? 0) < windowMs / slotsPerWindow) {
    kept.ring[newest + 1] = (kept.ring[newest + 1] ?? 0) + value;
    kept.ring[newest + 2] = (kept.ring[newest + 2] ?? 0) + 1;
    return kept;
  }
  if (kept.slotCount * numbersPerSlot === kept.ring.length) grow(kept);
  const next = placeOf(kept, kept.slotCount);
  kept.ring[next] = atMs;
  kept.ring[next + 1] = value;
  kept.ring[next + 2] = 1;
  kept.slotCount += 1;
  return kept;
}

/** The average of the samples in the window. */
export function averageIn(memory: AverageMemory): number {
  let sum = 0;
  let count = 0;
  for (let slot = 0; slot < memory.slotCount; slot += 1) {
    const place = placeOf(memory, slot);
    sum += memory.ring[place + 1] ?? 0;
    count += memory.ring[place + 2] ?? 0;
  }
  return sum / count;
}

/** Does for distributions what `addToAverage` does for values. */
export function addToHistogram(
  memory: HistogramMemory | undefined,
  { atMs, histogram }: { readonly atMs: number; readonly histogram: LatencyCounts },
  windowMs: number,
): HistogramMemory {
  const kept: HistogramMemory = memory ?? {
    startsMs: [],
    histograms: [],
    lastMs: Number.NEGATIVE_INFINITY,
  };
  if (atMs <= kept.lastMs) return kept;
  kept.lastMs = atMs;
  while (kept.startsMs.length > 0 && (kept.startsMs[0] ?? 0) <= atMs - windowMs) {
    kept.startsMs.shift();
    kept.histograms.shift();
  }
  const newest = kept.histograms.at(-1);
  if (newest !== undefined && atMs - (kept.startsMs.at(-1) ?? 0) < windowMs / slotsPerWindow) {
    kept.histograms[kept.histograms.length - 1] = mergeLatencies([newest, histogram]);
    return kept;
  }
  kept.startsMs.push(atMs);
  kept.histograms.push(histogram);
  return kept;
}

/** The distribution of all samples in the window. */
export function histogramIn({ histograms }: HistogramMemory): LatencyCounts {
  return mergeLatencies(histograms);
}

/** The index of a slot's numbers; slot 0 is the oldest. */
function placeOf({ ring, first }: AverageMemory, slot: number): number {
  const slots = ring.length / numbersPerSlot;
  return ((first + slot + slots) % slots) * numbersPerSlot;
}

function grow(memory: AverageMemory): void {
  const longer = new Array<number>(memory.ring.length * 2).fill(0);
  for (let slot = 0; slot < memory.slotCount; slot += 1) {
    const place = placeOf(memory, slot);
    for (let at = 0; at < numbersPerSlot; at += 1)
      longer[slot * numbersPerSlot + at] = memory.ring[place + at] ?? 0;
  }
  memory.ring = longer;
  memory.first = 0;
}
