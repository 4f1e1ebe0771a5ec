// The operations service in real processes: logins, TLS, streams, restarts, and the end of its thread.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCertificate, type TestCertificate } from '../make-certificate.js';
import {
  colonnadePath,
  makeTemporaryDirectory,
  runColonnade,
  startServer,
  withServer,
} from './start-server.js';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The certificate to trust. */
  readonly ca?: string;
}

function send(url: string, { method, headers, body, ca }: Sending = {}): Promise<Reply> {
  const options = { method: method ?? (body === undefined ? 'GET' : 'POST'), ...(headers && { headers }) };
  return new Promise((resolve, reject) => {
    const sent =
      ca === undefined
        ? request(url, options)
        : requestTls(url, { ...options, ca, servername: 'localhost', agent: false });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The messages of all events, oldest first. */
async function messagesOf(opsUrl: string, sending: Sending = {}): Promise<string[]> {
  const { text } = await send(`${opsUrl}/local/events?count=10000`, sending);
  return JSON.parse(text)
    .map(({ message }: { message: string }) => message)
    .reverse();
}

function hashOf(password: string): Promise<string> {
  const child = spawn(process.execPath, [colonnadePath, 'hash-password'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(`${password}\n`);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  return new Promise((resolve) => child.once('close', () => resolve(out.trim())));
}

describe('the event log', () => {
  it('has the starts and stops of the service and every schema change, over restarts and kill -9', async () => {
    const dataDir = makeTemporaryDirectory();
    const createTable = {
      createTable: { name: 't', definition: { columns: { a: 'text' }, primaryKey: 'a' } },
    };
    await withServer({ dataDir }, async ({ url, opsUrl }) => {
      for (const [path, body] of [
        ['/v1', { createKeyspace: { name: 'ks' } }],
        ['/v1', { createKeyspace: { name: 'ks' } }], // changes nothing
        ['/v1/ks', createTable],
        ['/v1/ks', createTable], // refused
        ['/v1/ks/t', { alterTable: { operation: { add: { columns: { b: 'int' } } } } }],
        ['/v1/ks', { dropTable: { name: 't' } }],
      ] as const) {
        await send(url + path, { headers: { 'content-type': 'application/json' }, body });
      }
      const version = (await messagesOf(opsUrl))[0];
      assert.match(version ?? '', /^Colonnade \S+ started$/);
    });
    const killed = await startServer({ dataDir });
    await send(`${killed.opsUrl}/cluster-configs`, { body: { id: 'a', cassandra: { seed_hosts: 'x' } } });
    killed.signal('SIGKILL');
    await killed.ended;
    await withServer({ dataDir }, async ({ opsUrl }) => {
      const messages = await messagesOf(opsUrl);
      const [started] = messages;
      assert.deepEqual(messages, [
        started,
        'created the keyspace ks',
        'created the table ks.t',
        'added the column b to the table ks.t',
        'dropped the table ks.t',
        started?.replace('started', 'stopped'),
        started,
        started,
      ]);
      const { text } = await send(`${opsUrl}/a/events`);
      assert.equal(JSON.parse(text)[0].message, 'the cluster a was added');
    });
  });

  it('lies in --ops-dir, which one process at a time can use', async () => {
    const opsDir = makeTemporaryDirectory();
    await withServer({ args: ['--ops-dir', opsDir] }, async () => {
      const dataDir = makeTemporaryDirectory();
      const args = ['serve', '--data-dir', dataDir, '--ops-dir', opsDir, '--port=0', '--ops-port=0'];
      const second = await runColonnade(args);
      assert.equal(second.code, 1);
      assert.match(second.stderr, /the operations directory \S+ is in use by another process.*--ops-dir/);
    });
  });
});

describe('users', () => {
  it('log in with a hash that the command line made; sessions survive a restart', async () => {
    const dataDir = makeTemporaryDirectory();
    const config = join(makeTemporaryDirectory(), 'c.json');
    const users = [{ name: 'ada', role: 'operator', password_hash: await hashOf('right horse') }];
    writeFileSync(config, JSON.stringify({ ops: { users } }));
    const options = { dataDir, args: ['--config', config, '--log-level', 'debug'] };
    let session = '';
    await withServer(options, async (server) => {
      const { opsUrl } = server;
      assert.equal((await send(`${opsUrl}/local/events`)).status, 401);
      const body = { username: 'ada', password: 'right horse' };
      const reply = await send(`${opsUrl}/login`, { body });
      session = JSON.parse(reply.text).sessionid;
      const written = server.stdout() + server.stderr();
      assert.ok(
        !written.includes(session) && !written.includes('right horse') && !written.includes('scrypt'),
      );
    });
    await withServer(options, async ({ opsUrl }) => {
      const headers = { cookie: `opscenter-session=${session}` };
      assert.equal((await send(`${opsUrl}/local/events`, { headers })).status, 200);
      await send(`${opsUrl}/logout`, { method: 'POST', headers });
      assert.equal((await send(`${opsUrl}/local/events`, { headers })).status, 401);
    });
  });

  it('are read again on SIGHUP: another role ends the session, a broken file changes nothing', async () => {
    const config = join(makeTemporaryDirectory(), 'c.json');
    const user = { name: 'ada', role: 'viewer', password_hash: await hashOf('right horse') };
    const writeUsers = (users: readonly object[]) =>
      writeFileSync(config, JSON.stringify({ ops: { users } }));
    writeUsers([user]);
    await withServer({ args: ['--config', config] }, async (server) => {
      const body = { username: 'ada', password: 'right horse' };
      const login = async () => JSON.parse((await send(`${server.opsUrl}/login`, { body })).text).sessionid;
      const headers = { 'opscenter-session': await login() };
      const status = async () => (await send(`${server.opsUrl}/local/events`, { headers })).status;
      writeFileSync(config, 'broken');
      server.signal('SIGHUP');
      while (!server.stderr().includes('the users could not be read again')) await sleep(10);
      assert.match(server.stderr(), /"problems":\["[^"]*c\.json/);
      assert.equal(await status(), 200);
      writeUsers([{ ...user, role: 'operator' }]);
      server.signal('SIGHUP');
      while (!server.stderr().includes('the users were read again')) await sleep(10);
      assert.equal(await status(), 401);
      const operator = { 'opscenter-session': await login() };
      const silence = { matchers: { node: 'x' }, end: 4_000_000_000 };
      const sent = await send(`${server.opsUrl}/local/silences`, { headers: operator, body: silence });
      assert.equal(sent.status, 201, sent.text);
      assert.doesNotMatch(server.stderr(), /scrypt/);
    });
  });

  it('are still wanted when SIGHUP reads a file that is made for another address or start user', async () => {
    const config = join(makeTemporaryDirectory(), 'c.json');
    const write = (ops: object) => writeFileSync(config, JSON.stringify({ ops }));
    const user = { name: 'ada', role: 'operator', password_hash: await hashOf('right horse') };
    write({ host: '0.0.0.0', users: [user] });
    await withServer({ args: ['--config', config] }, async (server) => {
      const url = `http://127.0.0.1:${new URL(server.opsUrl).port}`;
      const loginStatus = async (username: string, password: string) =>
        (await send(`${url}/login`, { body: { username, password } })).status;
      write({ host: '127.0.0.1' });
      server.signal('SIGHUP');
      while (!/the users (were|could not be) read again/.test(server.stderr())) await sleep(10);
      assert.match(server.stderr(), /"level":"error".*"problems":\["the configuration has no users any more/);
      assert.doesNotMatch(server.stderr(), /"stack"/);
      assert.equal((await send(`${url}/local/events`)).status, 401);
      assert.equal(await loginStatus('ada', 'right horse'), 200);
      write({ host: '0.0.0.0', user: 'root', password: 'PASSWORD' });
      server.signal('SIGHUP');
      while (!server.stderr().includes('the users were read again')) await sleep(10);
      assert.equal((await send(`${url}/local/events`)).status, 401);
      assert.equal(await loginStatus('ada', 'right horse'), 401);
      assert.equal(await loginStatus('root', 'PASSWORD'), 200);
      assert.doesNotMatch(server.stderr(), /PASSWORD|scrypt/);
    });
  });

  it('are wanted where other machines reach the port, and TLS is asked for', async () => {
    const refused = await runColonnade(['serve', '--ops-host', '0.0.0.0']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /the operations port has no users/);
    const environment = { COLONNADE_OPS_USER: 'root', COLONNADE_OPS_PASSWORD: 'PASSWORD' };
    await withServer({ args: ['--ops-host', '0.0.0.0'], environment }, async (server) => {
      const { port } = new URL(server.opsUrl);
      assert.match(server.stderr(), /"level":"warn".*there is no TLS/);
      assert.doesNotMatch(server.stderr(), /PASSWORD/);
      const url = `http://127.0.0.1:${port}`;
      assert.equal((await send(`${url}/local/events`)).status, 401);
      const rebound = await send(`${url}/health/live`, { headers: { host: 'rebound.example' } });
      assert.equal(rebound.status, 403);
      const crossSite = { origin: 'https://evil.example', 'content-type': 'text/plain' };
      const body = { username: 'root', password: 'PASSWORD' };
      assert.equal((await send(`${url}/login`, { headers: crossSite, body })).status, 403);
      assert.equal((await send(`${url}/login`, { body })).status, 200);
    });
  });

  it('have no password on the command line of hash-password, none that is empty, none too long to log in', async () => {
    assert.equal((await runColonnade(['hash-password', 'right horse'])).code, 2);
    assert.equal((await runColonnade(['hash-password'])).code, 2);
    const long = await runColonnade(['hash-password'], {}, 'x'.repeat(1001));
    assert.match(long.stderr, /more than 1000 characters/);
    assert.match((await runColonnade(['hash-password'], {}, 'caf\ufffd')).stderr, /not UTF-8/);
    assert.equal(long.code, 2);
    assert.match((await runColonnade(['hash-password', '--jsn'])).stderr, /did you mean --json\?/);
    const { stdout } = await runColonnade(['hash-password', '--json'], {}, 'right horse\n');
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['ok', 'hash']);
  });
});

describe('TLS', () => {
  function writeFiles(directory: string, { cert, key }: TestCertificate): readonly string[] {
    writeFileSync(join(directory, 'cert.pem'), cert);
    writeFileSync(join(directory, 'key.pem'), key);
    return ['--tls-cert', join(directory, 'cert.pem'), '--tls-key', join(directory, 'key.pem')];
  }

  it('is spoken on both ports, and a new certificate is taken on SIGHUP without a pause', async () => {
    const directory = makeTemporaryDirectory();
    const [first, second] = [makeCertificate('first'), makeCertificate('second')];
    const args = [...writeFiles(directory, first), '--ops-user', 'root', '--ops-password', 'p'];
    await withServer({ args }, async (server) => {
      const urls = [server.url, server.opsUrl];
      const areServedWith = async ({ cert }: TestCertificate) => {
        for (const url of urls) {
          assert.match(url, /^https:/);
          const { text } = await send(`${url}/health/ready`, { ca: cert });
          assert.deepEqual(JSON.parse(text), { status: 'ready', pid: server.pid });
        }
      };
      await areServedWith(first);
      const login = { body: { username: 'root', password: 'p' }, ca: first.cert };
      const { headers } = await send(`${server.opsUrl}/login`, login);
      assert.match(String(headers['set-cookie']), /; Secure$/);
      await assert.rejects(send(server.url.replace('https', 'http')));

      for (const [text, problem] of [
        ['broken', 'no certificate as PEM'],
        ['', 'which is empty'], // a program that renews it has only opened it
      ] as const) {
        writeFileSync(join(directory, 'cert.pem'), text);
        server.signal('SIGHUP');
        while (!server.stderr().includes(problem)) await sleep(10);
        await areServedWith(first);
      }
      writeFiles(directory, second);
      server.signal('SIGHUP');
      while (!server.stderr().includes('the certificate was read again')) await sleep(10);
      await areServedWith(second);
    });
  });

  it('with files that cannot be used keeps the server from starting', async () => {
    const directory = makeTemporaryDirectory();
    const args = writeFiles(directory, { cert: makeCertificate('a').cert, key: makeCertificate('b').key });
    const run = await runColonnade([
      'serve',
      '--data-dir',
      join(directory, 'd'),
      '--port=0',
      '--ops-port=0',
      ...args,
    ]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /cert\.pem and \S+key\.pem cannot be used for TLS: /);
    const neither = await runColonnade(['serve', '--tls-cert=/no-cert', '--tls-key=/no-key']);
    assert.equal(neither.code, 2);
    assert.match(
      neither.stderr,
      /2 problems in the configuration:\n {2}- --tls-cert is "\/no-cert".*\n {2}- --tls-key is/,
    );
    const half = await runColonnade(['serve', ...args.slice(0, 2)]);
    assert.equal(half.code, 2);
  });
});

describe('a stream', () => {
  it('brings events as they happen, and ends in order when the server stops', async () => {
    const server = await startServer();
    let text = '';
    const ended = new Promise<void>((resolve) => {
      request(`${server.opsUrl}/local/events/stream`, (response) => {
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', resolve);
      }).end();
    });
    while (!text.includes('retry')) await sleep(5);
    await send(`${server.url}/v1`, {
      headers: { 'content-type': 'application/json' },
      body: { createKeyspace: { name: 'ks' } },
    });
    while (!text.includes('created the keyspace ks')) await sleep(5);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    await ended;
    assert.match(text, /^id: \d{16}\ndata: \{"action":1040,/m);
  });
});
