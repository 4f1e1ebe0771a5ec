// The numbers of alerts are counted in short steps, so that other requests have their turns meanwhile.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cluster } from '../clusters/cluster.js';
import type { Alert } from '../events/event.js';
import { summarySteps } from './alert-summary-route.js';

function alertAt(at: number): Alert {
  const place = { node: `node ${at}`, dc: null, table: null, device: null };
  const level = at % 2 === 0 ? 'WARN' : 'ERROR';
  return {
    id: `${at}`,
    alert_rule_id: 'rule',
    ...place,
    level,
    state: 'firing',
    current_value: 1,
    first_fired: 1,
  };
}

describe('the numbers of alerts', () => {
  it('of 10,000 alerts in 100 clusters take a step for each alert', () => {
    // The steps read only the id of a cluster.
    const ids = Array.from({ length: 100 }, (_, at) => ({ id: `c${at}` }) as Cluster);
    const silence = { id: 's', matchers: { node: 'node 1' }, start: 0, end: 9, author: '', comment: '' };
    const steps = summarySteps({
      clusters: {
        list: () => ids,
        find: (id) => (id === 'c99' ? undefined : ids.find((one) => one.id === id)),
      },
      alerts: {
        *firing() {
          for (let at = 0; at < 100; at += 1) yield at === 99 ? null : alertAt(at);
        },
      },
      notifications: {
        silences: { active: () => [silence] },
        channels: { list: () => [] },
        globalSwitch: { isOn: () => true },
      },
    });
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    assert.ok(count >= 10_000, `${count} steps`);
    assert.equal(step.value.length, 99, 'a cluster was removed meanwhile');
    const [first] = step.value;
    assert.deepEqual([first?.firing, first?.open, first?.level], [99, 98, 'ERROR']);
  });
});
