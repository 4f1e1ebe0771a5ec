// Latencies in buckets: percentiles are near the exact ones, and merging is exact.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LatencyRecorder, mergeLatencies, noLatencies, percentileMs } from './latency-counts.js';

function recordAll(latencies: readonly number[]) {
  const recorder = new LatencyRecorder();
  for (const latency of latencies) recorder.record(latency);
  return recorder.take();
}

describe('latency counts', () => {
  const latencies = Array.from({ length: 5000 }, (_, at) => 0.003 * 1.003 ** at);

  it('give percentiles within one part in 32 of the exact ones, the extremes exactly', () => {
    const counts = recordAll(latencies);
    for (const percent of [1, 50, 90, 99]) {
      const exact = latencies[Math.ceil((latencies.length * percent) / 100) - 1] ?? 0;
      const found = percentileMs(counts, percent) ?? Number.NaN;
      assert.ok(found >= exact && found <= exact * (1 + 1 / 32) + 0.001, `${percent}: ${found} for ${exact}`);
    }
    assert.equal(percentileMs(counts, 100), latencies.at(-1));
    assert.equal(counts.minMs, latencies[0]);
  });

  it('of several stretches merge to those of the whole', () => {
    const parts = [latencies.slice(0, 7), latencies.slice(7, 900), latencies.slice(900)].map(recordAll);
    const merged = mergeLatencies([...parts, noLatencies]);
    assert.deepEqual(merged, recordAll(latencies));
  });

  it('are taken once', () => {
    const recorder = new LatencyRecorder();
    recorder.record(1);
    assert.equal(recorder.take().pairs.length, 2);
    assert.equal(percentileMs(recorder.take(), 50), undefined);
    recorder.record(0);
    assert.deepEqual(recorder.take(), { pairs: [0, 1], minMs: 0, maxMs: 0 });
  });

  it('keep what is too long in the last bucket', () => {
    const counts = recordAll([1e9]);
    assert.equal(percentileMs(counts, 50), 1e9);
  });
});
