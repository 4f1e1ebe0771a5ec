// Pages of another port of the same host, in a real browser: what they send changes nothing; the console still works.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { users } from '../../ops-service/login-users.js';
import { makeTemporaryDirectory } from '../start-server.js';
import { type ConsoleUnderTest, useConsole, withoutBrowser } from './open-console.js';

/** What the page would have the server do. */
const attacks: readonly (readonly [path: string, body: object])[] = [
  ['/local/cql', { query: 'CREATE TABLE default_keyspace.taken (id int PRIMARY KEY)' }],
  ['/local/alert-rules', { type: 'node-down' }],
  ['/local/notification-channels', { type: 'webhook', url: 'http://127.0.0.1:9/taken' }],
  ['/cluster-configs', { id: 'taken', cassandra: { seed_hosts: '127.0.0.1' } }],
  ['/local/ops/compact/127.0.0.1/default_keyspace', []],
  ['/data/v1', { createKeyspace: { name: 'taken' } }],
  ['/logout', {}],
];

/**
 * Runs in the page: sends a body in each way that asks no server first, then in those that do, and waits for all of
 * them. The result has what could be read of the replies.
 */
const attack = `async ([url, body, name]) => {
  const read = [];
  const send = async (init) => {
    for (const mode of ['no-cors', 'cors']) {
      const reply = await fetch(url, { method: 'POST', credentials: 'include', mode, ...init }).catch(() => {});
      if (reply !== undefined && reply.type !== 'opaque') read.push(await reply.text());
    }
  };
  const form = new FormData();
  form.set('body', body);
  for (const sent of [body, new URLSearchParams(body), form, new Blob([body]), new TextEncoder().encode(body)])
    await send({ body: sent });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json'])
    await send({ body, headers: { 'content-type': type } });
  for (const method of ['PUT', 'DELETE']) await send({ method, body });
  await send({});
  navigator.sendBeacon(url, body);
  navigator.sendBeacon(url, new Blob([body]));
  // A form whose field makes JSON of its name and value, shown in a frame.
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const frame = document.createElement('iframe');
    frame.name = name + enctype;
    document.body.append(frame);
    const shown = new Promise((resolve) => frame.addEventListener('load', resolve));
    const form = document.createElement('form');
    Object.assign(form, { action: url, method: 'POST', target: frame.name, enctype });
    const field = document.createElement('input');
    Object.assign(field, { name: body.slice(0, -1) + ',"x', value: '":0}' });
    form.append(field);
    document.body.append(form);
    form.submit();
    await shown;
  }
  return read;
}`;

/** Runs in the page: reads what the port would show to a program. */
const readBack = `async (url) => {
  const reply = await fetch(url, { credentials: 'include' }).then((found) => found.text(), () => 'refused');
  const stream = await new Promise((resolve) => {
    const opened = new EventSource(url + '/stream', { withCredentials: true });
    opened.onopen = () => resolve('open');
    opened.onerror = () => resolve('refused');
  });
  return [reply, stream];
}`;

/** What the operations service and the data service have, as the operator sees it in the console. */
async function stateOf(page: Page): Promise<unknown> {
  return page.evaluate(`Promise.all([
    ['/local/alert-rules'], ['/local/notification-channels'], ['/cluster-configs'], ['/local/requests'],
    ['/console/facts'], ['/data/v1', '{"findKeyspaces":{}}'], ['/data/v1/default_keyspace', '{"listTables":{}}'],
  ].map(async ([path, body]) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(path, body === undefined ? {} : { method: 'POST', headers, body });
    return [path, reply.status, await reply.json()];
  }))`);
}

/** A page of another port, whose parts may be of an opaque origin. */
async function listenForPages() {
  const sandboxed =
    '<iframe sandbox="allow-scripts allow-forms" srcdoc="<script>onmessage = async ({ data, source }) => ' +
    "source.postMessage(await eval(data), '*')</script>\"></iframe>";
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Other</title>${sandboxed}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

function describePages(name: string, console: ConsoleUnderTest, logIn: (page: Page) => Promise<void>): void {
  describe(name, () => {
    let other: Awaited<ReturnType<typeof listenForPages>>;
    before(async () => {
      other = await listenForPages();
    });
    after(() => other.close());

    it('do nothing at both ports, also from a sandbox, and read nothing', async () => {
      const { page, context } = await console.open();
      await logIn(page);
      const before = await stateOf(page);
      const foreign = await context.newPage();
      await foreign.goto(other.url);
      const { url, opsUrl } = console.server;
      const targets = [
        ...attacks.map(([path, body]) => [`${opsUrl}${path}`, JSON.stringify(body), path]),
        [`${url}/v1`, '{"createKeyspace":{"name":"taken"}}', 'data'],
      ];
      for (const target of targets)
        assert.deepEqual(await foreign.evaluate(`(${attack})(${JSON.stringify(target)})`), [], target[0]);
      for (const target of targets) {
        const inSandbox = JSON.stringify(`(${attack})(${JSON.stringify(target)})`);
        const replies = await foreign.evaluate(`new Promise((resolve) => {
          onmessage = ({ data }) => resolve(data);
          frames[0].postMessage(${inSandbox}, '*');
        })`);
        assert.deepEqual(replies, [], target[0]);
      }
      const events = JSON.stringify(`${opsUrl}/local/events`);
      assert.deepEqual(await foreign.evaluate(`(${readBack})(${events})`), ['refused', 'refused']);
      assert.deepEqual(await stateOf(page), before);
    });

    it('lead to the console by a link, where the operator can act', async () => {
      const { page } = await console.open();
      await logIn(page);
      await page.goto(other.url);
      const address = JSON.stringify(`${console.server.opsUrl}/#/keys?open=new-key`);
      await page.evaluate(
        `document.body.innerHTML = '<a>console</a>'; document.querySelector('a').href = ${address}`,
      );
      await page.getByText('console').click();
      await page.getByLabel('Name', { exact: true }).fill('own');
      await page.locator('input[type=password]').fill('secret');
      await page.getByRole('button', { name: 'Store', exact: true }).click();
      await page.getByRole('button', { name: 'Remove the key own' }).waitFor();
    });
  });
}

const config = join(makeTemporaryDirectory(), 'colonnade.json');
writeFileSync(config, JSON.stringify({ ops: { users } }));

describe('pages of another port', { skip: withoutBrowser }, () => {
  describePages(
    'while an operator is logged in',
    useConsole({ args: ['--config', config] }),
    async (page) => {
      await page.getByLabel('User').fill('ada');
      await page.getByLabel('Password').fill('right horse');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByLabel('Password').waitFor({ state: 'detached' });
    },
  );
  describePages('of a server without users', useConsole(), async () => {});
});
