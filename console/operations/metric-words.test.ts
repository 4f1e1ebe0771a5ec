// Checks that every metric key has its group and words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metricChoices, metricText } from './metric-words.js';

const key = (name: string, unit = '1/s', available = true) => ({
  key: name,
  unit,
  scope: 'node' as const,
  source: '',
  available,
});

describe('metric keys', () => {
  it('are described with their units', () => {
    assert.equal(metricText(key('write-ops')), 'write requests, per second');
    assert.equal(metricText(key('heap-used', 'bytes')), 'heap, used, bytes');
    assert.equal(metricText(key('os-load', 'number')), 'load average of one minute');
    assert.equal(metricText(key('cf-keycache-hit-rate', '%')), 'key cache of the table: hit rate, percent');
  });

  it('stand in groups, those without values last, without other names', () => {
    const choices = metricChoices([
      key('solr-errors', ''),
      key('read-timeouts', '1/s', false),
      key('read-ops'),
      key('os-load', 'number'),
      { ...key('pending-read-ops'), alias_of: 'pending-read-stage' },
    ]);
    assert.deepEqual(
      choices.map(({ value, group }) => `${group}: ${value}`),
      ['Requests: read-ops', 'Requests: read-timeouts', 'Operating system: os-load', 'Others: solr-errors'],
    );
    assert.match(choices[1]?.label ?? '', /, unavailable: /);
  });
});
