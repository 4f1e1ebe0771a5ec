// How the operations port takes requests: hosts, paths, methods, content types, bodies, tokens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOps } from './open-ops.js';

describe('the operations port', () => {
  const ops = openOps({
    args: ['--allowed-hosts', 'ops.example'],
    answers: { renderMetrics: async () => 'x 1\n' },
  });

  it('says whether the process lives and is ready', async () => {
    const { pid } = process;
    assert.deepEqual((await ops.ask({ path: '/health/live' })).body, { status: 'live', pid });
    for (const [status, code] of [
      ['stopping', 503],
      ['ready', 200],
    ] as const) {
      ops.parts.setHealth(status);
      const reply = await ops.ask({ path: '/health/ready' });
      assert.equal(reply.status, code);
      assert.deepEqual(reply.body, { status, pid });
    }
  });

  it('passes on the metrics of the process', async () => {
    const reply = await ops.ask({ path: '/metrics' });
    assert.equal(reply.status, 200);
    assert.equal(reply.text, 'x 1\n');
  });

  it('answers unknown paths 404 and wrong methods 405, in its error form', async () => {
    for (const path of [
      '/nothing',
      '//',
      '/local',
      '/local/nothing',
      '/%',
      '/%zz/events',
      '/local/events/',
    ]) {
      const unknown = await ops.ask({ path });
      assert.equal(unknown.status, 404, path);
      const message = `there is nothing at ${path}; GET /openapi.json lists what there is`;
      assert.deepEqual(unknown.body, { type: 'NotFound', message, details: [] });
    }
    for (const [method, path] of [
      ['POST', '/metrics'],
      ['DELETE', '/health/live'],
      ['PUT', '/local/events'],
      ['POST', '/local/events/'],
      ['OPTIONS', '/local/events'],
    ] as const) {
      const wrong = await ops.ask({ method, path });
      assert.equal(wrong.status, 405, `${method} ${path}`);
      assert.deepEqual(wrong.headers, { allow: 'GET, HEAD' });
    }
    assert.equal((await ops.ask({ method: 'HEAD', path: '/local/events' })).status, 200);
  });

  it('serves its own hosts only', async () => {
    const statusFor = async (host: string) =>
      (await ops.ask({ path: '/health/live', headers: { host } })).status;
    for (const host of ['localhost', 'localhost:8888', '127.0.0.1', '127.9.9.9:1', '[::1]:8888']) {
      assert.equal(await statusFor(host), 200, host);
    }
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', '', 'a@localhost']) {
      assert.equal(await statusFor(host), 403, host);
    }
    assert.equal(await statusFor('Ops.Example:80'), 200);
  });

  it('refuses pages of other addresses: another scheme, host or port', async () => {
    const refusalFor = async (headers: Record<string, string>) => {
      const { status, body } = await ops.ask({ path: '/health/live', headers });
      return status === 200 ? undefined : body;
    };
    assert.equal(await refusalFor({ origin: 'http://127.0.0.1:8888' }), undefined);
    assert.equal(await refusalFor({ origin: 'https://ops.example' }), undefined);
    assert.equal(await refusalFor({ 'sec-fetch-site': 'same-origin' }), undefined);
    for (const origin of [
      'null',
      'https://evil.example',
      'http://localhost.evil.example',
      'http://127.0.0.1:3000',
      'http://127.0.0.1',
      'https://127.0.0.1:8888',
      'http://localhost:8888',
    ]) {
      const message =
        `requests of web pages of other addresses are refused: this one is of "${origin}"; ` +
        '--console-url names the address of a proxy';
      assert.deepEqual(await refusalFor({ origin }), { type: 'ForeignOrigin', message, details: [] });
    }
    for (const site of ['cross-site', 'same-site'])
      assert.equal(Object(await refusalFor({ 'sec-fetch-site': site })).type, 'ForeignOrigin');
  });

  it('takes any type that is read as JSON from programs, and only application/json from browsers', async () => {
    const body = { type: 'node-down' };
    const statusOf = async (type: string, headers: Record<string, string> = {}) =>
      (await ops.ask({ path: '/local/alert-rules', body, headers: { 'content-type': type, ...headers } }))
        .status;
    const browser = { origin: 'http://127.0.0.1:8888' };
    const cookie = { cookie: 'a=b; opscenter-session=0' };
    for (const type of ['', 'application/x-www-form-urlencoded', 'application/vnd.x+json']) {
      assert.equal(await statusOf(type), 201, type);
      for (const sender of [browser, { 'sec-fetch-site': 'same-origin' }, cookie])
        assert.equal(await statusOf(type, sender), 415, type);
    }
    for (const type of ['text/plain', 'multipart/form-data; boundary=x']) {
      assert.equal(await statusOf(type), 415, type);
      assert.equal(await statusOf(type, browser), 415, type);
    }
    for (const type of ['application/json', 'Application/JSON ; charset=utf-8'])
      for (const sender of [browser, cookie]) assert.equal(await statusOf(type, sender), 201, type);
  });

  it('takes no body of another type from browsers where it reads none', async () => {
    const headers = { origin: 'http://127.0.0.1:8888', 'content-type': 'text/plain' };
    assert.equal((await ops.ask({ path: '/logout', body: 'x', headers })).status, 415);
    assert.equal((await ops.ask({ path: '/logout', method: 'POST', headers })).status, 200);
  });
});

describe('the operations port behind a proxy', () => {
  const ops = openOps({ args: ['--console-url', 'https://ops.example:8443/colonnade'] });

  it('serves the host and the pages of --console-url', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await ops.ask({ path: '/health/live', headers })).status;
    const origin = 'https://ops.example:8443';
    assert.equal(await statusOf({ host: 'ops.example:8443', origin }), 200);
    assert.equal(await statusOf({ origin }), 200);
    assert.equal(await statusOf({ host: 'other.example', origin }), 403);
    assert.equal(await statusOf({ origin: 'https://ops.example:8444' }), 403);
  });
});

describe('GET /metrics on an address that others can reach', () => {
  const answers = { renderMetrics: async () => '' };
  const asOpen = openOps({ args: ['--ops-host', '127.0.0.5', '--metrics-token', 'm'], answers });

  it('is open on any loopback address', async () => {
    assert.equal((await asOpen.ask({ path: '/metrics' })).status, 200);
  });
});
