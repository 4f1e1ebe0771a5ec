// Checks the labels of metric keys.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMetricKey, metricKeys } from './metric-keys.js';

describe('the label of a metric key', () => {
  it('says what it measures', () => {
    assert.equal(findMetricKey('write-ops')?.label, 'write requests');
    assert.equal(findMetricKey('heap-used')?.label, 'heap, used');
    assert.equal(findMetricKey('os-load')?.label, 'load average of one minute');
    assert.equal(findMetricKey('cf-keycache-hit-rate')?.label, 'key cache of the table: hit rate');
    assert.equal(findMetricKey('solr-errors')?.label, 'solr errors');
  });

  it('is one that no other key has', () => {
    assert.equal(new Set(metricKeys.map(({ label }) => label)).size, metricKeys.length);
  });
});
