// Notices of real rules over days and restarts: the parts of the service, real receivers, the clock in the test's hand.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import type { ProcessFigures } from '../../src/ops-service/clusters/process-readings.js';
import type { NoticeJson } from '../../src/ops-service/notifications/notice.js';
import { type NoticeReceiver, startNoticeReceiver } from '../acceptance/notice-receiver.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { startSmtpReceiver } from '../conformance/smtp-receiver.js';
import { type OpsUnderTest, openOps } from './open-ops.js';

const channelsPath = '/local/notification-channels';
const hourMs = 3_600_000;

interface Delivery {
  readonly outcome: string;
  readonly reason: string;
  readonly channel: string;
  readonly notice_id: string;
}

const none = { count: 0, totalMs: 0 };
const figures: ProcessFigures = {
  elapsedMs: 10_000,
  traffic: new Traffic().take(),
  heap: { usedBytes: 1, committedBytes: 2, maxBytes: 3 },
  residentBytes: 4,
  collections: { minor: none, major: none },
};

/** The service with a rule that fires at the first reading. */
class Trial {
  readonly ops: OpsUnderTest = openOps({
    args: ['--data-dir', makeTemporaryDirectory()],
    answers: { readMetrics: () => Promise.resolve(figures) },
  });
  rule = '';

  async start(more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const body = { type: 'rolling-avg', metric: 'os-disk-usage', threshold: 0, duration: 0, ...more };
    this.rule = String((await this.ops.ask({ path: '/local/alert-rules', body })).body);
  }

  async receiver(more: Readonly<Record<string, unknown>> = {}): Promise<NoticeReceiver> {
    const receiver = await startNoticeReceiver();
    after(() => receiver.close());
    await this.channel({ type: 'webhook', url: receiver.url, ...more });
    return receiver;
  }

  async channel(body: Readonly<Record<string, unknown>>): Promise<void> {
    const added = await this.ops.ask({ path: channelsPath, body: { rules: [this.rule], ...body } });
    assert.equal(added.status, 201, added.text);
  }

  async changeRule(body: Readonly<Record<string, unknown>>): Promise<void> {
    const path = `/local/alert-rules/${this.rule}`;
    assert.equal((await this.ops.ask({ method: 'PUT', path, body })).status, 200);
  }

  /** Lets seconds go by, and what they began come to its end. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.ops.clock.advance(1000);
      this.ops.parts.tick();
      await this.ops.parts.settled();
    }
  }

  async log(): Promise<readonly Delivery[]> {
    const { body } = await this.ops.ask({ path: '/local/notifications?count=1000' });
    return [...(body as readonly Delivery[])].reverse();
  }
}

function saidBy({ notices }: NoticeReceiver): readonly string[] {
  return notices.map(({ status, level_str: level, alert }) => `${status} ${level} ${alert?.level}`);
}

describe('a rule that is changed over HTTP while its alert fires', () => {
  it('ends and begins repeats, gives them its level, and reaches channels for it, also over restarts', async () => {
    const trial = new Trial();
    await trial.start();
    const all = await trial.receiver();
    const warnings = await trial.receiver({ levels: ['WARN'] });
    const errors = await trial.receiver({ levels: ['ERROR'] });
    await trial.pass(70);
    assert.deepEqual([saidBy(all), saidBy(errors)], [['firing WARN WARN'], []]);
    await trial.changeRule({ notify_interval: 1 });
    await trial.pass(61);
    assert.deepEqual(saidBy(all), ['firing WARN WARN', 'firing WARN WARN', 'firing WARN WARN']);
    await trial.changeRule({ level: 'ERROR', annotations: { runbook: 'r' } });
    await trial.ops.reopen();
    await trial.pass(1);
    assert.deepEqual(saidBy(errors), ['firing ERROR ERROR']);
    await trial.pass(60);
    assert.deepEqual(saidBy(all).slice(3), ['firing ERROR ERROR']);
    await trial.changeRule({ notify_interval: 0 });
    await trial.pass(1);
    const count = all.notices.length + errors.notices.length;
    await trial.pass(100);
    await trial.ops.reopen();
    await trial.pass(100);
    assert.equal(all.notices.length + errors.notices.length, count);
    assert.equal(warnings.notices.length, 3);
    await trial.changeRule({ threshold: 101 });
    await trial.pass(2);
    for (const receiver of [all, warnings, errors]) assert.equal(receiver.notices.at(-1)?.status, 'resolved');
  });
});

describe('the notice of a cleared alert', () => {
  it('ends after --notify-retry-hours under one id, however the clock was set in between', async () => {
    const trial = new Trial();
    await trial.start();
    const receiver = await trial.receiver();
    await trial.pass(2);
    const tried: NoticeJson[] = [];
    receiver.mood = 'fail';
    await trial.changeRule({ threshold: 101 });
    await trial.pass(5);
    for (const jumpMs of [25 * hourMs, -25 * hourMs]) {
      trial.ops.clock.jump(jumpMs);
      await trial.pass(61);
      await trial.ops.reopen();
      await trial.pass(61);
    }
    assert.deepEqual(
      (await trial.log()).filter(({ outcome }) => outcome === 'dropped'),
      [],
    );
    trial.ops.clock.advance(25 * hourMs);
    await trial.pass(61);
    await trial.ops.reopen();
    receiver.mood = 'take';
    await trial.pass(400);
    tried.push(...receiver.notices);
    assert.deepEqual(
      tried.map(({ status }) => status),
      ['firing'],
    );
    const ends = (await trial.log()).filter(({ notice_id: id }) => id !== tried[0]?.notice_id);
    assert.equal(new Set(ends.map(({ notice_id: id }) => id)).size, 1);
    assert.equal(ends.at(-1)?.reason, 'not delivered within 24 hours');
    assert.equal(ends.filter(({ outcome }) => outcome === 'dropped').length, 1);
  });
});

describe('mail to several addressees', () => {
  it('reaches those that were refused temporarily, on their own, under its Message-ID, over a restart', async () => {
    const mail = await startSmtpReceiver('tls');
    after(() => mail.close());
    const trial = new Trial();
    await trial.start();
    const rules = [trial.rule];
    await trial.start();
    rules.push(trial.rule);
    const to = ['ops@example.org', 'full@example.org', 'gone@example.org'];
    mail.refusals.set('full@example.org', 452).set('gone@example.org', 550);
    // Both alerts go into one message.
    await trial.channel({ ...mail.settings, to, rules, name: 'mail' });
    await trial.pass(30);
    assert.deepEqual(mail.envelopes, [['ops@example.org']]);
    await trial.ops.reopen();
    await trial.pass(60);
    mail.refusals.delete('full@example.org');
    await trial.pass(600);
    assert.deepEqual(mail.envelopes, [['ops@example.org'], ['full@example.org']]);
    const [first, second] = mail.received;
    assert.equal(second?.id, first?.id);
    assert.equal(second?.text, first?.text);
    assert.match(first?.text ?? '', /^subject: \[WARN\] 2 firing \(local\)$/m);
    const lines = (await trial.log()).map(({ outcome, reason }) => `${outcome} ${reason}`);
    const forGood = 'refused permanently: gone@example.org (550 no gone@example.org with *** today)';
    assert.ok(
      lines.includes(
        `retrying ${forGood}; refused temporarily: full@example.org (452 no full@example.org with *** today)`,
      ),
      lines.join('\n'),
    );
    assert.ok(lines.includes(`sent ${forGood}`), lines.join('\n'));
    assert.equal(new Set(lines).size, 2, 'each is said once of each notice');
  });

  it('is repeated to those that take it while one is refused temporarily', async () => {
    const mail = await startSmtpReceiver('none');
    after(() => mail.close());
    const trial = new Trial();
    await trial.start({ notify_interval: 2 });
    mail.refusals.set('night@example.org', 450);
    await trial.channel(mail.settings);
    await trial.pass(400);
    const { length } = mail.envelopes;
    assert.ok(length === 3 || length === 4, `${length} messages`);
    assert.ok(mail.envelopes.every((to) => to.join() === 'ops@example.org'));
    mail.refusals.clear();
    await trial.changeRule({ threshold: 101 });
    await trial.pass(20);
    assert.deepEqual(mail.envelopes.at(-1), ['ops@example.org', 'night@example.org']);
    assert.match(mail.received.at(-1)?.text ?? '', /^subject: \[INFO\] resolved: /m);
  });
});
