// What a rule remembers of a target between two samples: the samples of its window.
import { type LatencyCounts, mergeLatencies } from '../../foundation/telemetry/latency-counts.js';

/** The samples of a window, oldest first; undefined where a rule needs none but the newest. */
export type Memory = AverageMemory | HistogramMemory | undefined;

/** Sums of samples. A slot holds one sample, or those of one part in 240 of a long window. */
export interface AverageMemory {
  readonly kind: 'average';
  /** When each slot began, on the clock that never falls. */
  readonly startsMs: readonly number[];
  readonly sums: readonly number[];
  readonly counts: readonly number[];
  /** When the newest sample was taken. */
  readonly lastMs: number;
}

/** Distributions, in slots as above. */
export interface HistogramMemory {
  readonly kind: 'histogram';
  readonly startsMs: readonly number[];
  readonly histograms: readonly LatencyCounts[];
  readonly lastMs: number;
}

/** So long windows cost no more memory than this many samples. */
const slotsPerWindow = 240;

/** Adds a sample and drops what has left the window. A sample that is not newer than the last one is ignored. */
export function addToAverage(
  memory: AverageMemory | undefined,
  sample: { readonly atMs: number; readonly value: number },
  windowMs: number,
): AverageMemory {
  if (memory === undefined) return averageOf([sample.atMs], [sample.value], [1], sample.atMs);
  if (sample.atMs <= memory.lastMs) return memory;
  const from = firstInside(memory.startsMs, sample.atMs - windowMs);
  const startsMs = memory.startsMs.slice(from);
  const sums = memory.sums.slice(from);
  const counts = memory.counts.slice(from);
  const last = startsMs.length - 1;
  if (last >= 0 && sample.atMs - (startsMs[last] ?? 0) < windowMs / slotsPerWindow) {
    sums[last] = (sums[last] ?? 0) + sample.value;
    counts[last] = (counts[last] ?? 0) + 1;
  } else {
    startsMs.push(sample.atMs);
    sums.push(sample.value);
    counts.push(1);
  }
  return averageOf(startsMs, sums, counts, sample.atMs);
}

/** The average of the samples that are kept. */
export function averageIn({ sums, counts }: AverageMemory): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at < sums.length; at += 1) {
    sum += sums[at] ?? 0;
    count += counts[at] ?? 0;
  }
  return sum / count;
}

/** As `addToAverage`, for distributions. */
export function addToHistogram(
  memory: HistogramMemory | undefined,
  sample: { readonly atMs: number; readonly histogram: LatencyCounts },
  windowMs: number,
): HistogramMemory {
  const { atMs, histogram } = sample;
  if (memory === undefined) {
    return { kind: 'histogram', startsMs: [atMs], histograms: [histogram], lastMs: atMs };
  }
  if (atMs <= memory.lastMs) return memory;
  const from = firstInside(memory.startsMs, atMs - windowMs);
  const startsMs = memory.startsMs.slice(from);
  const histograms = memory.histograms.slice(from);
  const last = startsMs.length - 1;
  if (last >= 0 && atMs - (startsMs[last] ?? 0) < windowMs / slotsPerWindow) {
    histograms[last] = mergeLatencies([...histograms.slice(last), histogram]);
  } else {
    startsMs.push(atMs);
    histograms.push(histogram);
  }
  return { kind: 'histogram', startsMs, histograms, lastMs: atMs };
}

/** The distribution of all samples that are kept. */
export function histogramIn({ histograms }: HistogramMemory): LatencyCounts {
  return mergeLatencies(histograms);
}

/** The first slot that began after `beforeMs`. */
function firstInside(startsMs: readonly number[], beforeMs: number): number {
  let from = 0;
  while (from < startsMs.length && (startsMs[from] ?? 0) <= beforeMs) from += 1;
  return from;
}

function averageOf(
  startsMs: readonly number[],
  sums: readonly number[],
  counts: readonly number[],
  lastMs: number,
): AverageMemory {
  return { kind: 'average', startsMs, sums, counts, lastMs };
}
