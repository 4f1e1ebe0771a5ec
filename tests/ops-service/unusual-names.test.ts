// Names that objects of JavaScript have of their own, and unknown members with null: refused or kept, never dropped.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { type OpsReply, openOps } from './open-ops.js';

const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] as const;
const rulesPath = '/local/alert-rules';
const channelsPath = '/local/notification-channels';
const channel = '"type":"webhook","url":"http://127.0.0.1:9/"';

function problemsOf({ status, body }: OpsReply): readonly string[] {
  const { details } = body as { readonly details?: readonly { path: string; message: string }[] };
  return [String(status), ...(details ?? []).map(({ path, message }) => `${path} ${message}`)];
}

describe('unknown members', () => {
  const ops = openOps();

  for (const name of [...names, 'foo']) {
    for (const value of ['1', 'null']) {
      const member = `${JSON.stringify(name)}:${value}`;

      it(`are refused in a new channel and a changed one: ${member}`, async () => {
        const refusal = ['400', `${name} is not known`];
        const added = await ops.ask({ path: channelsPath, body: `{${channel},${member}}` });
        assert.deepEqual(problemsOf(added), refusal);
        const { body: id } = await ops.ask({ path: channelsPath, body: `{${channel}}` });
        const path = `${channelsPath}/${id}`;
        assert.deepEqual(problemsOf(await ops.ask({ method: 'PUT', path, body: `{${member}}` })), refusal);
      });

      it(`are refused in a new rule and a changed one: ${member}`, async () => {
        const refusal = ['400', `${name} is not a field of alert rules`];
        const added = await ops.ask({ path: rulesPath, body: `{"type":"node-down",${member}}` });
        assert.deepEqual(problemsOf(added), refusal);
        const { body: id } = await ops.ask({ path: rulesPath, body: { type: 'node-down' } });
        const path = `${rulesPath}/${id}`;
        assert.deepEqual(problemsOf(await ops.ask({ method: 'PUT', path, body: `{${member}}` })), refusal);
      });

      it(`are refused elsewhere: ${member}`, async () => {
        const refusal = ['400', `${name} is not known`];
        const silence = `{"matchers":{"node":"a"},"end":4000000000,${member}}`;
        assert.deepEqual(problemsOf(await ops.ask({ path: '/local/silences', body: silence })), refusal);
        const cluster = `{"cassandra":{"seed_hosts":"10.0.0.1"},${member}}`;
        assert.deepEqual(problemsOf(await ops.ask({ path: '/cluster-configs', body: cluster })), refusal);
        const query = await ops.ask({ path: `/local/events?${name}=1` });
        assert.deepEqual(problemsOf(query), refusal);
      });
    }
  }

  it('do not keep null from removing what is known', async () => {
    const { body: id } = await ops.ask({
      path: channelsPath,
      body: `{${channel},"name":"a","username":"b"}`,
    });
    const path = `${channelsPath}/${id}`;
    const body = { name: null, username: null, format: null, password: null };
    assert.equal((await ops.ask({ method: 'PUT', path, body })).status, 200);
    const { name, username } = (await ops.ask({ path })).body as Record<string, unknown>;
    assert.deepEqual([name, username], ['', undefined]);
  });
});

describe('names that the sender chooses', () => {
  it('are sent as headers, whatever they are', async () => {
    const ops = openOps();
    const received: string[] = [];
    const server = createServer((incoming, response) => {
      received.push(...incoming.rawHeaders.filter((_, at) => at % 2 === 0));
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      // It listens on a port.
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const headers = `{${names.map((name) => `"${name}":"x"`).join(',')}}`;
      const text = `{"type":"webhook","url":"${url}","headers":${headers}}`;
      const { status, body: id } = await ops.ask({ path: channelsPath, body: text });
      assert.equal(status, 201);
      await ops.reopen();
      const trial = await ops.ask({ method: 'POST', path: `${channelsPath}/${id}/test` });
      assert.deepEqual(trial.body, { outcome: 'sent', reason: '' });
      for (const name of names) assert.ok(received.includes(name.toLowerCase()), `${name} of ${received}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('are checked as headers and annotations, whatever they are', async () => {
    const ops = openOps();
    for (const name of names) {
      const headers = `{${channel},"headers":{"${name}":"\\u0000"}}`;
      const refusedHeader = await ops.ask({ path: channelsPath, body: headers });
      assert.deepEqual(problemsOf(refusedHeader), ['400', `headers.${name} must be visible ASCII`]);
      const annotations = `{"type":"node-down","annotations":{"${name}":5}}`;
      const refusedNote = await ops.ask({ path: rulesPath, body: annotations });
      assert.deepEqual(problemsOf(refusedNote), ['400', `annotations.${name} must be text`]);
    }
  });

  it('are kept as annotations, whatever they are', async () => {
    const ops = openOps();
    const annotations = `{${names.map((name) => `"${name}":"x"`).join(',')}}`;
    const body = `{"type":"node-down","annotations":${annotations}}`;
    const { body: id } = await ops.ask({ path: rulesPath, body });
    await ops.reopen();
    const { text } = await ops.ask({ path: `${rulesPath}/${id}` });
    assert.ok(text.includes(`"annotations":${annotations}`), text);
  });
});
