// Outages of the storage of this server: the state of its node, events, the default alert and its notice.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openWatched, tick } from './watched-ops.js';

interface Shown {
  readonly action: number;
  readonly level_str: string;
  readonly message: string;
}

/** A monitored server, and what it shows of its storage. */
function openStorage() {
  const { ops } = openWatched();
  const read = async (path: string) => (await ops.ask({ path })).body;
  return {
    ops,
    stateOf: async () => ((await read('/local/nodes')) as { state: string }[]).map(({ state }) => state),
    events: async (codes: string) => (await read(`/local/events?action=${codes}`)) as Shown[],
    alerts: async () =>
      (await read('/local/alerts')) as { alert_rule_id: string; level: string; id: string }[],
    pass: async (minutes: number) => {
      for (let at = 0; at < minutes * 6; at += 1) await tick(ops);
    },
  };
}

const refused = 'connect ECONNREFUSED 10.0.0.1:9042';

describe('an outage of the storage', () => {
  const { ops, stateOf, events, alerts, pass } = openStorage();

  it('of a cluster that cannot be reached is recorded, and an alert of the default rule', async () => {
    await pass(1);
    assert.deepEqual(await stateOf(), ['up']);
    ops.parts.noteDataProblem({ part: 'storage', problem: refused });
    await pass(2);
    assert.deepEqual(await stateOf(), ['down']);
    const [down] = await events('13');
    assert.deepEqual(
      [down?.level_str, down?.message],
      [
        'CRITICAL',
        `node 127.0.0.1 is down: the Cassandra cluster of this server cannot be reached: ${refused}`,
      ],
    );
    assert.deepEqual(
      (await alerts()).map(({ level }) => level),
      ['CRITICAL'],
    );
    const health = await ops.ask({ path: '/health/ready' });
    assert.deepEqual([health.status, health.text.includes(refused)], [503, true]);
  });

  it('has an end, which is recorded too', async () => {
    ops.parts.noteDataProblem({ part: 'storage', problem: undefined });
    await pass(2);
    assert.deepEqual(await stateOf(), ['up']);
    assert.equal((await events('14')).length, 1);
    assert.deepEqual(await alerts(), []);
    assert.equal((await events('1000,1001')).length, 2);
    assert.equal((await ops.ask({ path: '/health/ready' })).status, 200);
  });

  it('begins when rows cannot be written, and not when a worker does not run', async () => {
    ops.parts.noteDataProblem({ part: 'workers', problem: '1 of 2 workers do not run' });
    await pass(1);
    assert.deepEqual(await stateOf(), ['up']);
    ops.parts.noteDataProblem({ part: 'data', problem: 'rows cannot be written: the disk is full' });
    await pass(1);
    assert.deepEqual(await stateOf(), ['down']);
    assert.match(
      (await events('13'))[0]?.message ?? '',
      /is down: rows cannot be written: the disk is full$/,
    );
  });
});

it('other alerts about the server are delivered during an outage', async () => {
  const { ops, alerts, pass } = openStorage();
  ops.parts.noteDataProblem({ part: 'data', problem: 'rows cannot be written: the disk is full' });
  const body = { type: 'rolling-avg', metric: 'os-disk-usage', threshold: 0, duration: 0 };
  const { body: rule } = await ops.ask({ path: '/local/alert-rules', body });
  const channel = { type: 'webhook', url: 'http://127.0.0.1:9/hook', rules: [rule] };
  assert.equal((await ops.ask({ path: '/local/notification-channels', body: channel })).status, 201);
  await pass(2);
  const alert = (await alerts()).find(({ alert_rule_id }) => alert_rule_id === rule);
  assert.ok(alert !== undefined);
  const { body: notices } = await ops.ask({ path: `/local/alerts/${alert.id}/notices` });
  // Nothing listens there. A notice that was held would have the stage that holds it.
  assert.deepEqual(
    (notices as { stage: string | null }[]).map(({ stage }) => stage),
    ['delivery'],
  );
});
