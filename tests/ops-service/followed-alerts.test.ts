// Checks how followed alerts are kept in the file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { FollowedAlerts } from '../../src/ops-service/notifications/followed-alert.js';
import { notificationMigrations } from '../../src/ops-service/notifications/notification-tables.js';
import { Store } from '../../src/ops-service/store/store.js';

/** A body as the first version of the server wrote it. */
const body = {
  clusterId: 'local',
  alert: {
    id: 'a1',
    alert_rule_id: 'r1',
    node: '127.0.0.1',
    dc: 'datacenter1',
    table: null,
    device: '/',
    level: 'WARN',
    state: 'firing',
    current_value: 91.5,
    first_fired: 1767225600,
  },
  rule: {
    id: 'r1',
    type: 'rolling-avg',
    metric: 'os-disk-usage',
    level: 'WARN',
    notifyIntervalMinutes: 0,
    annotations: { told: 'yes' },
  },
  event: {
    action: 1000,
    api_source_ip: '127.0.0.1',
    event_source: 'Colonnade',
    level: 2,
    level_str: 'WARN',
    message: 'alert fired: os-disk-usage of / on 127.0.0.1: value 91.5 above 85 for 1 minute',
    source_node: '127.0.0.1',
    success: null,
    target_node: null,
    time: '1767225600000000',
    user: 'system',
  },
  reason: 'value 91.5 above 85 for 1 minute',
  isFiring: true,
};

const states = [
  ['c1', 'yes', { hasFailed: false, lastAtMs: 1767225601000 }],
  ['c2', 'maybe', { hasFailed: false, incident: 'a1/1767225600' }],
  ['c3', 'no', { hasFailed: false, heldReason: 'silenced by s1' }],
] as const;
/** The form of the first version. */
const firstBody = { ...body, told: states.map(([id, state, more]) => [id, { told: state, ...more }]) };
const channels = states.map(([id, notified, state]) => [id, { notified, ...state }]);

/** A store with an alert and a silence of the first version, after all migrations. */
function openStore(): Store {
  const database = openDatabase({ path: ':memory:' });
  for (const { name, sql } of notificationMigrations) {
    if (name === 'notifications-4') {
      database
        .statement('INSERT INTO followed_alerts VALUES (?, ?, ?)')
        .run(['local', 'a1', JSON.stringify(firstBody)]);
      database
        .statement("INSERT INTO silences (id, cluster_id, body) VALUES ('s1', 'local', ?)")
        .run([JSON.stringify({ silence: { id: 's1' }, isEndTold: true })]);
    }
    database.exec(sql);
  }
  return new Store(database, createLogger('silent'));
}

function storedBody(store: Store, table: string): unknown {
  const row = store.read((database) => database.statement(`SELECT body FROM ${table}`).get());
  return JSON.parse(String(row?.['body']));
}

describe('a stored alert', () => {
  const store = openStore();

  it('of the first version is read with what each channel was notified of', () => {
    const alert = new FollowedAlerts(store).find('local', 'a1');
    assert.deepEqual({ ...alert, channels: [...(alert?.channels ?? [])] }, { ...body, channels });
  });

  it('is written in the form in which it is read', () => {
    const followed = new FollowedAlerts(store);
    const alert = followed.find('local', 'a1');
    assert.ok(alert !== undefined);
    followed.keep(alert);
    store.flush();
    assert.deepEqual(storedBody(store, 'followed_alerts'), { ...body, channels });
  });
});

describe('a stored silence', () => {
  it('of the first version gets the present names of members', () => {
    assert.deepEqual(storedBody(openStore(), 'silences'), { silence: { id: 's1' }, isEndReported: true });
  });
});
