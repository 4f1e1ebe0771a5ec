// The channels for chats, pagers and Alertmanager against receivers that check their published formats.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sendRequest } from '../../src/foundation/http/send-request.js';
import { validated } from '../../src/ops-service/errors/validation.js';
import type { ChannelSettings } from '../../src/ops-service/notifications/channel.js';
import { channelKinds } from '../../src/ops-service/notifications/channels/registry.js';
import type { Notice } from '../../src/ops-service/notifications/notice.js';
import { noticeTitle } from '../../src/ops-service/notifications/notice-text.js';
import { annotationLines, eventNotice, firingNotice, resolvedNotice } from './channel-notices.js';
import { type ChannelCase, type ChannelReceiver, describeChannel } from './describe-channel.js';
import { type HttpReceiverOptions, type ReceivedRequest, startHttpReceiver } from './http-receiver.js';

const path = '/services/T0000/secret-path';
const routingKey = 'secretsecretsecretsecretsecretse';

/** Members of JSON as tests look at them. */
type Json = Record<string, unknown>;

function jsonOf({ method, headers, body }: ReceivedRequest): Json {
  assert.equal(method, 'POST');
  assert.match(String(headers['content-type']), /^application\/json/);
  return JSON.parse(body) as Json;
}

function membersOf(json: Json, allowed: readonly string[]): void {
  assert.deepEqual(
    Object.keys(json).filter((name) => !allowed.includes(name)),
    [],
    'only published members',
  );
}

function chat(
  type: string,
  read: (json: Json) => string,
  yes: HttpReceiverOptions['yes'] = { status: 200, body: 'ok' },
): () => Promise<ChannelReceiver> {
  return () =>
    startHttpReceiver({
      path,
      secrets: ['secret'],
      ...(yes === undefined ? {} : { yes }),
      settings: (url) => ({ type, url }),
      read: (request) => {
        assert.equal(request.path, path);
        return { id: String(request.headers['idempotency-key']), text: read(jsonOf(request)) };
      },
    });
}

/** Reads a message of an incoming webhook: a text of at most 40,000 characters, &, < and > escaped. */
function readSlack(json: Json): string {
  membersOf(json, ['text', 'unfurl_links', 'unfurl_media', 'mrkdwn', 'blocks', 'attachments']);
  const { text } = json;
  assert.ok(typeof text === 'string' && text.length > 0 && text.length <= 40_000);
  assert.doesNotMatch(text, /<(?!!|@|#|http)|&(?!amp;|lt;|gt;)/, 'is escaped');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Reads what Teams takes: a message with one adaptive card, at most 28 KB. */
function readTeams(json: Json): string {
  assert.equal(json['type'], 'message');
  assert.ok(Buffer.byteLength(JSON.stringify(json)) <= 28 * 1024);
  const [attachment, ...more] = json['attachments'] as Json[];
  assert.equal(more.length, 0);
  assert.equal(attachment?.['contentType'], 'application/vnd.microsoft.card.adaptive');
  const card = attachment?.['content'] as Json;
  assert.equal(card['type'], 'AdaptiveCard');
  assert.match(String(card['version']), /^1\.[0-6]$/);
  const blocks = card['body'] as { type: string; inlines: { type: string; text: string }[] }[];
  return blocks
    .map(({ type, inlines }) => {
      assert.equal(type, 'RichTextBlock');
      return inlines.map((run) => run.text).join('');
    })
    .join('\n');
}

const says = ({ text }: { text: string }, notice: Notice) => {
  const { rule, reason, id, url = '' } = notice;
  const ofRule = rule === null ? [] : [...annotationLines, 'then call', `Rule: ${rule.name}`, url];
  for (const part of [noticeTitle(notice), reason, id, ...ofRule]) assert.ok(text.includes(part), part);
};

const slack: ChannelCase = { name: 'slack', takesEvents: true, check: says, start: chat('slack', readSlack) };
const teams: ChannelCase = {
  name: 'teams',
  takesEvents: true,
  check: says,
  start: chat('teams', readTeams, { status: 202, body: '' }),
};

/** The format of the PagerDuty Events API v2. */
const pagerduty: ChannelCase = {
  name: 'pagerduty',
  takesEvents: false,
  start: () =>
    startHttpReceiver({
      path: '/v2/enqueue',
      secrets: [routingKey],
      yes: { status: 202, body: '{"status":"success","message":"Event processed"}' },
      settings: (url) => ({ type: 'pagerduty', url, routing_key: routingKey }),
      read: (request) => {
        assert.ok(Buffer.byteLength(request.body) <= 512 * 1024);
        const json = jsonOf(request);
        membersOf(json, [
          'routing_key',
          'event_action',
          'dedup_key',
          'payload',
          'client',
          'client_url',
          'links',
          'images',
        ]);
        assert.equal(json['routing_key'], routingKey);
        assert.ok(String(json['dedup_key']).length <= 255);
        if (json['event_action'] === 'trigger') checkPayload(json['payload'] as Json);
        else assert.equal(json['event_action'], 'resolve');
        return { id: String(json['dedup_key']), text: JSON.stringify(json) };
      },
    }),
  check: ({ id, text }, notice) => {
    const { event_action: action, payload, links, client_url: page } = JSON.parse(text);
    assert.equal(id, 'colonnade/local/a1/1700000100', 'the end has the key of the beginning');
    if (notice.status === 'resolved') {
      assert.equal(action, 'resolve');
      return;
    }
    assert.equal(action, 'trigger');
    assert.equal(payload.severity, 'error');
    assert.equal(payload.source, '10.0.0.7');
    assert.equal(payload.component, 'shop.orders');
    assert.equal(payload.custom_details.notice_id, notice.id);
    assert.deepEqual(payload.custom_details.annotations, notice.rule?.annotations);
    assert.equal(payload.custom_details.rule, notice.rule?.name);
    assert.deepEqual([links, page], [[{ href: notice.url, text: 'Console' }], notice.url]);
  },
};

function checkPayload(payload: Json): void {
  membersOf(payload, [
    'summary',
    'source',
    'severity',
    'timestamp',
    'component',
    'group',
    'class',
    'custom_details',
  ]);
  assert.ok(String(payload['summary']).length <= 1024);
  assert.ok(['critical', 'warning', 'error', 'info'].includes(String(payload['severity'])));
  assert.ok(typeof payload['source'] === 'string' && payload['source'] !== '');
  assert.ok(!Number.isNaN(Date.parse(String(payload['timestamp']))));
}

/** The format of Alertmanager's API v2: POST /alerts takes `postableAlerts`. */
const alertmanager: ChannelCase = {
  name: 'alertmanager',
  takesEvents: false,
  start: () =>
    startHttpReceiver({
      path: '/secret-prefix/',
      secrets: ['secret-'],
      yes: { status: 200, body: '' },
      settings: (url) => ({ type: 'alertmanager', url, username: 'ann', password: 'secret-password' }),
      read: (request) => {
        assert.equal(request.path, '/secret-prefix/api/v2/alerts');
        const alerts: unknown = jsonOf(request);
        assert.ok(Array.isArray(alerts) && alerts.length > 0);
        for (const alert of alerts) checkPostable(alert);
        return { id: String(request.headers['idempotency-key']), text: JSON.stringify(alerts) };
      },
    }),
  check: ({ text }, notice) => {
    const [alert] = JSON.parse(text);
    assert.equal(alert.labels.alertname, 'cf-local-read-latency');
    assert.equal(alert.startsAt, '2023-11-14T22:15:00.000Z');
    assert.equal(alert.endsAt, notice.status === 'resolved' ? '2023-11-14T22:25:00.000Z' : undefined);
    assert.equal(alert.generatorURL, notice.url);
    assert.equal(alert.annotations.summary, 'call the team of the shop');
    assert.equal(alert.annotations.colonnade_summary, notice.event.message);
    const values = Object.values(alert.annotations);
    for (const value of Object.values(notice.rule?.annotations ?? {}))
      assert.ok(values.includes(value), value);
  },
};

function checkPostable(alert: Json): void {
  membersOf(alert, ['labels', 'annotations', 'startsAt', 'endsAt', 'generatorURL']);
  for (const set of ['labels', 'annotations']) {
    for (const [name, value] of Object.entries(alert[set] as Json)) {
      assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_]*$/);
      assert.equal(typeof value, 'string');
    }
  }
  assert.ok(Object.keys(alert['labels'] as Json).length > 0);
}

for (const channelCase of [slack, teams, pagerduty, alertmanager]) describeChannel(channelCase);

describe('channels that join', () => {
  const hundred = Array.from({ length: 100 }, (_, at): Notice => {
    const event = { ...firingNotice.event, message: `alert ${at} fired ${'größer 🦉 '.repeat(30)}` };
    return { ...firingNotice, id: `n${at}`, event };
  });

  for (const [name, start] of [
    ['slack', slack.start],
    ['teams', teams.start],
    ['pagerduty', pagerduty.start],
    ['alertmanager', alertmanager.start],
  ] as const) {
    it(`${name} takes a hundred notices in one message`, async () => {
      const receiver = await start();
      try {
        const kind = channelKinds.find(({ type }) => type === name);
        assert.ok(kind?.joining !== undefined);
        const settings = validated(kind.schema, receiver.settings) as ChannelSettings;
        const surroundings = {
          sendRequest,
          connect: () => Promise.reject(new Error('no mail')),
          resolve: () => Promise.reject(new Error('no datagrams')),
          timeoutMs: 30_000,
          nowMs: Date.now,
        };
        const channel = kind.open(settings, surroundings);
        const delivery = await channel.deliver(
          [...hundred, resolvedNotice, eventNotice].slice(0, 100),
          'a',
          new AbortController().signal,
        );
        assert.deepEqual([delivery, receiver.faults], [{ kind: 'sent' }, []]);
        assert.equal(receiver.received.length, 1);
        const { text = '' } = receiver.received[0] ?? {};
        assert.match(text, /alert 0 fired/);
        // A message of many notices has the annotations of each rule, too.
        for (const value of ['https://wiki.example/latency', 'call the team of the shop', 'the second'])
          assert.ok(text.includes(value), value);
      } finally {
        await receiver.close();
      }
    });
  }
});
