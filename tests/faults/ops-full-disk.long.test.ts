// A full disk: alerts are evaluated and notified, events are shown, changes are refused, and all is stored later.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
const json = { 'content-type': 'application/json' };

interface Notice {
  readonly status: string;
  readonly message: string;
  readonly notice_id: string;
}

/** The kernel refuses every write of the process to a file beyond this length, as a full disk would. */
function limitFiles({ pid }: RunningServer, sizeBytes: number | 'unlimited'): void {
  assert.equal(spawnSync('prlimit', ['--pid', `${pid}`, `--fsize=${sizeBytes}:`]).status, 0);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 60_000;
  while (!(await holds())) {
    assert.ok(Date.now() < endMs, 'it did not become true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function startReceiver() {
  const notices: Notice[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: string[] = [];
    for await (const chunk of incoming.setEncoding('utf8')) chunks.push(String(chunk));
    notices.push(JSON.parse(chunks.join('')));
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, notices, close };
}

/** One operator; the operations service reads its metrics every second. */
const args = ['--ops-user', 'root', '--ops-password', 'p', '--metrics-interval-seconds', '1'];

class Operator {
  readonly #opsUrl: string;
  #session = '';

  constructor(opsUrl: string) {
    this.#opsUrl = opsUrl;
  }

  async login(password: string): Promise<number> {
    const reply = await this.send('/login', { username: 'root', password });
    if (reply.status === 200) this.#session = Object(reply.body).sessionid;
    return reply.status;
  }

  async send(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const reply = await fetch(this.#opsUrl + path, {
      headers: { ...json, 'opscenter-session': this.#session },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: JSON.parse(await reply.text()) };
  }

  async actions(): Promise<readonly number[]> {
    const { body } = await this.send('/local/events?count=1000');
    assert.ok(Array.isArray(body));
    return body.map(({ action }) => action);
  }

  async problems(): Promise<unknown> {
    const { status, body } = await this.send('/health/ready');
    assert.equal(status, 200);
    return Object(body).problems;
  }
}

describe('a full disk', { skip: !canLimit && 'prlimit is not there' }, () => {
  it('is named by the health of both ports, and refuses keys of providers with 503', async () => {
    const server = await startServer({ args: ['--metrics-interval-seconds', '1'] });
    const client = new DataClient(server.url);
    try {
      // SQLite does not say why the kernel refused a write; the file of checksums, if it is written first, does.
      const ofData = 'rows cannot be written';
      const reasons = /: (?:the disk refused the write|there is no room left on the disk)$/;
      const ofOps = 'the file of the operations service cannot be written';
      const problems = async (url: string): Promise<readonly string[]> => {
        const reply = await fetch(`${url}/health/ready`);
        assert.equal(reply.status, 200);
        const found: readonly string[] = Object(await reply.json()).problems?.toSorted() ?? [];
        return found.map((problem) => problem.replace(reasons, ''));
      };
      const shows = async (...expected: readonly string[]) => {
        for (const url of [server.url, server.opsUrl])
          await until(async () => (await problems(url)).join() === expected.join());
      };
      const key = async (method: string) => {
        const body = JSON.stringify({ providerKey: 'sk-1' });
        const path = `${server.opsUrl}/local/embedding-keys/mine`;
        const reply = await fetch(path, { method, headers: json, ...(method === 'PUT' && { body }) });
        return [reply.status, await reply.text()] as const;
      };
      const command = { createKeyspace: { name: 'full' } };
      await shows();
      assert.deepEqual(await key('PUT'), [200, 'null']);

      limitFiles(server, 1);
      const reason =
        'nothing was changed: key-store.enc cannot be written: there is no room left on the disk';
      const refusal = JSON.stringify({ type: 'Unavailable', message: reason, details: [] });
      assert.deepEqual(await key('PUT'), [503, refusal]);
      assert.deepEqual(await key('DELETE'), [503, refusal]);
      await shows(ofOps);
      assert.equal((await client.send('', command)).body.errors?.[0]?.errorCode, 'FAILED_WRITE_REQUEST');
      await shows(ofData, ofOps);

      limitFiles(server, 'unlimited');
      await shows(ofData);
      await client.mustSend('', command);
      await shows();
      assert.deepEqual(await key('DELETE'), [200, 'null']);
    } finally {
      client.close();
      await server.stop();
    }
  });
});

describe('the operations service on a full disk', { skip: !canLimit && 'prlimit is not there' }, () => {
  it('continues to evaluate, notify and show, refuses changes, and stores later what waited', async () => {
    const dataDir = makeTemporaryDirectory();
    const receiver = await startReceiver();
    const server = await startServer({ dataDir, args });
    try {
      const operator = new Operator(server.opsUrl);
      assert.equal(await operator.login('p'), 200);
      const channel = { type: 'webhook', url: receiver.url };
      assert.equal((await operator.send('/local/notification-channels', channel)).status, 201);
      // It holds for six seconds before it fires, and by then the disk is full.
      const rule = { type: 'rolling-avg', metric: 'os-load', threshold: -1, duration: 0.1 };
      assert.equal((await operator.send('/local/alert-rules', rule)).status, 201);
      limitFiles(server, 1);
      assert.deepEqual(receiver.notices, []);

      assert.equal(await operator.login('wrong'), 401);
      assert.equal(await operator.login('p'), 200);
      assert.deepEqual((await operator.actions()).slice(0, 2), [1060, 1061]);
      assert.deepEqual(await operator.problems(), ['the file of the operations service cannot be written']);
      const refused = await operator.send('/cluster-configs', { cassandra: { seed_hosts: 'x' } });
      assert.equal(refused.status, 503);
      assert.equal(Object(refused.body).type, 'Unavailable');
      await until(() => receiver.notices.some(({ status }) => status === 'firing'));
      const fired = await operator.send('/local/alerts/fired');
      assert.equal(Object(fired.body).length, 1);
      const whileFull = await operator.actions();
      assert.equal(whileFull[0], 1000);
      const { id } = Object((await operator.send('/local/alerts')).body)[0];
      assert.equal((await operator.send(`/local/alerts/${id}/ack`, '')).status, 503);
      const metrics = await (await fetch(`${server.opsUrl}/metrics`)).text();
      assert.match(metrics, /^colonnade_ops_waiting_recordings [1-9]/m);
      assert.match(metrics, /^colonnade_ops_lost_recordings_total\{kind="event"\} 0$/m);

      limitFiles(server, 'unlimited');
      await until(async () => (await operator.problems()) === undefined);
      server.signal('SIGKILL');
      await server.ended;
      const next = await startServer({ dataDir, args });
      try {
        const after = new Operator(next.opsUrl);
        assert.equal(await after.login('p'), 200);
        assert.deepEqual((await after.actions()).slice(-whileFull.length), whileFull);
        assert.equal(Object((await after.send('/local/alerts/fired')).body).length, 1);
      } finally {
        await next.stop();
      }
    } finally {
      server.signal('SIGKILL'); // a failed check must not leave it behind
      receiver.close();
    }
  });
});
