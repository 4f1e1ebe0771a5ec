// A server whose cluster cannot be reached: it starts, is not ready, refuses commands, and stops.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runColonnade, withServer } from './start-server.js';

const headers = { 'content-type': 'application/json' };
const engine = ['--engine', 'cassandra'];
/** No process listens there. */
const cluster = [
  ...['--cassandra-contact-points', '127.0.0.1', '--cassandra-port', '1'],
  ...['--cassandra-local-datacenter', 'dc1'],
];

it('starts without its cluster, is not ready, and refuses commands', async () => {
  await withServer({ args: [...engine, ...cluster] }, async (server) => {
    const { url, opsUrl, stderr, stop } = server;
    const ready = await fetch(`${url}/health/ready`);
    const text = await ready.text();
    assert.equal(ready.status, 503);
    assert.match(text, /"status":"not ready".*ECONNREFUSED/);
    assert.equal((await fetch(`${url}/health/live`)).status, 200);
    for (const command of ['{"findKeyspaces":{}}', '{"createKeyspace":{"name":"k"}}']) {
      const reply = await fetch(`${url}/v1`, { method: 'POST', headers, body: command });
      assert.match(await reply.text(), /"errorCode":"FAILED_TO_CONNECT_TO_DATABASE"/);
    }
    assert.match(stderr(), /the storage cannot be reached/);
    const ops = await fetch(`${opsUrl}/health/ready`);
    assert.equal(ops.status, 503);
    assert.match(await ops.text(), /"status":"not ready".*ECONNREFUSED/);
    await untilOutage(opsUrl);
    assert.deepEqual(await stop(), { code: 0, signal: null });
  });
});

/** Resolves when the operations service has recorded the outage; it looks at the state every second. */
async function untilOutage(opsUrl: string): Promise<void> {
  const stream = await fetch(`${opsUrl}/local/events/stream`, { headers: { 'last-event-id': '0' } });
  assert.ok(stream.body !== null);
  let text = '';
  for await (const part of stream.body) {
    text += Buffer.from(part).toString();
    if (/node 127\.0\.0\.1 is down: the Cassandra cluster of this server cannot be reached/.test(text))
      return;
  }
  assert.fail(`the stream ended without the event: ${text}`);
}

it('has the texts of its problems for the token and for sessions where other machines reach it', async () => {
  const token = 'a-token-of-enough-letters';
  const args = [...engine, ...cluster, '--host', '0.0.0.0', '--ops-host', '0.0.0.0'];
  const environment = {
    COLONNADE_TOKEN: token,
    COLONNADE_OPS_USER: 'root',
    COLONNADE_OPS_PASSWORD: 'PASSWORD',
  };
  await withServer({ args, environment }, async (server) => {
    const [url, opsUrl] = [server.url, server.opsUrl].map((one) => `http://127.0.0.1:${new URL(one).port}`);
    const problemsFor = async (base: string | undefined, given: Readonly<Record<string, string>>) => {
      const reply = await fetch(`${base}/health/ready`, { headers: given });
      assert.equal(reply.status, 503);
      return reply.text();
    };
    const [parts, texts] = [/"problems":\["storage"\]/, /ECONNREFUSED/];
    assert.match(await problemsFor(url, {}), parts);
    assert.match(await problemsFor(url, { token: `${token}x` }), parts);
    assert.match(await problemsFor(url, { token }), texts);
    const body = JSON.stringify({ username: 'root', password: 'PASSWORD' });
    const login = await fetch(`${opsUrl}/login`, { method: 'POST', headers, body });
    const { sessionid } = (await login.json()) as { sessionid: string };
    assert.match(await problemsFor(opsUrl, {}), parts);
    assert.match(await problemsFor(opsUrl, { 'opscenter-session': `${sessionid}x` }), parts);
    assert.match(await problemsFor(opsUrl, { 'opscenter-session': sessionid }), texts);
  });
});

it('asks for the cluster of the engine', async () => {
  const { code, stderr } = await runColonnade(['serve', ...engine]);
  assert.notEqual(code, 0);
  assert.match(stderr, /--cassandra-contact-points/);
  assert.match(stderr, /--cassandra-local-datacenter/);
});
