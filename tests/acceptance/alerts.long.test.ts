// Alerts in real processes: real load fires them, its end clears them, and restarts and kills keep what they must.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Alert } from '../../src/ops-service/events/event.js';
import { DataClient } from '../faults/data-client.js';
import { smallFileSystem } from '../faults/limited-storage.js';
import { askOps, createRule, eventsOf, firingAlerts, waitFor } from './ops-client.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from './start-server.js';

const keyspace = '/default_keyspace';
const args = ['--metrics-interval-seconds', '1'];
const definition = { columns: { id: 'int', content: 'text' }, primaryKey: 'id' };
/** True of every machine at every time. */
const always = { type: 'rolling-avg', metric: 'os-memory-used', threshold: 0, duration: 0 };

describe('an alert rule on the load of the data service', () => {
  it('fires while there is load and clears after it', async () => {
    const server = await startServer({ args });
    try {
      await withLoad(server, async () => {
        const busy = { threshold: 1, duration: 0.05 };
        const rules = await Promise.all([
          createRule(server, { type: 'rolling-avg', metric: 'write-ops', ...busy }),
          createRule(server, {
            type: 'rolling-avg',
            metric: 'cf-write-ops',
            cf: 'default_keyspace.t',
            ...busy,
          }),
          createRule(server, {
            type: 'percentile',
            metric: 'write-histogram',
            percentile: 50,
            threshold: 0,
            window: 0.05,
            duration: 0.05,
          }),
        ]);
        await waitFor('the firing', async () => {
          const firing = (await firingAlerts(server)).map((alert) => alert.alert_rule_id);
          return rules.every((id) => firing.includes(id));
        });
      });
      await waitFor('the clearing', async () => (await firingAlerts(server)).length === 0);
      assert.deepEqual(
        (await eventsOf(server, 1000, 1001)).map(({ action }) => action),
        [1000, 1000, 1000, 1001, 1001, 1001],
      );
      assert.deepEqual(await askOps(server, '/local/alerts/fired'), []);
    } finally {
      await server.stop();
    }
  });
});

for (const end of ['SIGTERM', 'SIGKILL'] as const) {
  describe(`an end by ${end}`, () => {
    it('keeps alerts as they were in every phase, and reports none of them again', async () => {
      const dataDir = makeTemporaryDirectory();
      let server = await startServer({ args, dataDir });
      const ids = await makeEveryPhase(server);
      const before = await firingAlerts(server);
      const eventsBefore = await eventsOf(server, 1000, 1001, 1002);
      await endBy(server, end);
      const startedS = Date.now() / 1000;
      server = await startServer({ args, dataDir });
      try {
        assert.deepEqual(outline(await firingAlerts(server)), outline(before));
        // The pending condition begins again: its time before the end does not count.
        const pending = await waitFor('the firing of what was pending', async () =>
          (await firingAlerts(server)).find((alert) => alert.alert_rule_id === ids.pending),
        );
        assert.ok(
          pending.first_fired >= Math.floor(startedS + 6),
          `${pending.first_fired} after ${startedS}`,
        );
        // The load is gone: two fresh samples clear what it had fired.
        await waitFor('the clearing of what is over', async () =>
          (await firingAlerts(server)).every((alert) => alert.alert_rule_id !== ids.load),
        );
        const kept = (await firingAlerts(server)).filter((alert) => alert.alert_rule_id !== ids.pending);
        assert.deepEqual(outline(kept), outline(before.filter((alert) => alert.alert_rule_id !== ids.load)));
        const eventsAfter = await eventsOf(server, 1000, 1001, 1002);
        assert.deepEqual(eventsAfter.slice(0, eventsBefore.length), eventsBefore);
        assert.deepEqual(
          eventsAfter
            .slice(eventsBefore.length)
            .map(({ action }) => action)
            .sort(),
          [1000, 1001],
        );
      } finally {
        await server.stop();
      }
    });
  });
}

describe('a full disk', { skip: process.platform !== 'linux' && 'limits are set the Linux way' }, () => {
  it('does not keep rules from being judged', async (t) => {
    const storage = smallFileSystem();
    if (storage === undefined) {
      t.skip('this user may not mount a file system');
      return;
    }
    const server = await startServer({ ...storage.options, args });
    try {
      const rule = await createRule(server, {
        type: 'rolling-avg',
        metric: 'os-disk-usage',
        threshold: 98,
        duration: 0,
      });
      const isFiring = async () => (await firingAlerts(server)).some((alert) => alert.alert_rule_id === rule);
      assert.equal(await isFiring(), false);
      await fillDisk(server);
      await waitFor('the firing on a full disk', isFiring);
      await askOps(server, '/local/alert-rules', { body: always, status: 503 });
      storage.makeRoom(server);
      await waitFor('the clearing with room', async () => !(await isFiring()));
      const actions = await waitFor('the events that waited', async () => {
        const found = (await eventsOf(server, 1000, 1001)).filter(({ message }) =>
          message.includes('os-disk-usage'),
        );
        return found.length >= 2 && found.map(({ action }) => action);
      });
      assert.deepEqual(actions.slice(-2), [1000, 1001]);
      await createRule(server, always);
    } finally {
      await server.stop();
      storage.remove();
    }
  });
});

/** Rules whose alerts are pending, firing, acknowledged, cleared, and firing by a load that ends. */
async function makeEveryPhase(server: RunningServer) {
  const [firing, acknowledged, cleared, load] = await withLoad(
    server,
    async () => {
      const made = await Promise.all([
        createRule(server, { ...always, level: 'ERROR' }),
        createRule(server, always),
        createRule(server, always),
        createRule(server, { type: 'rolling-avg', metric: 'write-ops', threshold: 0.5, duration: 0 }),
      ]);
      const alerts = await waitFor('the firing', async () => {
        const found = await firingAlerts(server);
        return made.every((id) => found.some((alert) => alert.alert_rule_id === id)) && found;
      });
      const [, acknowledgedId, clearedId] = made;
      const toAcknowledge = alerts.find((alert) => alert.alert_rule_id === acknowledgedId);
      await askOps(server, `/local/alerts/${toAcknowledge?.id}/ack`, { method: 'POST' });
      await askOps(server, `/local/alert-rules/${clearedId}`, { method: 'PUT', body: { threshold: 1e12 } });
      return made;
    },
    'continues',
  );
  const pending = await createRule(server, { ...always, duration: 0.1 });
  await sleep(2000); // some samples of what is pending
  return { firing, acknowledged, cleared, load, pending };
}

function outline(alerts: readonly Alert[]) {
  return alerts.map(({ id, alert_rule_id, state, first_fired }) => ({
    id,
    alert_rule_id,
    state,
    first_fired,
  }));
}

/** Inserts a row every 20 ms during `work`, or until the server ends. */
async function withLoad<Result>(
  server: RunningServer,
  work: () => Promise<Result>,
  afterwards: 'stops' | 'continues' = 'stops',
): Promise<Result> {
  const client = new DataClient(server.url);
  await client.mustSend(keyspace, { createTable: { name: 't', definition } });
  let isOn = true;
  const load = (async () => {
    for (let id = 0; isOn; id += 1) {
      await client.send(`${keyspace}/t`, { insertOne: { document: { id, content: 'x' } } });
      await sleep(20);
    }
  })().catch(() => {}); // the server was ended under it
  try {
    return await work();
  } finally {
    if (afterwards === 'stops') isOn = false;
    const closed = load.then(() => client.close());
    if (afterwards === 'stops') await closed;
  }
}

async function fillDisk(server: RunningServer): Promise<void> {
  const client = new DataClient(server.url);
  await client.mustSend(keyspace, { createTable: { name: 'rows', definition } });
  let id = 0;
  for (const size of [40_000, 4_000, 40]) {
    for (let isFull = false; !isFull; id += 1) {
      const document = { id, content: 'x'.repeat(size) };
      isFull = (await client.send(`${keyspace}/rows`, { insertOne: { document } })).body.errors !== undefined;
    }
  }
  client.close();
}

async function endBy(server: RunningServer, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  server.signal(signal);
  await server.ended;
}
