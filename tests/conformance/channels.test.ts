// Every notification channel against a receiver of its format.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAddressPolicy } from '../../src/foundation/http/address-policy.js';
import { createResolveAddress } from '../../src/foundation/http/checked-lookup.js';
import { createOpenConnection } from '../../src/foundation/http/open-connection.js';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import type { SettledAddressee } from '../../src/ops-service/notifications/channel.js';
import { channelKinds } from '../../src/ops-service/notifications/channels/registry.js';
import { type Notice, noticeJson } from '../../src/ops-service/notifications/notice.js';
import { noticeTitle } from '../../src/ops-service/notifications/notice-text.js';
import { annotationLines, firingNotice, resolvedNotice } from './channel-notices.js';
import { type ChannelCase, describeChannel } from './describe-channel.js';
import { type ReceivedRequest, startHttpReceiver } from './http-receiver.js';
import { type SmtpSecurity, startSmtpReceiver } from './smtp-receiver.js';

const path = '/hooks/secret-path?key=secret-key';

function webhookCase(format: 'json' | 'form' | 'alertmanager', check: ChannelCase['check']): ChannelCase {
  const contentType = format === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const read = ({ method, path: asked, headers, body }: ReceivedRequest) => {
    assert.equal(method, 'POST');
    assert.equal(asked, path);
    assert.equal(headers['content-type'], contentType);
    assert.equal(headers.authorization, `Basic ${Buffer.from('ann:secret-password').toString('base64')}`);
    assert.equal(headers['x-key'], 'secret-header');
    const id = headers['idempotency-key'];
    assert.ok(typeof id === 'string');
    // The other tests of texts look for letters that a form encodes.
    const form = () => JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
    return { id, text: format === 'form' ? form() : body };
  };
  return {
    name: `webhook (${format})`,
    takesEvents: format !== 'alertmanager',
    check,
    start: () =>
      startHttpReceiver({
        path,
        secrets: ['secret-'],
        read,
        settings: (url) => ({
          type: 'webhook',
          name: 'hook',
          url,
          format,
          headers: { 'X-Key': 'secret-header' },
          username: 'ann',
          password: 'secret-password',
        }),
      }),
  };
}

describeChannel(
  webhookCase('json', ({ id, text }, notice) => {
    assert.equal(id, notice.id);
    assert.deepEqual(JSON.parse(text), noticeJson(notice));
    const { cluster, annotations, url, alert } = JSON.parse(text);
    assert.equal(cluster, 'local');
    assert.deepEqual(annotations, notice.rule?.annotations ?? {});
    assert.equal(alert?.alert_rule_id, notice.rule?.id);
    assert.equal(url, notice.url);
  }),
);

describeChannel(
  webhookCase('form', ({ text }, notice) => {
    const form = JSON.parse(text);
    assert.equal(form.action, String(notice.event.action));
    assert.equal(form.message, notice.event.message);
    assert.equal(form.target_node, '', 'null is empty');
    assert.equal(form.cluster, 'local');
    assert.equal(form.status, notice.status);
    assert.equal(form.notice_id, notice.id);
    assert.equal(form.alert_id, notice.alert?.id ?? '');
    assert.deepEqual([form.rule, form.url], [notice.rule?.name ?? '', notice.url]);
    const annotations = Object.entries(form).flatMap(([name, value]) =>
      name.startsWith('annotation_') ? [[name.slice('annotation_'.length), value]] : [],
    );
    assert.deepEqual(Object.fromEntries(annotations), notice.rule?.annotations ?? {});
  }),
);

describeChannel(
  webhookCase('alertmanager', ({ text }, notice) => {
    const body = JSON.parse(text);
    assert.deepEqual(Object.keys(body).sort(), [
      'alerts',
      'commonAnnotations',
      'commonLabels',
      'externalURL',
      'groupKey',
      'groupLabels',
      'receiver',
      'status',
      'truncatedAlerts',
      'version',
    ]);
    assert.deepEqual([body.version, body.status, body.receiver], ['4', notice.status, 'hook']);
    const [alert] = body.alerts;
    assert.deepEqual(alert.labels, {
      alertname: 'cf-local-read-latency',
      cluster: 'local',
      alert_rule_id: 'r1',
      rule_type: 'percentile',
      node: '10.0.0.7',
      dc: 'dc1',
      table: 'shop.orders',
      severity: 'error',
    });
    assert.equal(alert.startsAt, '2023-11-14T22:15:00.000Z');
    assert.equal(
      alert.endsAt,
      notice.status === 'resolved' ? '2023-11-14T22:25:00.000Z' : '0001-01-01T00:00:00Z',
    );
    assert.deepEqual(alert.annotations, alertmanagerAnnotations(notice));
    assert.deepEqual([alert.generatorURL, body.externalURL], [notice.url, notice.url]);
    assert.match(alert.fingerprint, /^[0-9a-f]{16}$/);
  }),
);

/** The annotations of a notice as an Alertmanager gets them. */
function alertmanagerAnnotations(notice: Notice): object {
  const { дата, слон, 'runbook-url': dash, '2nd': second, ...valid } = notice.rule?.annotations ?? {};
  return {
    ...valid,
    _2nd: second,
    U___434__430__442__430_: дата,
    U___441__43b__43e__43d_: слон,
    U__runbook_2d_url: dash,
    colonnade_summary: notice.event.message,
    colonnade_notice_id: notice.id,
    reason: notice.reason,
    rule: notice.rule?.name,
    current_value: '93.25',
  };
}

function emailCase(security: SmtpSecurity): ChannelCase {
  return {
    name: `email (${security})`,
    takesEvents: true,
    start: () => startSmtpReceiver(security),
    check: ({ id, text }, notice) => {
      assert.equal(id, `<${notice.id}@example.org>`);
      assert.match(text, /^from: colonnade@example.org$/m);
      assert.match(text, /^to: ops@example.org, night@example.org$/m);
      const subject = /^subject: (.*)$/m.exec(text)?.[1] ?? '';
      assert.equal(subject, noticeTitle(notice));
      if (notice.rule !== null) {
        assert.doesNotMatch(subject, /fired|cleared|alert/, 'the status is said once');
        for (const line of annotationLines) assert.ok(text.includes(line), line);
        assert.match(text, /^ {2}steps: restart it\r?\n {4}then call$/m);
        assert.ok(text.includes(`Rule: ${notice.rule.name}`));
        assert.ok(text.includes(`Console: ${notice.url}`));
      }
      assert.ok(text.includes(notice.reason));
      assert.ok(text.includes(notice.id));
    },
  };
}

for (const security of ['tls', 'starttls', 'none'] as const) describeChannel(emailCase(security));

describe('the channel email', () => {
  const surroundings = {
    sendRequest,
    connect: createOpenConnection(createAddressPolicy({ deny: [], allow: [] })),
    resolve: createResolveAddress(createAddressPolicy({ deny: [], allow: [] })),
    timeoutMs: 30_000,
    nowMs: Date.now,
  };
  const email = channelKinds.find(({ type }) => type === 'email');

  it('joins notices into one message that says how many there are', async () => {
    const receiver = await startSmtpReceiver('starttls');
    try {
      const channel = email?.open(
        { name: '', levels: [], rules: [], events: false, ...receiver.settings } as never,
        surroundings,
      );
      const notices: Notice[] = [firingNotice, { ...firingNotice, id: 'second' }, resolvedNotice];
      const delivery = await channel?.deliver(notices, 'attempt', new AbortController().signal);
      assert.deepEqual(delivery, { kind: 'sent' });
      const [mail] = receiver.received;
      assert.equal(mail?.id, '<attempt@example.org>');
      assert.match(mail?.text ?? '', /^subject: \[ERROR\] 2 firing, 1 resolved \(local\)$/m);
      for (const { id } of notices) assert.ok(mail?.text.includes(id));
    } finally {
      await receiver.close();
    }
  });

  it('reaches the addressees that are accepted, and the others later on their own, under one id', async () => {
    const receiver = await startSmtpReceiver('tls');
    const { refusals, envelopes } = receiver;
    try {
      const to = ['a@example.org', 'B@bücher.example', 'c@example.org', 'd@example.org', 'e@EXAMPLE.org'];
      const channel = email?.open(
        { name: '', levels: [], rules: [], events: false, ...receiver.settings, to } as never,
        surroundings,
      );
      assert.ok(channel !== undefined);
      const attempt = (settled?: readonly SettledAddressee[]) =>
        channel.deliver([firingNotice], 'attempt', new AbortController().signal, settled);
      refusals.set('B@bücher.example', 451).set('c@example.org', 550).set('d@example.org', 452);
      refusals.set('e@example.org', 551);
      const first = await attempt();
      const forGood =
        'refused permanently: c@example.org, e@EXAMPLE.org (550 no c@example.org with *** today)';
      assert.ok(first.kind === 'retry' && first.mayHaveArrived);
      assert.equal(
        first.reason,
        `${forGood}; refused temporarily: B@bücher.example, d@example.org ` +
          '(451 no B@bücher.example with *** today)',
      );
      refusals.delete('B@bücher.example');
      const second = await attempt(first.settled);
      assert.ok(second.kind === 'retry');
      assert.match(second.reason, /; refused temporarily: d@example.org \(452 /);
      refusals.clear();
      assert.deepEqual(await attempt(second.settled), { kind: 'sent', note: forGood });
      assert.deepEqual(envelopes, [['a@example.org'], ['B@bücher.example'], ['d@example.org']]);
      assert.deepEqual(
        receiver.received.map(({ id }) => id),
        Array.from({ length: 3 }, () => '<attempt@example.org>'),
      );
    } finally {
      await receiver.close();
    }
  });

  it('fails when all are refused permanently, and is tried again while one is refused temporarily', async () => {
    const receiver = await startSmtpReceiver('none');
    try {
      const channel = email?.open(
        { name: '', levels: [], rules: [], events: false, ...receiver.settings } as never,
        surroundings,
      );
      assert.ok(channel !== undefined);
      const attempt = (settled?: readonly SettledAddressee[]) =>
        channel.deliver([firingNotice], 'attempt', new AbortController().signal, settled);
      receiver.refusals.set('ops@example.org', 550).set('night@example.org', 450);
      const first = await attempt();
      assert.ok(first.kind === 'retry' && !first.mayHaveArrived);
      receiver.refusals.set('night@example.org', 553);
      const second = await attempt(first.settled);
      assert.equal(second.kind, 'failed');
      assert.match(
        second.kind === 'failed' ? second.reason : '',
        /^refused permanently: ops@example.org, night@example.org \(550 no ops@example.org /,
      );
      receiver.mood = 'busy';
      const busy = await attempt(first.settled);
      assert.match(busy.kind === 'retry' ? busy.reason : '', /^for night@example.org: .*451/);
    } finally {
      await receiver.close();
    }
  });

  it('does not trust a certificate that nobody vouches for, and sends no password then', async () => {
    const receiver = await startSmtpReceiver('starttls');
    try {
      const { ca: _, ...settings } = receiver.settings;
      const channel = email?.open(
        { name: '', levels: [], rules: [], events: false, ...settings } as never,
        surroundings,
      );
      const delivery = await channel?.deliver([firingNotice], 'attempt', new AbortController().signal);
      assert.equal(delivery?.kind, 'retry');
      assert.match(delivery?.kind === 'retry' ? delivery.reason : '', /certificate/i);
      assert.deepEqual(receiver.received, []);
    } finally {
      await receiver.close();
    }
  });
});
