// Percentiles of a list of values.

/** A percentile of values in ascending order; NaN if there are none. */
export function percentileOf(sorted: readonly number[], percent: number): number {
  const place = Math.ceil((sorted.length * percent) / 100) - 1;
  return sorted[Math.max(0, place)] ?? Number.NaN;
}
