// The histogram's percentiles are those of the sorted list, within its precision.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLatencyHistogram } from './latency-histogram.js';

describe('createLatencyHistogram', () => {
  it('gives the percentiles of what was recorded to within one part in 64', () => {
    const histogram = createLatencyHistogram();
    const latenciesUs = Array.from({ length: 10_000 }, (_, index) => Math.round(1.0015 ** index) + index);
    for (const latencyUs of latenciesUs) histogram.record(latencyUs);
    for (const share of [0.01, 0.5, 0.9, 0.99, 0.999, 1]) {
      const exactUs = latenciesUs[Math.ceil(latenciesUs.length * share) - 1] ?? 0;
      const ratio = (histogram.percentileMs(share) * 1000) / exactUs;
      assert.ok(ratio >= 1 && ratio <= 1 + 1 / 64 + 1 / exactUs, `${share}: ${ratio}`);
    }
  });

  it('gives zero when nothing was recorded', () => {
    assert.equal(createLatencyHistogram().percentileMs(0.99), 0);
  });

  it('takes latencies beyond its range for the largest it knows', () => {
    const histogram = createLatencyHistogram();
    histogram.record(1e15);
    assert.ok(histogram.percentileMs(0.5) > 1e8);
  });
});
