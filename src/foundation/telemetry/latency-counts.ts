// Counts of latencies in buckets that grow with the latency: cheap to add to, small to send, and exact to merge.

/** A histogram: the count of each bucket, and the exact extremes. */
export interface LatencyCounts {
  /** Bucket and count, bucket and count …; buckets ascend, counts are above 0. Empty: nothing was measured. */
  readonly pairs: readonly number[];
  /** Infinity when nothing was measured. */
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Below it a bucket is one microsecond wide; above it each doubling has so many buckets, so the error is at most 1/32.
 */
const stepsPerDoubling = 32;
/** 2^27 µs, more than two minutes; higher values are in the last bucket. */
const bucketCount = stepsPerDoubling * 23;

/** Records latencies until they are taken. */
export class LatencyRecorder {
  /** Created with the first record: most recorders of tables have none, or only for a short time. */
  #counts: Uint32Array | undefined;
  #minMs = Number.POSITIVE_INFINITY;
  #maxMs = 0;

  record(latencyMs: number): void {
    const bucket = bucketOf(latencyMs);
    this.#counts ??= new Uint32Array(bucketCount);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    if (latencyMs < this.#minMs) this.#minMs = latencyMs;
    if (latencyMs > this.#maxMs) this.#maxMs = latencyMs;
  }

  /** Whether it holds memory for counts: from a record until a `take` that finds nothing. */
  get isHolding(): boolean {
    return this.#counts !== undefined;
  }

  /** The latencies recorded since the last call. */
  take(): LatencyCounts {
    const counts = this.#counts;
    if (counts === undefined || this.#minMs === Number.POSITIVE_INFINITY) {
      this.#counts = undefined;
      return noLatencies;
    }
    const pairs: number[] = [];
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      const count = counts[bucket] ?? 0;
      if (count > 0) pairs.push(bucket, count);
    }
    const taken = { pairs, minMs: this.#minMs, maxMs: this.#maxMs };
    counts.fill(0);
    this.#minMs = Number.POSITIVE_INFINITY;
    this.#maxMs = 0;
    return taken;
  }
}

/** The result if nothing was measured. */
export const noLatencies: LatencyCounts = { pairs: [], minMs: Number.POSITIVE_INFINITY, maxMs: 0 };

/** The sum of the counts of several periods. */
export function mergeLatencies(parts: readonly LatencyCounts[]): LatencyCounts {
  const [first = noLatencies] = parts;
  if (parts.length <= 1) return first;
  const counts = new Map<number, number>();
  let minMs = Number.POSITIVE_INFINITY;
  let maxMs = 0;
  for (const part of parts) {
    for (let at = 0; at < part.pairs.length; at += 2) {
      const bucket = part.pairs[at] ?? 0;
      counts.set(bucket, (counts.get(bucket) ?? 0) + (part.pairs[at + 1] ?? 0));
    }
    minMs = Math.min(minMs, part.minMs);
    maxMs = Math.max(maxMs, part.maxMs);
  }
  const pairs = [...counts].sort(([left], [right]) => left - right).flat();
  return { pairs, minMs, maxMs };
}

/**
 * The latency in milliseconds that `percent` (0 to 100) of the records do not exceed; for 100 the exact maximum.
 * Undefined when nothing was measured.
 */
export function percentileMs({ pairs, minMs, maxMs }: LatencyCounts, percent: number): number | undefined {
  if (pairs.length === 0) return undefined;
  if (percent >= 100) return maxMs;
  let total = 0;
  for (let at = 1; at < pairs.length; at += 2) total += pairs[at] ?? 0;
  const wanted = Math.max(1, Math.ceil((total * percent) / 100));
  let seen = 0;
  for (let at = 0; at < pairs.length; at += 2) {
    seen += pairs[at + 1] ?? 0;
    if (seen >= wanted) return Math.min(maxMs, Math.max(minMs, upperEdgeMs(pairs[at] ?? 0)));
  }
  return maxMs;
}

function bucketOf(latencyMs: number): number {
  const wholeUs = Math.min(2 ** 31 - 1, Math.max(0, Math.floor(latencyMs * 1000)));
  if (wholeUs < stepsPerDoubling) return wholeUs;
  const doubling = 31 - Math.clz32(wholeUs) - 5;
  const step = (wholeUs >>> doubling) - stepsPerDoubling;
  return Math.min(stepsPerDoubling * (doubling + 1) + step, bucketCount - 1);
}

function upperEdgeMs(bucket: number): number {
  if (bucket < stepsPerDoubling) return (bucket + 1) / 1000;
  const doubling = Math.floor(bucket / stepsPerDoubling) - 1;
  return ((stepsPerDoubling + (bucket % stepsPerDoubling) + 1) * 2 ** doubling) / 1000;
}
