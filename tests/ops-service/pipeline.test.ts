// Checks the way from changes of alerts to notices at receivers, with a clock and a network that the test owns.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { doSteps } from '../../src/foundation/threads/long-work.js';
import { alert, caller, Trial } from './pipeline-trial.js';

let trial: Trial;
beforeEach(() => {
  trial = new Trial();
});
afterEach(() => {
  trial.store.flush();
  trial.database.close();
});

describe('an alert', () => {
  it('is sent once when it fires and once when it clears', async () => {
    trial.channel();
    trial.change('fired', 'a');
    await trial.pass(3);
    assert.deepEqual(trial.take(), ['firing a']);
    trial.change('cleared', 'a');
    await trial.pass(3);
    assert.deepEqual(trial.take(), ['resolved a']);
    await trial.pass(100);
    assert.deepEqual(trial.take(), []);
    assert.deepEqual(trial.log(), ['sent a: ', 'sent a: ']);
  });

  it('is a notice of the event object and what it is about', async () => {
    trial.channel();
    trial.change('fired', 'a');
    await trial.settle();
    const [arrived] = trial.received;
    assert.ok(arrived !== undefined);
    const { alert: sent, ...notice } = arrived.notice;
    assert.deepEqual(sent, alert('a'));
    assert.deepEqual(Object.keys(notice).sort(), [
      'action',
      'annotations',
      'api_source_ip',
      'cluster',
      'event_source',
      'level',
      'level_str',
      'message',
      'notice_id',
      'reason',
      'source_node',
      'status',
      'success',
      'target_node',
      'time',
      'user',
    ]);
    assert.equal(notice.action, 1000);
    assert.equal(notice.cluster, 'local');
    assert.equal(notice.reason, 'value 93 above 85');
    assert.equal(notice.time, trial.events.read('local', { count: 1, order: 'backward' })[0]?.time);
  });

  it('has a link to its page in the console, at the address of the option when it is sent', async () => {
    trial.channel();
    trial.channel({ events: true, levels: ['ERROR'] });
    trial.behaviour = () => 503;
    trial.change('fired', 'a');
    await trial.settle();
    trial.consoleUrl = 'https://ops.example.org/tools';
    trial.restart();
    trial.behaviour = () => 200;
    await trial.pass(3);
    trial.events.append('local', { action: 'nativeQuery', level: 'ERROR', message: 'failed' });
    await trial.pass(1);
    assert.deepEqual(
      trial.received.map(({ notice }) => notice.url),
      ['https://ops.example.org/tools/#/alerts?open=alert%3Aa', 'https://ops.example.org/tools/#/events'],
    );
  });

  it('names its rule in the delivery log, which has no rule for events', async () => {
    trial.channel();
    trial.channel({ events: true, levels: ['ERROR'] });
    trial.change('fired', 'a');
    trial.events.append('local', { action: 'nativeQuery', level: 'ERROR', message: 'failed' });
    await trial.settle();
    const entries = doSteps(trial.notifications.log.search('local', { count: 10 }));
    assert.deepEqual(entries.map(({ status, rule, alert_rule_id: id }) => [status, rule, id]).sort(), [
      ['event', null, null],
      ['firing', 'os-disk-usage above 85', 'rule-1'],
    ]);
  });

  it('goes to the channels that take its level and rule, and its end to those that got it', async () => {
    trial.channel({ url: 'http://all.example/' });
    trial.channel({ url: 'http://errors.example/', levels: ['ERROR'] });
    trial.channel({ url: 'http://other.example/', rules: ['rule-2'] });
    const picky = trial.channel({ url: 'http://picky.example/', levels: ['WARN'], rules: ['rule-1'] });
    trial.change('fired', 'a');
    await trial.settle();
    const urls = () => trial.received.map(({ url }) => url);
    assert.deepEqual(urls(), ['http://all.example/', 'http://picky.example/']);
    trial.take();
    trial.notifications.channels.change('local', picky, { levels: ['ERROR'] }, caller);
    trial.channel({ url: 'http://late.example/', rules: ['rule-1'] });
    await trial.pass(1);
    assert.deepEqual(urls(), ['http://late.example/'], 'a new channel is notified of what fires');
    trial.take();
    trial.change('cleared', 'a');
    await trial.settle();
    assert.deepEqual(urls(), ['http://all.example/', 'http://picky.example/', 'http://late.example/']);
  });

  it('is repeated every notify_interval with its present value, until it clears', async () => {
    trial.channel();
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 1 } });
    await trial.pass(59);
    assert.deepEqual(trial.take(), ['firing a']);
    trial.values.set('a', 99);
    await trial.pass(2);
    assert.equal(trial.received[0]?.notice.alert?.current_value, 99);
    assert.equal(trial.received[0]?.notice.reason, 'still firing, repeated every 1 minute');
    assert.deepEqual(trial.take(), ['firing a']);
    await trial.pass(180);
    assert.deepEqual(trial.take(), ['firing a', 'firing a', 'firing a']);
    trial.change('cleared', 'a');
    await trial.pass(180);
    assert.deepEqual(trial.take(), ['resolved a']);
  });

  it('is not repeated once it is acknowledged, and again when that is taken back', async () => {
    trial.channel();
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 1 } });
    await trial.pass(1);
    const repeating = { rule: { notifyIntervalMinutes: 1 } };
    trial.change('acknowledged', 'a', { ...repeating, alert: { state: 'acknowledged' } });
    await trial.pass(300);
    assert.deepEqual(trial.take(), ['firing a']);
    assert.deepEqual(trial.log(), ['sent a: ', 'held a: acknowledged']);
    trial.change('unacknowledged', 'a', repeating);
    await trial.pass(1);
    assert.deepEqual(trial.take(), ['firing a']);
  });

  it('is sent every minute to a receiver that forgets, acknowledged or not, and logged once', async () => {
    trial.behaviour = () => 200;
    trial.channel({ type: 'alertmanager', url: 'http://alertmanager.example' });
    trial.change('fired', 'a');
    await trial.pass(65);
    assert.equal(trial.received.length, 2);
    trial.change('acknowledged', 'a', { alert: { state: 'acknowledged' } });
    await trial.pass(130);
    assert.equal(trial.received.length, 4);
    trial.change('cleared', 'a');
    await trial.pass(300);
    assert.equal(trial.received.length, 5);
    assert.deepEqual(trial.log(), ['sent a: ', 'sent a: ']);
  });

  it('that fires again is sent again', async () => {
    trial.channel();
    for (const first_fired of [1, 2]) {
      trial.change('fired', 'a', { alert: { first_fired } });
      trial.change('fired', 'a', { alert: { first_fired } });
      await trial.pass(2);
      trial.change('cleared', 'a', { alert: { first_fired } });
      await trial.pass(2);
    }
    assert.deepEqual(trial.take(), ['firing a', 'resolved a', 'firing a', 'resolved a']);
  });
});

describe('what holds a notice', () => {
  it('is the switch: alerts that still fire are sent once when it is on again', async () => {
    trial.channel({ events: true });
    await trial.pass(1);
    assert.deepEqual(trial.take(), ['event notification channel "id-1" (webhook) added']);
    trial.notifications.globalSwitch.set('local', false, caller);
    trial.change('fired', 'a');
    trial.change('fired', 'b');
    await trial.pass(5);
    trial.change('cleared', 'b');
    await trial.pass(5);
    assert.deepEqual(trial.take(), [], 'events are stopped too');
    trial.notifications.globalSwitch.set('local', true, caller);
    await trial.pass(5);
    assert.deepEqual(trial.take(), ['event notifications switched on', 'firing a']);
    assert.deepEqual(
      trial.log().filter((line) => /^held/.test(line)),
      ['held a: notifications are off', 'held b: notifications are off'],
      'each is logged once',
    );
  });

  it('is a silence, until it ends', async () => {
    trial.channel();
    const now = trial.nowMs / 1000;
    trial.notifications.silences.add(
      'local',
      { matchers: { node: '10.0.0.1' }, end: now + 60, comment: '' },
      caller,
    );
    trial.change('fired', 'a');
    trial.change('fired', 'b', { alert: { node: '10.0.0.2' } });
    await trial.pass(58);
    assert.deepEqual(trial.take(), ['firing b']);
    await trial.pass(3);
    assert.deepEqual(trial.take(), ['firing a']);
    const messages = trial.events
      .read('local', { count: 2, order: 'backward' })
      .map(({ message }) => message);
    assert.equal(messages[0], 'silence for node 10.0.0.1 ended');
  });

  it('holds the end of an alert, too, which is sent to the channel later', async () => {
    trial.channel();
    trial.change('fired', 'a');
    await trial.pass(1);
    const now = trial.nowMs / 1000;
    trial.notifications.silences.add(
      'local',
      { matchers: { rule: 'rule-1' }, end: now + 10, comment: '' },
      caller,
    );
    trial.change('cleared', 'a');
    await trial.pass(8);
    assert.deepEqual(trial.take(), ['firing a']);
    await trial.pass(5);
    assert.deepEqual(trial.take(), ['resolved a']);
  });

  it('is a node that is down, but not for the alert that says so', async () => {
    trial.channel();
    trial.downNodes.add('10.0.0.1');
    trial.change('fired', 'down', { rule: { id: 'rule-2', type: 'node-down' } });
    trial.change('fired', 'a');
    await trial.pass(3);
    assert.deepEqual(trial.take(), ['firing down']);
    assert.ok(trial.log().includes('held a: node down'));
    trial.downNodes.clear();
    await trial.pass(3);
    assert.deepEqual(trial.take(), [], 'the alert itself holds others');
    trial.change('cleared', 'down', { rule: { id: 'rule-2', type: 'node-down' } });
    await trial.pass(3);
    assert.deepEqual(trial.take(), ['resolved down', 'firing a']);
  });

  it('sends nothing of an alert that fired and cleared meanwhile', async () => {
    trial.channel();
    trial.notifications.globalSwitch.set('local', false, caller);
    trial.change('fired', 'a');
    trial.change('cleared', 'a');
    trial.notifications.globalSwitch.set('local', true, caller);
    await trial.pass(5);
    assert.deepEqual(trial.take(), []);
  });
});

describe('a receiver', () => {
  it('that fails for a while gets the notice later, under the same id', async () => {
    trial.channel();
    trial.behaviour = () => 503;
    const ids = new Set<string>();
    trial.behaviour = (_, notice) => {
      ids.add(notice.notice_id);
      return 503;
    };
    trial.change('fired', 'a');
    await trial.pass(60);
    assert.ok(trial.tried >= 5 && trial.tried <= 8, `backs off: ${trial.tried} attempts in a minute`);
    trial.behaviour = (_, notice) => {
      ids.add(notice.notice_id);
      return 200;
    };
    await trial.pass(300);
    assert.deepEqual(trial.take(), ['firing a']);
    assert.equal(ids.size, 1);
    assert.deepEqual(trial.log(), ['retrying a: HTTP 503', 'sent a: ']);
  });

  it('that never got an alert is not sent its end', async () => {
    trial.channel();
    trial.behaviour = () => 'refused';
    trial.change('fired', 'a');
    await trial.pass(5);
    trial.change('cleared', 'a');
    trial.behaviour = () => 200;
    await trial.pass(600);
    assert.deepEqual(trial.take(), []);
    assert.equal(trial.log().at(-1), 'dropped a: cleared before it could be delivered');
    assert.equal(trial.notifications.pipeline.queuedCount, 0);
  });

  it('that may have got an alert is sent its end', async () => {
    trial.channel();
    trial.behaviour = () => 'lost';
    trial.change('fired', 'a');
    await trial.settle();
    trial.change('cleared', 'a');
    trial.behaviour = () => 200;
    await trial.pass(600);
    assert.deepEqual(trial.take(), ['firing a', 'resolved a']);
  });

  it('that refuses permanently is not tried again before a change of the alert or of the channel', async () => {
    const id = trial.channel();
    trial.behaviour = () => 404;
    trial.change('fired', 'a');
    await trial.pass(600);
    assert.equal(trial.tried, 1);
    assert.deepEqual(trial.log(), ['failed a: HTTP 404']);
    trial.behaviour = () => 200;
    trial.notifications.channels.change('local', id, { url: 'http://receiver.example/other' }, caller);
    await trial.pass(1);
    assert.deepEqual(trial.take(), ['firing a']);
  });

  it('that is slow is notified in order, and delays no other alert and no other channel', async () => {
    trial.channel({ url: 'http://slow.example/' });
    trial.channel({ url: 'http://quick.example/' });
    let release: (status: number) => void = () => {};
    const held = new Promise<number>((resolve) => {
      release = resolve;
    });
    trial.behaviour = (url, { alert: about }) => (url.includes('slow') && about?.id === 'a' ? held : 200);
    trial.change('fired', 'a');
    trial.change('fired', 'b');
    while (trial.received.length < 3) await new Promise(setImmediate);
    trial.change('cleared', 'a');
    while (trial.received.length < 4) await new Promise(setImmediate);
    assert.deepEqual(trial.take().sort(), ['firing a', 'firing b', 'firing b', 'resolved a']);
    release(200);
    await trial.settle();
    assert.deepEqual(trial.take(), ['firing a', 'resolved a']);
  });

  it('has at most eight attempts under way', async () => {
    trial.channel();
    let underWay = 0;
    let most = 0;
    trial.behaviour = () => {
      underWay += 1;
      most = Math.max(most, underWay);
      return new Promise((resolve) =>
        setImmediate(() => {
          underWay -= 1;
          resolve(200);
        }),
      );
    };
    for (let number = 0; number < 50; number += 1) trial.change('fired', `a${number}`);
    await trial.settle();
    assert.equal(trial.take().length, 50);
    assert.equal(most, 8);
  });

  it('that is available again gets at once what waits', async () => {
    trial.channel();
    trial.behaviour = () => 'refused';
    for (let number = 0; number < 20; number += 1) trial.change('fired', `a${number}`);
    await trial.pass(2000);
    trial.behaviour = () => 200;
    trial.take();
    await trial.pass(301);
    assert.equal(trial.take().length, 20);
  });

  it('that cannot be reached for too long gets no end of an alert any more, and one id until then', async () => {
    trial.channel();
    trial.change('fired', 'a');
    await trial.pass(1);
    const ids = new Set<string>();
    trial.behaviour = (_, notice) => {
      ids.add(notice.notice_id);
      return 'refused';
    };
    trial.change('cleared', 'a');
    await trial.pass(60);
    trial.restart();
    for (let hour = 0; hour < 23; hour += 1) {
      trial.nowMs += 3_600_000;
      await trial.pass(1);
    }
    assert.equal(trial.notifications.pipeline.queuedCount, 1);
    trial.nowMs += 3_600_000;
    await trial.pass(1);
    trial.restart();
    const { tried } = trial;
    await trial.pass(600);
    trial.behaviour = () => 200;
    await trial.pass(600);
    assert.deepEqual([trial.tried, ids.size, trial.notifications.pipeline.queuedCount], [tried, 1, 0]);
    assert.deepEqual(trial.take(), ['firing a']);
    assert.deepEqual(
      trial.log().filter((line) => line.startsWith('dropped')),
      ['dropped a: not delivered within 24 hours'],
    );
  });

  it('is tried with a notice that is seconds old, however the clock is set, also over a restart', async () => {
    trial.channel();
    trial.change('fired', 'a');
    await trial.pass(1);
    trial.behaviour = () => 'refused';
    trial.change('cleared', 'a');
    await trial.settle();
    for (const jumpedMs of [25 * 3_600_000, -25 * 3_600_000, 400 * 86_400_000]) {
      trial.jumpedMs = jumpedMs;
      await trial.pass(61);
      trial.restart();
      await trial.pass(61);
      assert.equal(trial.notifications.pipeline.queuedCount, 1);
    }
    trial.nowMs += 25 * 3_600_000;
    await trial.pass(61);
    assert.equal(trial.notifications.pipeline.queuedCount, 0, 'the time continues');
  });

  it('is repeated to in the interval of the rule, however the clock is set, also over a restart', async () => {
    trial.channel();
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 60 } });
    await trial.pass(60);
    trial.take();
    trial.jumpedMs = 25 * 3_600_000;
    await trial.pass(1);
    trial.restart();
    await trial.pass(60);
    assert.deepEqual(trial.take(), []);
    await trial.pass(3600);
    assert.deepEqual(trial.take(), ['firing a']);
  });

  it('is not tried for ever with notices of what has ended', async () => {
    trial.channel({ events: true });
    await trial.pass(1);
    trial.take();
    trial.behaviour = () => 'refused';
    trial.change('fired', 'a');
    trial.change('acknowledged', 'a');
    await trial.settle();
    assert.equal(trial.notifications.pipeline.queuedCount, 2);
    trial.nowMs += 25 * 3_600_000;
    await trial.pass(1);
    assert.equal(trial.notifications.pipeline.queuedCount, 1, 'the alert still fires');
    assert.ok(trial.log().includes('dropped null: not delivered within 24 hours'));
  });
});

describe('after a restart', () => {
  it('what was queued is delivered under its id, and what was sent is not sent again', async () => {
    trial.channel();
    trial.change('fired', 'sent', { rule: { notifyIntervalMinutes: 10 } });
    await trial.pass(1);
    trial.take();
    let id = '';
    trial.behaviour = (_, notice) => {
      id = notice.notice_id;
      return 'refused';
    };
    trial.change('fired', 'queued');
    await trial.settle();
    trial.restart();
    trial.behaviour = () => 200;
    await trial.pass(3);
    assert.equal(trial.received[0]?.notice.notice_id, id);
    assert.deepEqual(trial.take(), ['firing queued']);
    await trial.pass(600);
    assert.deepEqual(trial.take(), ['firing sent'], 'the repeat keeps its time');
    trial.change('cleared', 'sent');
    trial.change('cleared', 'queued');
    await trial.pass(3);
    assert.deepEqual(trial.take().sort(), ['resolved queued', 'resolved sent']);
  });

  it('keeps switch and silences', async () => {
    trial.channel();
    const end = trial.nowMs / 1000 + 60;
    trial.notifications.silences.add('local', { matchers: { dc: 'dc1' }, end, comment: 'work' }, caller);
    trial.notifications.globalSwitch.set('local', false, caller);
    trial.restart();
    assert.equal(trial.notifications.globalSwitch.isOn('local'), false);
    assert.equal(trial.notifications.silences.list('local')[0]?.comment, 'work');
  });
});

describe('the queue', () => {
  it('drops less important notices when it is full, never the first notice of an alert that fires', async () => {
    trial.restart(3);
    trial.channel({ events: true });
    await trial.pass(1);
    trial.take();
    trial.behaviour = () => 'refused';
    trial.events.append('local', { action: 'schemaChanged', level: 'INFO', message: 'event 1' });
    trial.events.append('local', { action: 'schemaChanged', level: 'INFO', message: 'event 2' });
    await trial.settle();
    for (const id of ['a', 'b', 'c', 'd']) trial.change('fired', id);
    await trial.settle();
    trial.events.append('local', { action: 'schemaChanged', level: 'INFO', message: 'event 3' });
    trial.behaviour = () => 200;
    await trial.pass(400);
    assert.deepEqual(trial.take().sort(), ['firing a', 'firing b', 'firing c', 'firing d']);
    assert.equal(trial.log().filter((line) => line.endsWith('the queue is full')).length, 3);
  });

  it('takes no more than twice its limit, and notices of the other alerts follow when there is room', async () => {
    trial.restart(2);
    trial.channel();
    trial.behaviour = () => 'refused';
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) trial.change('fired', id);
    await trial.pass(3);
    assert.equal(trial.notifications.pipeline.queuedCount, 4);
    trial.behaviour = () => 200;
    await trial.pass(400);
    assert.deepEqual(
      trial.take().sort(),
      ids.map((id) => `firing ${id}`),
    );
  });

  it('that is full gives the end of an alert up once, not every second', async () => {
    trial.restart(2);
    trial.channel();
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) trial.change('fired', id);
    await trial.pass(1);
    trial.behaviour = () => 'refused';
    for (const id of ids) {
      trial.change('cleared', id);
      await trial.settle();
    }
    await trial.pass(30);
    const dropped = trial.log().filter((line) => line.endsWith('the queue is full'));
    assert.deepEqual(dropped, ['dropped a: the queue is full', 'dropped b: the queue is full']);
    trial.take();
    trial.behaviour = () => 200;
    await trial.pass(300);
    assert.deepEqual(trial.take().sort(), ['resolved c', 'resolved d']);
  });

  it('has nothing left when a channel is removed', async () => {
    const id = trial.channel();
    trial.behaviour = () => 'refused';
    trial.change('fired', 'a');
    await trial.settle();
    trial.notifications.channels.remove('local', id, caller);
    assert.equal(trial.notifications.pipeline.queuedCount, 0);
    assert.equal(trial.log().at(-1), 'dropped a: the channel was removed');
  });

  it('drops the notice under way of a removed channel once, also if its alert clears meanwhile', async () => {
    const id = trial.channel();
    let answer = (_status: number): void => {};
    const answered = new Promise<number>((resolve) => {
      answer = resolve;
    });
    trial.behaviour = () => answered;
    trial.change('fired', 'a');
    while (trial.tried === 0) await new Promise(setImmediate);
    trial.notifications.channels.remove('local', id, caller);
    trial.change('cleared', 'a');
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    assert.equal(trial.notifications.pipeline.queuedCount, 1);
    answer(500);
    await trial.settle();
    assert.equal(trial.notifications.pipeline.queuedCount, 0);
    assert.deepEqual(trial.log(), ['dropped a: the channel was removed']);
  });
});

describe('alerts beyond those that are followed', () => {
  for (const [of, limits] of [
    ['one cluster', { ofCluster: 2, inAll: 10 }],
    ['all clusters', { ofCluster: 10, inAll: 2 }],
  ] as const) {
    it(`are counted, and no channel is notified of them: of ${of}`, async () => {
      trial.restart(undefined, limits);
      trial.channel();
      for (const id of ['a', 'b', 'c']) trial.change('fired', id);
      await trial.pass(1);
      assert.deepEqual(trial.take(), ['firing a', 'firing b']);
      assert.equal(trial.notifications.pipeline.unfollowedCount, 1);
      for (const id of ['c', 'a']) trial.change('cleared', id);
      await trial.pass(1);
      for (const id of ['b', 'd', 'e']) trial.change('fired', id);
      await trial.pass(1);
      assert.deepEqual(trial.take(), ['resolved a', 'firing d']);
      trial.restart(undefined, limits);
      trial.change('fired', 'f');
      await trial.pass(1);
      assert.deepEqual(trial.take(), [], 'those of the process before count');
    });
  }
});

describe('many channels at once', () => {
  it('begin few attempts in one turn of the event loop, and one of each channel before the next', async () => {
    const channels = Array.from({ length: 60 }, (_, at) =>
      trial.channel({ url: `http://receiver.example/${at}`, events: true }),
    );
    await trial.settle();
    trial.received = [];
    const inTurn: number[] = [];
    let turn = 0;
    let isDone = false;
    const countTurns = () => {
      turn += 1;
      if (!isDone) setImmediate(countTurns);
    };
    const urls: string[] = [];
    trial.behaviour = (url) => {
      inTurn[turn] = (inTurn[turn] ?? 0) + 1;
      urls.push(url);
      return 'refused';
    };
    setImmediate(countTurns);
    for (const message of ['a', 'b']) {
      trial.events.append('local', { action: 'schemaChanged', level: 'INFO', message });
    }
    await trial.settle();
    isDone = true;
    assert.equal(urls.length, 2 * channels.length);
    assert.equal(new Set(urls.slice(0, channels.length)).size, channels.length);
    assert.ok(Math.max(...inTurn.filter((count) => count > 0)) <= 32, String(inTurn));
  });
});
