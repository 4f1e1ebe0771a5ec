// Why a channel was not notified of an alert, and the silence of one alert, over HTTP.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { openOps } from './open-ops.js';
import { openWatched } from './watched-ops.js';

type Notices = readonly Readonly<Record<string, unknown>>[];

/** Nothing listens on port 9 of loopback: deliveries fail and are tried again. */
const unreachable = 'http://127.0.0.1:9/hook';

describe('an alert', () => {
  const { ops, pass } = openWatched();
  const { ask } = ops;
  const channels = new Map<string, string>();
  let alertId = '';
  let ruleId = '';

  const noticesOf = async (name: string) => {
    const { status, body } = await ask({ path: `/local/alerts/${alertId}/notices` });
    assert.equal(status, 200);
    const found = (body as Notices).find(({ channel_id }) => channel_id === channels.get(name));
    return [found?.['state'], found?.['stage'], found?.['reason']];
  };
  const addChannel = async (name: string, more: object) => {
    const { status, body, text } = await ask({
      path: '/local/notification-channels',
      body: { type: 'webhook', url: unreachable, name, ...more },
    });
    assert.equal(status, 201, text);
    channels.set(name, String(body));
  };

  before(async () => {
    const rule = { type: 'rolling-avg', metric: 'write-ops', threshold: 0.5, duration: 0 };
    const { body } = await ask({ path: '/local/alert-rules', body: rule });
    ruleId = String(body);
    const other = await ask({ path: '/local/alert-rules', body: { ...rule, threshold: 1e9 } });
    await addChannel('all', {});
    await addChannel('errors', { levels: ['ERROR'] });
    await addChannel('other rules', { rules: [String(other.body)] });
    await pass(3, 100);
    const alerts = (await ask({ path: '/local/alerts' })).body as Notices;
    alertId = String(alerts.find(({ alert_rule_id }) => alert_rule_id === ruleId)?.['id']);
  });

  it('is in the history with its id and that of its rule', async () => {
    const { status, body } = await ask({ path: '/local/alerts/history?count=50' });
    assert.equal(status, 200);
    const entry = (body as Notices).find(({ alert_id: id }) => id === alertId);
    assert.equal(entry?.['alert_rule_id'], ruleId);
    assert.match(String(entry?.['message']), /^alert fired: write-ops/);
  });

  it('has a state for each channel: tried again, or excluded by its settings', async () => {
    const [state, stage, reason] = await noticesOf('all');
    assert.deepEqual([state, stage], ['waiting', 'delivery']);
    assert.match(String(reason), /^is tried again: /);
    assert.deepEqual(await noticesOf('errors'), [
      'excluded',
      'level',
      'the channel takes only the levels ERROR, and the alert has WARN',
    ]);
    assert.deepEqual(await noticesOf('other rules'), [
      'excluded',
      'rule',
      'the channel takes only alerts of other rules',
    ]);
  });

  it('is silenced and acknowledged by one request; a new channel shows the silence', async () => {
    const path = `/local/alerts/${alertId}/silence`;
    const { status, body } = await ask({ path, body: { minutes: 30, comment: 'new disk' } });
    assert.equal(status, 201);
    const silence = (await ask({ path: `/local/silences/${body}` })).body as Notices[number];
    const matchers = { rule: ruleId, node: '127.0.0.1', dc: 'datacenter1' };
    assert.deepEqual(
      [silence['matchers'], silence['comment'], silence['state']],
      [matchers, 'new disk', 'active'],
    );
    const [alert] = ((await ask({ path: '/local/alerts' })).body as Notices).filter(
      ({ id }) => id === alertId,
    );
    assert.equal(alert?.['state'], 'acknowledged');
    await addChannel('late', {});
    await pass(1, 100);
    assert.deepEqual(await noticesOf('late'), ['held', 'silence', `silenced by ${body}`]);
    await ask({ method: 'DELETE', path: `/local/silences/${body}` });
    assert.deepEqual(await noticesOf('late'), ['held', 'acknowledgement', 'acknowledged']);
  });

  it('that is over has the newest entries of the delivery log', async () => {
    await pass(12, 0);
    assert.deepEqual(await noticesOf('errors'), ['missing', null, 'the delivery log has no entry']);
    const [state, , reason] = await noticesOf('all');
    assert.deepEqual([state, reason], ['failed', 'cleared before it could be delivered']);
  });

  it('has the last entry of a channel that was removed, also without any other channel', async () => {
    for (const id of channels.values())
      await ask({ method: 'DELETE', path: `/local/notification-channels/${id}` });
    const { body } = await ask({ path: `/local/alerts/${alertId}/notices` });
    assert.deepEqual(
      (body as Notices).map(({ channel, state, reason }) => [channel, state, reason]),
      [
        ['webhook all', 'failed', 'cleared before it could be delivered'],
        ['webhook late', 'missing', 'the channel was removed'],
      ],
    );
  });

  it('that is unknown is not found, and a silence has limits', async () => {
    for (const path of ['/local/alerts/nothing/notices']) assert.equal((await ask({ path })).status, 404);
    const path = '/local/alerts/nothing/silence';
    assert.equal((await ask({ path, body: { minutes: 5 } })).status, 404);
    for (const minutes of [0, 525_601, 'x', undefined])
      assert.equal((await ask({ path, body: { minutes } })).status, 400);
  });
});

describe('an alert that fires', () => {
  const { ops, pass } = openWatched();
  const { ask } = ops;
  const alertId = async () => {
    const [alert] = (await ask({ path: '/local/alerts' })).body as Notices;
    return String(alert?.['id']);
  };
  before(async () => {
    const body = { type: 'rolling-avg', metric: 'write-ops', threshold: 0.5, duration: 0 };
    await ask({ path: '/local/alert-rules', body });
    await ask({ path: '/local/notification-channels', body: { type: 'webhook', url: unreachable } });
    await pass(3, 100);
  });

  it('is counted for the console, with what is neither acknowledged nor silenced, and the channels', async () => {
    const summary = async () => {
      const { body } = await ask({ path: '/console/alerts' });
      const [local] = body as Notices;
      return [local?.['firing'], local?.['open'], local?.['level'], local?.['channels']];
    };
    const firing = ((await ask({ path: '/local/alerts' })).body as Notices).length;
    assert.deepEqual(await summary(), [firing, firing, 'WARN', 1]);
    await ask({ method: 'POST', path: `/local/alerts/${await alertId()}/ack` });
    assert.deepEqual(await summary(), [firing, firing - 1, firing === 1 ? null : 'WARN', 1]);
    await ask({ method: 'DELETE', path: `/local/alerts/${await alertId()}/ack` });
    assert.deepEqual(await summary(), [firing, firing, 'WARN', 1]);
    const body = { matchers: { node: '127.0.0.1' }, end: ops.clock.nowMs() / 1000 + 60 };
    const silence = await ask({ path: '/local/silences', body });
    assert.deepEqual(await summary(), [firing, 0, null, 1]);
    await ask({ method: 'DELETE', path: `/local/silences/${silence.body}` });
    await ask({ method: 'PUT', path: '/local/events/notifications-enabled', body: false });
    const [local] = (await ask({ path: '/console/alerts' })).body as Notices;
    assert.equal(local?.['notifications_enabled'], false);
    await ask({ method: 'PUT', path: '/local/events/notifications-enabled', body: true });
  });

  it('that is silenced twice has one silence, with the later end and the newest comment', async () => {
    const silence = async (minutes: number, comment?: string) =>
      (await ask({ path: `/local/alerts/${await alertId()}/silence`, body: { minutes, comment } })).body;
    const id = await silence(30, 'first');
    assert.equal(await silence(60), id);
    assert.equal(await silence(5, 'second'), id);
    const { body } = await ask({ path: '/local/silences' });
    const all = (body as Notices).filter(({ state }) => state === 'active');
    assert.deepEqual(
      all.map(({ comment, end }) => [comment, end]),
      [['second', Math.ceil(ops.clock.nowMs() / 1000 + 3600)]],
    );
    await ask({ method: 'DELETE', path: `/local/silences/${id}` });
  });
});

describe('the test of a connection', () => {
  const { ask } = openOps();
  const silent = createServer((socket) => socket.on('error', () => {}));
  before(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
  after(() => silent.close());

  it('fails with a reason, stores nothing, and needs a valid configuration', async () => {
    const address = silent.address();
    assert.ok(typeof address === 'object' && address !== null);
    const trial = async (cassandra: object) =>
      (await ask({ path: '/connection-tests', body: { cassandra } })).body;
    const refused = Object(await trial({ seed_hosts: '127.0.0.1', native_port: 1 }));
    assert.deepEqual([refused.outcome, refused.nodes], ['failed', []]);
    assert.match(refused.reason, /127\.0\.0\.1/);
    assert.equal((await ask({ path: '/connection-tests', body: { cassandra: {} } })).status, 400);
    assert.deepEqual(Object.keys(Object((await ask({ path: '/cluster-configs' })).body)), ['local']);
  });
});
