// Counts latencies in buckets that grow with the latency, so that a million of them cost a fixed few kilobytes.

/** Latencies in microseconds, each kept to within one part in 64. */
export interface LatencyHistogram {
  record(latencyUs: number): void;
  /** The latency in milliseconds that `share` (0 to 1) of the records do not pass; 0 when there are none. */
  percentileMs(share: number): number;
}

const stepsPerDoubling = 64;
const doublings = 32;

/** An empty histogram. */
export function createLatencyHistogram(): LatencyHistogram {
  const counts = new Float64Array(stepsPerDoubling * doublings);
  let total = 0;
  return {
    record(latencyUs) {
      const bucket = bucketOf(latencyUs);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      total += 1;
    },
    percentileMs(share) {
      const wanted = Math.ceil(total * share);
      let seen = 0;
      for (const [bucket, count] of counts.entries()) {
        seen += count;
        if (count > 0 && seen >= wanted) return upperEdgeOf(bucket) / 1000;
      }
      return 0;
    },
  };
}

/** Below one doubling a bucket is a microsecond; above it, every doubling has the same number of buckets. */
function bucketOf(latencyUs: number): number {
  const whole = Math.max(0, Math.floor(latencyUs));
  if (whole < stepsPerDoubling) return whole;
  const doubling = Math.floor(Math.log2(whole / stepsPerDoubling));
  const step = Math.floor(whole / 2 ** doubling) - stepsPerDoubling;
  return Math.min(stepsPerDoubling * (doubling + 1) + step, stepsPerDoubling * doublings - 1);
}

function upperEdgeOf(bucket: number): number {
  if (bucket < stepsPerDoubling) return bucket + 1;
  const doubling = Math.floor(bucket / stepsPerDoubling) - 1;
  return (stepsPerDoubling + (bucket % stepsPerDoubling) + 1) * 2 ** doubling;
}
