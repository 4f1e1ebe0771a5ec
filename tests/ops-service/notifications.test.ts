// The routes of notifications, with everything behind them.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { openOps } from './open-ops.js';

const base = '/local/notification-channels';

/** Takes notices; the answer says how. */
async function startReceiver(answer: () => number): Promise<{ url: string; messages: string[] }> {
  const messages: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: string[] = [];
    for await (const chunk of incoming.setEncoding('utf8')) chunks.push(String(chunk));
    const status = answer();
    if (status === 200) messages.push(JSON.parse(chunks.join('')).message);
    response.writeHead(status).end(`${incoming.url} is not here\nand more`);
  }).listen(0, '127.0.0.1');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  // It listens on a port, not on a pipe.
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret/path?key=secret`,
    messages,
  };
}

/** Looks again until it is so; the test's time limit ends it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the switch', () => {
  const ops = openOps();
  const path = '/local/events/notifications-enabled';

  it('is on, is set by a boolean, and each change is an event', async () => {
    assert.equal((await ops.ask({ path })).text, 'true');
    for (const [body, text] of [
      [false, 'false'],
      [false, 'false'],
      [true, 'true'],
    ] as const) {
      const reply = await ops.ask({ method: 'PUT', path, body });
      assert.deepEqual([reply.status, reply.text], [200, 'null']);
      assert.equal((await ops.ask({ path })).text, text);
    }
    const { body: events } = await ops.ask({ path: '/local/events?count=2' });
    assert.deepEqual(
      (events as { action: number; message: string }[]).map(({ action, message }) => [action, message]),
      [
        [1020, 'notifications switched on'],
        [1021, 'notifications switched off'],
      ],
    );
  });

  it('takes nothing else, and survives a restart', async () => {
    for (const body of ['"true"', '1', 'null', '{}', '']) {
      const reply = await ops.ask({ method: 'PUT', path, body });
      assert.equal(reply.status, 400, body);
    }
    await ops.ask({ method: 'PUT', path, body: false });
    await ops.reopen();
    assert.equal((await ops.ask({ path })).text, 'false');
  });

  it('is one for each cluster', async () => {
    assert.equal((await ops.ask({ path: '/elsewhere/events/notifications-enabled' })).status, 404);
  });
});

describe('silences', () => {
  const ops = openOps();
  const path = '/local/silences';

  it('are set, listed, shown and ended', async () => {
    const end = Math.floor(ops.clock.nowMs() / 1000) + 60;
    const body = { matchers: { node: '127.0.0.1' }, end, author: 'ann', comment: 'disk swap' };
    const added = await ops.ask({ path, body });
    assert.equal(added.status, 201);
    const id = String(added.body);
    const shown = { id, ...body, start: end - 60, state: 'active' };
    assert.deepEqual((await ops.ask({ path })).body, [shown]);
    assert.deepEqual((await ops.ask({ path: `${path}/${id}` })).body, shown);
    assert.equal((await ops.ask({ method: 'DELETE', path: `${path}/${id}` })).text, 'null');
    assert.equal((await ops.ask({ method: 'DELETE', path: `${path}/${id}` })).status, 404);
    const events = (await ops.ask({ path: '/local/events?count=2' })).body as {
      action: number;
      message: string;
    }[];
    assert.deepEqual(
      events.map(({ action }) => action),
      [1023, 1022],
    );
    assert.match(
      events[1]?.message ?? '',
      /^silence for node 127.0.0.1 until 2026-01-01T00:01:00.000Z: disk swap$/,
    );
  });

  it('begin and end by themselves', async () => {
    const now = Math.floor(ops.clock.nowMs() / 1000);
    const added = await ops.ask({ path, body: { matchers: { dc: 'x' }, start: now + 10, end: now + 20 } });
    const state = async () =>
      ((await ops.ask({ path: `${path}/${added.body}` })).body as { state: string }).state;
    assert.equal(await state(), 'pending');
    ops.clock.advance(10_000);
    assert.equal(await state(), 'active');
    ops.clock.advance(10_000);
    ops.parts.tick();
    assert.equal(await state(), 'expired');
    const [event] = (await ops.ask({ path: '/local/events?count=1' })).body as { action: number }[];
    assert.equal(event?.action, 1023);
    ops.clock.advance(8 * 86_400_000);
    ops.parts.tick();
    assert.deepEqual((await ops.ask({ path })).body, []);
  });

  it('stay when a clock is years ahead for a while, and end at their time', async () => {
    const now = Math.floor(ops.clock.nowMs() / 1000);
    const times = { start: now + 3600, end: now + 7200 };
    const added = await ops.ask({ path, body: { matchers: { dc: 'y' }, ...times } });
    const state = async () => Object((await ops.ask({ path: `${path}/${added.body}` })).body).state;
    const ends = async () => {
      const { body } = await ops.ask({ path: `/local/events?action=1023&timestamp=${now}000000&reverse=0` });
      return (body as readonly { message: string }[]).filter(({ message }) => message.includes('dc y'))
        .length;
    };
    const jump = (days: number) => {
      ops.clock.jump(days * 86_400_000);
      for (let seconds = 0; seconds < 3; seconds += 1) {
        ops.clock.advance(1000);
        ops.parts.tick();
      }
    };
    jump(2000);
    assert.deepEqual([await state(), await ends()], ['expired', 1]);
    jump(-2000);
    assert.deepEqual([await state(), await ends()], ['pending', 1]);
    ops.clock.advance(7_200_000);
    ops.parts.tick();
    assert.deepEqual([await state(), await ends()], ['expired', 2]);
  });

  it('are refused with every problem', async () => {
    const reply = await ops.ask({ path, body: { matchers: { colour: 'red' }, end: 'soon', extra: 1 } });
    assert.equal(reply.status, 400);
    const { details } = reply.body as { details: { path: string }[] };
    assert.deepEqual(details.map((detail) => detail.path).sort(), ['end', 'extra', 'matchers.colour']);
    for (const body of [
      { matchers: {}, end: 9e9 },
      { matchers: { rule: 'r' }, end: 1 },
    ]) {
      assert.equal((await ops.ask({ path, body })).status, 400);
    }
  });

  it('are refused for an alert rule that does not exist, and stay when their rule is deleted', async () => {
    const end = 4_000_000_000;
    const refused = await ops.ask({ path, body: { matchers: { rule: 'nope' }, end } });
    assert.equal(refused.status, 400);
    const { message, details } = Object(refused.body);
    assert.equal(message, 'matchers.rule: there is no alert rule "nope"');
    assert.deepEqual(details, [{ path: 'matchers.rule', message: 'there is no alert rule "nope"' }]);
    const { body: rule } = await ops.ask({ path: '/local/alert-rules', body: { type: 'node-down' } });
    const added = await ops.ask({ path, body: { matchers: { rule }, end } });
    assert.equal(added.status, 201);
    await ops.ask({ method: 'DELETE', path: `/local/alert-rules/${rule}` });
    assert.equal((await ops.ask({ path: `${path}/${added.body}` })).status, 200);
  });
});

describe('channels', () => {
  const ops = openOps({ args: ['--deny-address', '127.0.0.9'] });

  it('are added, listed, changed and removed, and survive a restart', async () => {
    const added = await ops.ask({
      path: `${base}/`,
      body: { type: 'webhook', url: 'http://h.example/secret' },
    });
    assert.equal(added.status, 201);
    const path = `${base}/${added.body}`;
    assert.deepEqual((await ops.ask({ path })).body, {
      id: added.body,
      type: 'webhook',
      name: '',
      levels: [],
      rules: [],
      events: false,
      url: 'http://h.example/***',
      format: 'json',
    });
    assert.equal((await ops.ask({ method: 'PUT', path, body: { format: 'form', name: 'n' } })).text, 'null');
    await ops.reopen();
    const [listed] = (await ops.ask({ path: base })).body as { format: string; name: string }[];
    assert.deepEqual([listed?.format, listed?.name], ['form', 'n']);
    assert.equal((await ops.ask({ method: 'PUT', path, body: { type: 'email' } })).status, 409);
    assert.equal((await ops.ask({ method: 'PUT', path, body: [] })).status, 400);
    assert.equal((await ops.ask({ method: 'DELETE', path })).text, 'null');
    assert.equal((await ops.ask({ path })).status, 404);
    const events = (await ops.ask({ path: '/local/events?count=10' })).body as { action: number }[];
    assert.equal(events.filter(({ action }) => action === 1033).length, 3);
  });

  it('are refused with every problem', async () => {
    const reply = await ops.ask({ path: base, body: { type: 'webhook', url: 'x', format: 'xml', more: 1 } });
    assert.equal(reply.status, 400);
    const { details } = reply.body as { details: { path: string }[] };
    assert.deepEqual(details.map((detail) => detail.path).sort(), ['format', 'more', 'url']);
    for (const body of ['[]', '"x"', '{}', '{"type":7}'])
      assert.equal((await ops.ask({ path: base, body })).status, 400);
  });

  it('take no port 0', async () => {
    const mail = { type: 'email', host: 'mail.example', from: 'a@b.example', to: ['c@d.example'] };
    for (const body of [
      { type: 'webhook', url: 'http://hooks.example:0/' },
      { type: 'slack', url: 'https://hooks.example:0/' },
      { type: 'pagerduty', url: 'https://hooks.example:0/', routing_key: 'r'.repeat(32) },
      { type: 'alertmanager', url: 'http://hooks.example:0' },
      { ...mail, port: 0 },
      { type: 'snmp', host: 'traps.example', version: '1', community: 'c', port: 0 },
    ]) {
      const reply = await ops.ask({ path: base, body });
      assert.equal(reply.status, 400, JSON.stringify(body));
      const { details } = reply.body as { details: { message: string }[] };
      assert.equal(details.length, 1);
      assert.match(details[0]?.message ?? '', /port from 1 to 65535$/);
    }
  });

  it('are refused for alert rules that do not exist, and keep those that are deleted', async () => {
    const hook = { type: 'webhook', url: 'http://h.example/' };
    const { body: rule } = await ops.ask({ path: '/local/alert-rules', body: { type: 'node-down' } });
    const refused = await ops.ask({ path: base, body: { ...hook, rules: [rule, 'nope'] } });
    assert.equal(refused.status, 400);
    assert.equal(Object(refused.body).message, 'rules.1: there is no alert rule "nope"');
    const { body: id } = await ops.ask({ path: base, body: { ...hook, rules: [rule] } });
    await ops.ask({ method: 'DELETE', path: `/local/alert-rules/${rule}` });
    const change = (rules: unknown[]) => ops.ask({ method: 'PUT', path: `${base}/${id}`, body: { rules } });
    assert.equal((await change([rule])).status, 200);
    assert.equal((await change([rule, 'nope'])).status, 400);
    assert.equal((await change([])).status, 200);
    assert.equal((await change([rule])).status, 400);
  });

  it('are described by the OpenAPI document, each type with its members', async () => {
    interface Schema {
      readonly required?: readonly string[];
      readonly properties: Readonly<Record<string, { readonly const?: string }>>;
    }
    const { paths } = Object((await ops.ask({ path: '/openapi.json' })).body);
    const schemasOf = (path: string, method: string): readonly Schema[] =>
      paths[path][method].requestBody.content['application/json'].schema.anyOf;
    const added = schemasOf('/{cluster_id}/notification-channels', 'post');
    const types = added.map(({ properties }) => properties['type']?.const);
    assert.deepEqual(types, ['webhook', 'email', 'slack', 'teams', 'pagerduty', 'alertmanager', 'snmp']);
    const [webhook] = added;
    assert.deepEqual(webhook?.required, ['type', 'url']);
    assert.ok(webhook?.properties['levels'] !== undefined && webhook.properties['password'] !== undefined);
    const [changed] = schemasOf('/{cluster_id}/notification-channels/{channel_id}', 'put');
    assert.deepEqual(changed?.required ?? [], []);
    assert.ok(changed?.properties['url'] !== undefined);
  });

  it('are tested on request, and show no more than status and first line', async () => {
    let status = 200;
    const receiver = await startReceiver(() => status);
    const { body: id } = await ops.ask({ path: base, body: { type: 'webhook', url: receiver.url } });
    const test = { method: 'POST', path: `${base}/${id}/test` };
    assert.deepEqual((await ops.ask(test)).body, { outcome: 'sent', reason: '' });
    assert.deepEqual(receiver.messages, ['this is a test notice']);
    status = 500;
    assert.deepEqual((await ops.ask(test)).body, { outcome: 'failed', reason: 'HTTP 500: *** is not here' });
    const { body: denied } = await ops.ask({
      path: base,
      body: { type: 'webhook', url: 'http://127.0.0.9:1/' },
    });
    assert.deepEqual((await ops.ask({ method: 'POST', path: `${base}/${denied}/test` })).body, {
      outcome: 'failed',
      reason: '127.0.0.9 is denied by --deny-address',
    });
  });
});

describe('the delivery log', () => {
  const ops = openOps();

  it('says what was sent, tried again and dropped, and nothing secret', async () => {
    let status = 503;
    const receiver = await startReceiver(() => status);
    const channel = { type: 'webhook', name: 'hook', url: receiver.url, events: true };
    const { body: id } = await ops.ask({ path: base, body: channel });
    const read = async (query = '') =>
      (await ops.ask({ path: `/local/notifications${query}` })).body as {
        outcome: string;
        reason: string;
        channel: string;
        time: string;
      }[];
    await until(async () => (await read()).length === 1);
    status = 200;
    await until(() => {
      ops.clock.advance(1000);
      ops.parts.tick();
      return receiver.messages.length === 1;
    });
    await until(async () => (await read()).length === 2);
    const entries = await read(`?count=5&channel_id=${id}`);
    assert.deepEqual(
      entries.map(({ outcome, reason, channel }) => `${outcome} ${channel} ${reason}`),
      ['sent webhook hook ', 'retrying webhook hook HTTP 503: *** is not here'],
    );
    assert.doesNotMatch(JSON.stringify(entries), /secret/);
    assert.deepEqual(await read('?channel_id=other'), []);
    for (const query of ['?count=0', '?count=10001', '?count=x', '?timestamp=-1', '?more=1']) {
      assert.equal((await ops.ask({ path: `/local/notifications${query}` })).status, 400, query);
    }
    const time = entries[1]?.time;
    assert.deepEqual(
      (await read(`?timestamp=${time}`)).map(({ outcome }) => outcome),
      ['retrying'],
    );
  });
});
