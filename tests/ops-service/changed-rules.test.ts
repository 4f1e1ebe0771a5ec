// Checks that notices of alerts that fire follow changes of their rule.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { rule, Trial } from './pipeline-trial.js';

let trial: Trial;
beforeEach(() => {
  trial = new Trial();
});
afterEach(() => {
  trial.store.flush();
  trial.database.close();
});

describe('a rule that changes while its alert fires', () => {
  it('begins and ends repeats, whatever it said when it fired, and as often as it changes', async () => {
    trial.channel();
    trial.change('fired', 'a');
    await trial.pass(120);
    assert.deepEqual(trial.take(), ['firing a']);
    trial.changeRule({ notifyIntervalMinutes: 5 });
    await trial.pass(179);
    assert.deepEqual(trial.take(), [], 'the interval begins with the last notice');
    await trial.pass(2);
    assert.equal(trial.received[0]?.notice.reason, 'still firing, repeated every 5 minutes');
    assert.deepEqual(trial.take(), ['firing a']);
    trial.changeRule({ notifyIntervalMinutes: 1 });
    await trial.pass(120);
    assert.deepEqual(trial.take(), ['firing a', 'firing a']);
    trial.changeRule({ notifyIntervalMinutes: 0 });
    await trial.pass(600);
    assert.deepEqual(trial.take(), []);
    trial.changeRule({ notifyIntervalMinutes: 10 });
    await trial.pass(2);
    assert.deepEqual(trial.take(), ['firing a']);
  });

  it('is followed by its notices also where a restart comes right after the change', async () => {
    trial.channel();
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 1 } });
    trial.change('fired', 'b');
    await trial.pass(1);
    trial.take();
    trial.rules.set(rule.id, { ...rule, level: 'ERROR', notifyIntervalMinutes: 0 });
    trial.restart();
    await trial.pass(300);
    assert.deepEqual(trial.take(), []);
    trial.rules.set(rule.id, { ...rule, level: 'CRITICAL', notifyIntervalMinutes: 5 });
    trial.restart();
    await trial.pass(1);
    assert.deepEqual(
      trial.received.map(({ notice }) => [notice.level, notice.level_str, notice.alert?.level]),
      [
        [4, 'CRITICAL', 'CRITICAL'],
        [4, 'CRITICAL', 'CRITICAL'],
      ],
    );
  });

  it('gives repeats its level and annotations', async () => {
    trial.channel({ format: 'alertmanager' });
    const bodies: { alerts: { labels: object; annotations: object; fingerprint: string }[] }[] = [];
    trial.behaviour = (_, notice) => {
      bodies.push(Object(notice));
      return 200;
    };
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 1 } });
    await trial.pass(30);
    trial.changeRule({ notifyIntervalMinutes: 1, level: 'ERROR', annotations: { runbook: 'r' } });
    await trial.pass(31);
    const [first, second] = bodies.map(({ alerts: [one] }) => one);
    assert.equal(Object(first?.labels).severity, 'warn');
    assert.equal(Object(second?.labels).severity, 'error');
    assert.equal(Object(second?.annotations).runbook, 'r');
    assert.equal(second?.fingerprint, first?.fingerprint, 'it still is the same alert');
  });

  it('reaches the channels for its new level, and the others with its end only', async () => {
    const urls = () => trial.received.splice(0).map(({ url, notice }) => `${notice.status} ${url}`);
    trial.channel({ url: 'http://warn/', levels: ['WARN'] });
    trial.channel({ url: 'http://error/', levels: ['ERROR'] });
    trial.channel({ url: 'http://all/' });
    trial.change('fired', 'a');
    await trial.pass(1);
    assert.deepEqual(urls(), ['firing http://warn/', 'firing http://all/']);
    trial.changeRule({ level: 'ERROR' });
    await trial.pass(1);
    assert.deepEqual(urls(), ['firing http://error/'], 'the others know of it');
    trial.changeRule({ notifyIntervalMinutes: 1 });
    await trial.pass(60);
    assert.deepEqual(urls().sort(), ['firing http://all/', 'firing http://error/']);
    trial.changeRule({ level: 'CRITICAL' });
    await trial.pass(60);
    assert.deepEqual(urls(), ['firing http://all/']);
    trial.change('cleared', 'a', { alert: { level: 'CRITICAL' } });
    await trial.pass(1);
    assert.deepEqual(urls().sort(), [
      'resolved http://all/',
      'resolved http://error/',
      'resolved http://warn/',
    ]);
  });

  it('changes the notice that waits for a receiver that is not available, which keeps its id', async () => {
    trial.channel({ url: 'http://warn/', levels: ['WARN'] });
    trial.channel({ url: 'http://all/' });
    trial.behaviour = () => 'refused';
    trial.change('fired', 'a');
    await trial.pass(5);
    const tried = new Set<string>();
    trial.behaviour = (url, { notice_id: id, level_str: level }) => {
      tried.add(`${url} ${id} ${level}`);
      return 'refused';
    };
    await trial.pass(60);
    trial.changeRule({ level: 'ERROR' });
    trial.restart();
    await trial.pass(60);
    trial.behaviour = () => 200;
    await trial.pass(600);
    const [{ url, notice } = { url: '', notice: undefined }] = trial.received;
    assert.deepEqual(trial.take(), ['firing a']);
    assert.deepEqual([url, notice?.level_str, notice?.alert?.level], ['http://all/', 'ERROR', 'ERROR']);
    assert.ok(
      tried.has(`${url} ${notice?.notice_id} WARN`) && tried.has(`${url} ${notice?.notice_id} ERROR`),
    );
    assert.ok(trial.log().includes('dropped a: the channel does not take the alert any more'));
    trial.change('cleared', 'a');
    await trial.pass(1);
    assert.deepEqual(
      trial.received.map((one) => one.url),
      ['http://all/'],
    );
  });

  it('ends a repeat that waits, but not a first notice', async () => {
    trial.channel({ url: 'http://notified/' });
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 1 } });
    await trial.pass(1);
    trial.take();
    trial.behaviour = () => 'refused';
    trial.channel({ url: 'http://unreached/' });
    await trial.pass(120);
    assert.equal(trial.notifications.pipeline.queuedCount, 2);
    trial.changeRule({ notifyIntervalMinutes: 0 });
    assert.equal(trial.notifications.pipeline.queuedCount, 1);
    trial.behaviour = () => 200;
    await trial.pass(600);
    assert.deepEqual(
      trial.received.map(({ url }) => url),
      ['http://unreached/'],
    );
    assert.ok(trial.log().includes('dropped a: the rule has no repeats any more'));
  });

  it('reaches a notice that was under way when it changed', async () => {
    trial.channel();
    let end: (status: number) => void = () => {};
    trial.behaviour = () => new Promise((resolve) => (end = resolve));
    trial.change('fired', 'a');
    while (trial.tried === 0) await new Promise((resolve) => setImmediate(resolve));
    trial.changeRule({ level: 'ERROR' });
    trial.behaviour = () => 200;
    end(503);
    await trial.pass(10);
    assert.equal(trial.received[0]?.notice.alert?.level, 'ERROR');
    assert.deepEqual(trial.take(), ['firing a']);
  });

  it('lets a notice that was refused permanently be tried again', async () => {
    trial.channel();
    trial.behaviour = () => 400;
    trial.change('fired', 'a');
    await trial.pass(60);
    trial.behaviour = () => 200;
    trial.changeRule({ annotations: { runbook: 'short' } });
    await trial.pass(1);
    assert.equal(trial.received[0]?.notice.reason, 'value 93 above 85');
    assert.deepEqual(trial.take(), ['firing a']);
  });

  it('is sent again, or its end is, where an earlier notice may have arrived', async () => {
    trial.channel({ levels: ['WARN'] });
    trial.behaviour = () => 'lost';
    trial.change('fired', 'a');
    await trial.settle();
    trial.take();
    trial.changeRule({ level: 'ERROR' });
    assert.equal(trial.notifications.pipeline.queuedCount, 0);
    trial.behaviour = () => 200;
    trial.changeRule({ level: 'WARN' });
    await trial.pass(1);
    assert.deepEqual(trial.take(), ['firing a'], 'it is not known whether the first one arrived');
    trial.behaviour = () => 'lost';
    trial.change('fired', 'b');
    await trial.settle();
    trial.changeRule({ level: 'ERROR' });
    trial.behaviour = () => 200;
    trial.take();
    trial.change('cleared', 'b', { alert: { level: 'ERROR' } });
    await trial.pass(1);
    assert.deepEqual(trial.take(), ['resolved b']);
  });
});
