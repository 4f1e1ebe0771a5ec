// Checks the operations port's answers and refusals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Health } from '../../foundation/http/health.js';
import type { HttpReply } from '../../foundation/http/http-handler.js';
import { createMetrics } from '../../foundation/telemetry/metrics.js';
import { createOpsRoutes, type OpsRoutesOptions } from './routes.js';

const metrics = createMetrics();

async function ask(
  request: { method?: string; path: string; headers?: Record<string, string> },
  options: Partial<OpsRoutesOptions> = {},
): Promise<HttpReply> {
  const routes = createOpsRoutes({
    health: { status: 'ready' },
    pid: 7,
    metrics,
    opsHost: '127.0.0.1',
    allowedHosts: [],
    metricsToken: undefined,
    ...options,
  });
  const headers: Record<string, string> = { host: '127.0.0.1:8888', ...request.headers };
  const head = {
    method: request.method ?? 'GET',
    path: request.path,
    header: (name: string) => headers[name],
  };
  return routes.answerHead(head) ?? (await routes.answer({ ...head, body: Buffer.alloc(0) }));
}

describe('the operations port', () => {
  it('tells whether the process lives and is ready', async () => {
    const health: Health = { status: 'starting' };
    assert.equal((await ask({ path: '/health/live' }, { health })).body, '{"status":"live","pid":7}');
    for (const [status, code] of [
      ['starting', 503],
      ['ready', 200],
      ['stopping', 503],
    ] as const) {
      health.status = status;
      const reply = await ask({ path: '/health/ready' }, { health });
      assert.equal(reply.status, code);
      assert.equal(reply.body, `{"status":"${status}","pid":7}`);
    }
  });

  it('renders metrics', async () => {
    const reply = await ask({ path: '/metrics' });
    assert.equal(reply.status, 200);
    assert.match(reply.contentType, /^text\/plain; version=0\.0\.4/);
    assert.match(reply.body, /^process_start_time_seconds /m);
  });

  it('asks for the metrics token where it is not bound to loopback', async () => {
    const options = { opsHost: '10.0.0.1', metricsToken: 'm' };
    const get = (headers: Record<string, string>, changed: Partial<OpsRoutesOptions> = {}) =>
      ask({ path: '/metrics', headers }, { ...options, ...changed });
    assert.equal((await get({})).status, 401);
    assert.equal((await get({ authorization: 'Bearer x' })).status, 401);
    assert.equal((await get({ authorization: 'Bearer m' })).status, 200);
    assert.equal((await get({ authorization: 'Bearer m' }, { metricsToken: undefined })).status, 401);
  });

  it('answers unknown paths 404 and wrong methods 405, in its error form', async () => {
    const unknown = await ask({ path: '/nothing' });
    assert.equal(unknown.status, 404);
    assert.equal(unknown.body, '{"type":"NotFound","message":"there is nothing at /nothing","details":[]}');
    const wrong = await ask({ method: 'POST', path: '/metrics' });
    assert.equal(wrong.status, 405);
    assert.deepEqual(wrong.headers, { allow: 'GET, HEAD' });
    assert.equal((await ask({ method: 'DELETE', path: '/health/live' })).status, 405);
  });

  it('serves its own hosts only', async () => {
    const statusFor = async (host: string, options: Partial<OpsRoutesOptions> = {}) =>
      (await ask({ path: '/health/live', headers: { host } }, options)).status;
    for (const host of ['localhost', 'localhost:8888', '127.0.0.1', '127.9.9.9:1', '[::1]:8888']) {
      assert.equal(await statusFor(host), 200, host);
    }
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', '', 'a@localhost']) {
      assert.equal(await statusFor(host), 403, host);
    }
    assert.equal(await statusFor('Ops.Example:80', { allowedHosts: ['ops.example'] }), 200);
    assert.equal(await statusFor('10.0.0.1:80', { opsHost: '10.0.0.1' }), 200);
  });

  it('refuses pages of other hosts', async () => {
    const statusFor = async (headers: Record<string, string>) =>
      (await ask({ path: '/health/live', headers }, { allowedHosts: ['ops.example'] })).status;
    assert.equal(await statusFor({ origin: 'http://localhost:8888' }), 200);
    assert.equal(await statusFor({ origin: 'https://ops.example' }), 200);
    for (const origin of ['null', 'https://evil.example', 'http://localhost.evil.example']) {
      assert.equal(await statusFor({ origin }), 403, origin);
    }
    assert.equal(await statusFor({ 'sec-fetch-site': 'cross-site' }), 403);
    assert.equal(await statusFor({ 'sec-fetch-site': 'same-origin' }), 200);
  });
});
