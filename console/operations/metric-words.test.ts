// Checks how metric keys stand in lists of choices.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metricChoices, metricText } from './metric-words.js';

const key = (name: string, group: string, available = true) => ({
  key: name,
  label: name.replaceAll('-', ' '),
  group,
  is_distribution: false,
  unit: '1/s',
  scope: 'node' as const,
  source: '',
  available,
});

describe('metric keys', () => {
  it('are described with their units', () => {
    assert.equal(metricText({ label: 'write requests', unit: '1/s' }), 'write requests, per second');
    assert.equal(metricText({ label: 'heap, used', unit: 'bytes' }), 'heap, used, bytes');
    assert.equal(metricText({ label: 'load average', unit: 'number' }), 'load average');
  });

  it('stand in groups, those without values last, without other names', () => {
    const keys = [
      key('solr-errors', 'Others'),
      key('read-timeouts', 'Requests', false),
      key('read-ops', 'Requests'),
      key('os-load', 'Operating system'),
      { ...key('pending-read-ops', 'Requests'), alias_of: 'pending-read-stage' },
    ];
    const choices = metricChoices(keys, ['Requests', 'Operating system', 'Others']);
    assert.deepEqual(
      choices.map(({ value, group }) => `${group}: ${value}`),
      ['Requests: read-ops', 'Requests: read-timeouts', 'Operating system: os-load', 'Others: solr-errors'],
    );
    assert.match(choices[1]?.label ?? '', /, unavailable: /);
  });
});
