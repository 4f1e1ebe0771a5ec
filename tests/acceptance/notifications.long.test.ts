// Notifications of real servers: receivers that fail, stall, lie and come back; mail; kills in between.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NoticeJson } from '../../src/ops-service/notifications/notice.js';
import { startSmtpReceiver } from '../conformance/smtp-receiver.js';
import { type NoticeReceiver, startNoticeReceiver } from './notice-receiver.js';
import { addWebhook, askOps, createRule, createTable, eventsOf } from './ops-client.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from './start-server.js';

const args = ['--metrics-interval-seconds', '1'];

/** Runs `work` with receivers and a server, and leaves none of them behind. */
async function withReceivers(
  count: number,
  work: (receivers: readonly NoticeReceiver[], server: RunningServer) => Promise<void>,
): Promise<void> {
  const receivers = await Promise.all(Array.from({ length: count }, () => startNoticeReceiver()));
  const server = await startServer({ args });
  try {
    await work(receivers, server);
  } finally {
    await server.stop();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  }
}

function messagesOf(notices: readonly NoticeJson[]): ReadonlySet<string> {
  return new Set(notices.map(({ message }) => message));
}

/** Every copy of a notice has its id, and no two notices share one. */
function checkIds(notices: readonly NoticeJson[]): void {
  const ids = new Map<string, string>();
  for (const { notice_id: id, time, status, alert } of notices) {
    const about = `${status} ${time} ${alert?.id}`;
    assert.equal(ids.get(id) ?? about, about, 'an id is of one notice');
    ids.set(id, about);
  }
  assert.equal(new Set(ids.values()).size, ids.size, 'a notice has one id');
}

describe('receivers', () => {
  it('that fail, stall or lie delay nobody, and get everything once they are back', async () => {
    await withReceivers(4, async ([good, failing, stalling, lying], server) => {
      assert.ok(good && failing && stalling && lying);
      failing.mood = 'fail';
      stalling.mood = 'stall';
      lying.mood = 'lie';
      for (const { url } of [failing, stalling, lying, good]) await addWebhook(server, url, { events: true });
      const names = Array.from({ length: 20 }, (_, at) => `t${at}`);
      for (const name of names) await createTable(server, name);
      const hasAll = (notices: readonly NoticeJson[]) =>
        names.every((name) => [...messagesOf(notices)].some((message) => message.endsWith(`.${name}`)));
      await good.until(hasAll);
      for (const receiver of [failing, stalling, lying]) {
        assert.equal(receiver.notices.length, 0);
        receiver.mood = 'take';
      }
      await Promise.all([failing, stalling, lying].map((receiver) => receiver.until(hasAll)));
      for (const { notices } of [good, failing, stalling, lying]) checkIds(notices);
      assert.equal(good.notices.length, new Set(good.notices.map(({ notice_id }) => notice_id)).size);
    });
  });
});

describe('an alert of a real rule', () => {
  it('reaches webhook and mail when it fires and when it clears, silenced and switched off in between', async () => {
    const mail = await startSmtpReceiver('tls');
    try {
      await withReceivers(1, async ([webhook], server) => {
        assert.ok(webhook);
        const rule = await createRule(server, { ...alwaysTrue, enabled: 0 });
        await addWebhook(server, webhook.url, { rules: [rule] });
        await askOps(server, '/local/notification-channels', { body: { ...mail.settings, rules: [rule] } });
        await askOps(server, '/local/events/notifications-enabled', { method: 'PUT', body: false });
        await askOps(server, `/local/alert-rules/${rule}`, { method: 'PUT', body: { enabled: 1 } });
        const heldLines = async () =>
          ((await askOps(server, '/local/notifications')) as { outcome: string; reason: string }[]).filter(
            ({ outcome }) => outcome === 'held',
          );
        while ((await heldLines()).length < 2) await pause();
        assert.equal(webhook.notices.length, 0);
        await askOps(server, '/local/events/notifications-enabled', { method: 'PUT', body: true });
        await webhook.until((notices) => notices.length === 1);
        assert.equal(webhook.notices[0]?.status, 'firing');
        assert.equal(webhook.notices[0]?.alert?.alert_rule_id, rule);
        while (mail.received.length < 1) await pause();
        await askOps(server, `/local/alert-rules/${rule}`, { method: 'PUT', body: { threshold: 101 } });
        await webhook.until((notices) => notices.length === 2);
        assert.equal(webhook.notices[1]?.status, 'resolved');
        while (mail.received.length < 2) await pause();
        assert.match(mail.received[0]?.text ?? '', /^subject: \[WARN\] firing: /m);
        assert.match(mail.received[1]?.text ?? '', /^subject: \[INFO\] resolved: /m);
        assert.deepEqual(mail.faults, []);
      });
    } finally {
      await mail.close();
    }
  });
});

describe('a server that is killed', () => {
  it('delivers every event of its log at least once, and copies under the same id', async () => {
    const receiver = await startNoticeReceiver();
    const dataDir = makeTemporaryDirectory();
    let server = await startServer({ args, dataDir });
    try {
      await addWebhook(server, receiver.url, { events: true });
      receiver.mood = 'slow';
      for (let round = 0; round < 3; round += 1) {
        const making = Promise.allSettled(
          Array.from({ length: 60 }, (_, at) => createTable(server, `r${round}_${at}`)),
        );
        const before = receiver.notices.length;
        await receiver.until((notices) => notices.length >= before + 10 * (round + 1));
        server.signal('SIGKILL');
        await Promise.all([server.ended, making]);
        server = await startServer({ args, dataDir });
      }
      receiver.mood = 'take';
      await createTable(server, 'last');
      const log = (await eventsOf(server)).filter(({ action }) => action === 1040);
      assert.ok(log.length > 30, `${log.length} events survived`);
      await receiver.until((notices) => {
        const times = new Set(notices.map(({ time }) => time));
        return log.every(({ time }) => times.has(time));
      });
      checkIds(receiver.notices);
    } finally {
      await server.stop();
      await receiver.close();
    }
  });

  for (const phase of [
    'before its notice',
    'while its notice is under way',
    'after its notice',
    'after it cleared',
  ] as const) {
    it(`${phase} reports an alert and its end at least once, and copies under the same id`, async () => {
      const receiver = await startNoticeReceiver();
      const dataDir = makeTemporaryDirectory();
      let server = await startServer({ args, dataDir });
      try {
        receiver.mood =
          phase === 'before its notice'
            ? 'fail'
            : phase === 'while its notice is under way'
              ? 'forget'
              : 'take';
        const rule = await createRule(server, alwaysTrue);
        await addWebhook(server, receiver.url, { rules: [rule] });
        const isFiring = async () =>
          ((await askOps(server, '/local/alerts')) as { alert_rule_id: string }[]).some(
            (alert) => alert.alert_rule_id === rule,
          );
        while (!(await isFiring())) await pause();
        if (phase !== 'before its notice') await receiver.until((notices) => notices.length > 0);
        if (phase === 'after it cleared') {
          receiver.mood = 'fail';
          await askOps(server, `/local/alert-rules/${rule}`, { method: 'PUT', body: { threshold: 101 } });
          while (await isFiring()) await pause();
        }
        server.signal('SIGKILL');
        await server.ended;
        receiver.mood = 'take';
        server = await startServer({ args, dataDir });
        const has = (status: string) =>
          receiver.until((notices) => notices.some((notice) => notice.status === status));
        await has('firing');
        if (phase !== 'after it cleared')
          await askOps(server, `/local/alert-rules/${rule}`, { method: 'PUT', body: { threshold: 101 } });
        await has('resolved');
        checkIds(receiver.notices);
        const firstEnd = receiver.notices.findIndex(({ status }) => status === 'resolved');
        assert.ok(
          receiver.notices.slice(firstEnd).every(({ status }) => status === 'resolved'),
          'the end comes last',
        );
      } finally {
        await server.stop();
        await receiver.close();
      }
    });
  }
});

/** Fires at the first sample. */
const alwaysTrue = { type: 'rolling-avg', metric: 'os-disk-usage', threshold: 0, duration: 0 };

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
