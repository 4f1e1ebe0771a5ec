// The start-up contract, checked on real processes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../tidy/read-sources.js';
import {
  makeTemporaryDirectory,
  type RunningServer,
  runColonnade,
  startServer,
  withServer,
} from './start-server.js';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Unlike fetch, sends any header, Host and Origin among them. */
function send(
  url: string,
  options: {
    /** Sent as it is, in place of the URL's. */
    path?: string;
    headers?: Record<string, string>;
    body?: string | Buffer;
    agent?: Agent;
  } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', ...rest }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const statusOf = async (...args: Parameters<typeof send>) => (await send(...args)).status;

const json = { 'content-type': 'application/json' };
const ofPage = (origin: string) => ({ body: '{}', headers: { ...json, origin } });
const forOtherHost = { body: '{}', headers: { host: 'ops.example' } };

describe('the command line', () => {
  it('is understood when `npm start` runs its file again with its arguments, as Node 22.15 and later do', () => {
    const file = join(projectRoot, 'tools', 'start.mjs');
    const run = spawnSync(process.execPath, [file, 'serve', '--prot', '1'], { encoding: 'utf8' });
    assert.deepEqual(
      [run.status, run.stderr.match(/^ {2}- .*$/gm)],
      [2, ['  - --prot is not an option; did you mean --port?']],
    );
  });

  it('prints help and version', async () => {
    const help = await runColonnade(['--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Usage: colonnade COMMAND/);
    const serveHelp = await runColonnade(['serve', '--help']);
    assert.equal(serveHelp.code, 0);
    assert.match(serveHelp.stdout, /--data-dir DIR/);
    const version = await runColonnade(['--version']);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('exits 2 with a hint when the command is unknown or missing', async () => {
    const unknown = await runColonnade(['sreve']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /"sreve" is not a command.*colonnade --help/);
    assert.equal((await runColonnade([])).code, 2);
  });

  it('reports all problems of a configuration in one message and exits 2', async () => {
    const file = join(makeTemporaryDirectory(), 'c.json');
    writeFileSync(file, '{"wrong": 1, "logLevel": "loud"}');
    const run = await runColonnade(
      ['serve', '--port', 'x', '--nope', '1', '--host', '0.0.0.0', '--metrics-token=SE CRET', '--dialect'],
      { COLONNADE_CONFIG: file, COLONNADE_OPS_PORT: '-1', COLONNADE_NOPE: '' },
    );
    assert.equal(run.code, 2);
    assert.equal(run.stdout, '');
    for (const problem of [
      '--port is "x"; it must be an integer from 0 to 65535',
      '--nope is not an option',
      '--dialect needs a value; it must be one of',
      'COLONNADE_OPS_PORT is "-1"',
      'COLONNADE_NOPE is not an option',
      `"wrong" in ${file} is not an option`,
      `"logLevel" in ${file} is "loud"`,
      '--metrics-token must be visible ASCII',
      'there is no --token: set one that clients must send',
    ]) {
      assert.ok(run.stderr.includes(problem), `${problem} is not in:\n${run.stderr}`);
    }
    assert.doesNotMatch(run.stderr, /SE CRET/);
  });

  it('accepts a byte order mark in a config file, which some editors write', async () => {
    const file = join(makeTemporaryDirectory(), 'c.json');
    writeFileSync(file, '\uFEFF{"prot": 1}');
    const run = await runColonnade(['serve', '--config', file]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /"prot" in .*c\.json is not an option; did you mean "port"\?/);
  });

  it('refuses a config file that is not UTF-8: its paths would name other files', async () => {
    const file = join(makeTemporaryDirectory(), 'c.json');
    writeFileSync(file, Buffer.from('{"dataDir": "donn\u00e9es"}', 'latin1'));
    const run = await runColonnade(['serve', '--config', file]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /c\.json, which cannot be read: .*utf-8/i);
  });
});

describe('colonnade serve with its defaults', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer({ dataDir: join(makeTemporaryDirectory(), 'a', 'b') });
  });
  after(() => server.stop());

  it('prints one line per listener, ending with its URL, and is ready on both', async () => {
    const { url, opsUrl, pid, stdout } = server;
    assert.equal(
      stdout(),
      `Colonnade table data service on ${url}\nColonnade operations on ${opsUrl}\nColonnade console on ${opsUrl}/\n`,
    );
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    for (const base of [url, opsUrl]) {
      const ready = await send(`${base}/health/ready`);
      assert.equal(ready.status, 200);
      assert.equal(ready.body, JSON.stringify({ status: 'ready', pid }));
      assert.equal((await send(`${base}/health/live`)).body, JSON.stringify({ status: 'live', pid }));
    }
    const metrics = await send(`${opsUrl}/metrics`);
    assert.match(metrics.body, /^colonnade_data_http_replies_total\{status="200"\} 2$/m);
    for (const thread of ['data', 'operations']) {
      const value = `\\{thread="${thread}"\\} [0-9]`;
      assert.match(metrics.body, new RegExp(`^colonnade_event_loop_longest_turn_seconds${value}`, 'm'));
      assert.match(metrics.body, new RegExp(`^colonnade_event_loop_long_turns_total${value}`, 'm'));
    }
    assert.equal(await statusOf(`${opsUrl}/nothing`), 404);
  });

  it('makes a data directory that only its user can read', () => {
    assert.equal(statSync(server.dataDir).mode & 0o777, 0o700);
  });

  it('compresses large replies for clients that take them so', async () => {
    const { opsUrl } = server;
    const path = '/openapi.json';
    const plain = await send(opsUrl, { path });
    assert.equal(plain.status, 200);
    assert.equal(plain.headers['content-encoding'], undefined);
    const compressed = await send(opsUrl, { path, headers: { 'accept-encoding': 'gzip' } });
    assert.equal(compressed.headers['content-encoding'], 'gzip');
    assert.ok(Number(compressed.headers['content-length']) < plain.body.length / 2);
  });

  it('a `Host` header that names another host: refused on the data port without a token', async () => {
    assert.equal(await statusOf(`${server.url}/v1`, forOtherHost), 403);
  });

  it('a web page of another scheme, host or port: refused on the data port without a token', async () => {
    const path = `${server.url}/v1`;
    for (const origin of ['https://evil.example', 'http://127.0.0.1:3', 'http://localhost:3', 'null'])
      assert.equal(await statusOf(path, ofPage(origin)), 403, origin);
    for (const site of ['same-site', 'cross-site'])
      assert.equal(await statusOf(path, { body: '{}', headers: { ...json, 'sec-fetch-site': site } }), 403);
    assert.equal(await statusOf(path, ofPage(server.url)), 200);
    const proxied = { ...ofPage('http://localhost:3').headers, 'sec-fetch-site': 'same-origin' };
    assert.equal(await statusOf(path, { body: '{}', headers: proxied }), 200);
  });
});

describe('colonnade serve', () => {
  it('returns large blocks of memory, where Node can replace the program', {
    skip: process.platform !== 'linux' || !('execve' in process) ? 'this Node has no execve' : false,
  }, async () => {
    await withServer({}, async ({ pid, stop, ended }) => {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      assert.ok(environment.includes('MALLOC_MMAP_THRESHOLD_=131072'));
      await stop();
      assert.equal((await ended).code, 0);
    });
  });

  it('prefers option over environment over file over default', async () => {
    const file = join(makeTemporaryDirectory(), 'c.json');
    writeFileSync(file, '{"host": "127.0.0.2", "opsHost": "127.0.0.2", "log-level": "silent"}');
    await withServer(
      {
        args: ['--host', '127.0.0.4', '--config', file],
        environment: {
          COLONNADE_HOST: '127.0.0.3',
          COLONNADE_OPS_HOST: '127.0.0.3',
          COLONNADE_CONFIG: 'none',
        },
      },
      async ({ url, opsUrl, stderr }) => {
        assert.match(url, /127\.0\.0\.4/);
        assert.match(opsUrl, /127\.0\.0\.3/);
        assert.equal(stderr(), '');
      },
    );
  });

  it('serves another address with a token, and the operations port stays on loopback', async () => {
    await withServer(
      { args: ['--host', '0.0.0.0', '--token', 'SECRET', '--log-level', 'trace'] },
      async (server) => {
        assert.match(server.url, /^http:\/\/0\.0\.0\.0:/);
        assert.match(server.opsUrl, /^http:\/\/127\.0\.0\.1:/);
        assert.equal(await statusOf(`${server.url}/health/ready`), 200);
        assert.doesNotMatch(server.stdout() + server.stderr(), /SECRET/);
      },
    );
    const opsInPublic = await runColonnade(['serve', '--ops-host', '0.0.0.0', '--token', 'SECRET']);
    assert.equal(opsInPublic.code, 2);
    assert.match(opsInPublic.stderr, /--ops-host is "0\.0\.0\.0"/);
  });

  it('asks for its token, and neither for the host nor for the page of a request', async () => {
    await withServer({ args: ['--token', 't'] }, async ({ url }) => {
      for (const sent of [forOtherHost, ofPage('https://evil.example')])
        assert.equal(await statusOf(`${url}/v1`, sent), 401);
    });
  });

  it('refuses a data directory that another process uses, and takes it after kill -9', async () => {
    const dataDir = makeTemporaryDirectory();
    const first = await startServer({ dataDir });
    const second = await runColonnade(['serve', '--data-dir', dataDir, '--port=0', '--ops-port=0']);
    assert.equal(second.code, 1);
    assert.ok(
      second.stderr.includes(`the data directory ${dataDir} is in use by another process`),
      second.stderr,
    );
    first.signal('SIGKILL');
    assert.equal((await first.ended).signal, 'SIGKILL');
    await withServer({ dataDir }, async ({ url }) =>
      assert.equal(await statusOf(`${url}/health/ready`), 200),
    );
    await withServer({ dataDir }, async ({ url }) =>
      assert.equal(await statusOf(`${url}/health/ready`), 200),
    );
  });

  it('says which port is in use and exits 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    assert.ok(typeof address === 'object' && address !== null);
    for (const args of [
      [`--port=${address.port}`, '--ops-port=0'],
      [`--ops-port=${address.port}`, '--port=0'],
    ]) {
      const run = await runColonnade(['serve', '--data-dir', makeTemporaryDirectory(), ...args]);
      assert.equal(run.code, 1);
      assert.ok(
        run.stderr.includes(`cannot listen on 127.0.0.1:${address.port}: the port is in use`),
        run.stderr,
      );
    }
    taken.close();
  });

  it('takes allowed hosts on both ports, and refuses foreign ones and origins on the operations port', async () => {
    await withServer({ args: ['--allowed-hosts', 'ops.example'] }, async ({ url: dataUrl, opsUrl }) => {
      assert.equal(await statusOf(`${dataUrl}/v1`, forOtherHost), 200);
      const url = `${opsUrl}/health/ready`;
      assert.equal(await statusOf(url, { headers: { host: 'localhost' } }), 200);
      assert.equal(
        await statusOf(url, { headers: { host: 'ops.example:443', origin: 'https://ops.example' } }),
        200,
      );
      for (const headers of [
        { host: 'evil.example' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const refused = await send(url, { headers });
        assert.equal(refused.status, 403, JSON.stringify(headers));
        assert.match(refused.body, /^\{"type":"Foreign/);
        assert.equal(refused.headers['access-control-allow-origin'], undefined);
      }
    });
  });

  it('keeps connections alive and takes bodies of 20 MB, not more', async () => {
    await withServer({}, async ({ url, opsUrl }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let round = 0; round < 5; round += 1) {
        const reply = await send(`${url}/health/live`, { agent });
        assert.equal(reply.headers.connection, 'keep-alive');
      }
      assert.match((await send(`${opsUrl}/metrics`)).body, /^colonnade_http_connections 2$/m);
      agent.destroy();
      const limit = 20 * 1024 * 1024;
      assert.notEqual(await statusOf(`${url}/v1`, { body: Buffer.alloc(limit, ' ') }), 413);
      assert.equal(await statusOf(`${url}/v1`, { body: Buffer.alloc(limit + 1, ' ') }), 413);
    });
  });
});

describe('SIGTERM', () => {
  it('ends an idle server with exit code 0, connections or not', async () => {
    const server = await startServer();
    const agent = new Agent({ keepAlive: true });
    await send(`${server.url}/health/live`, { agent });
    const silent = connect(Number(new URL(server.url).port), '127.0.0.1');
    silent.on('error', () => {});
    await once(silent, 'connect');
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    agent.destroy();
    await assert.rejects(send(`${server.url}/health/live`));
  });

  it('lets a request under way finish, and refuses new connections meanwhile', async () => {
    const server = await startServer();
    const port = Number(new URL(server.url).port);
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += data.toString();
    });
    const closed = once(socket, 'close');
    socket.write(
      'POST /v1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n{',
    );
    while (!received.includes('100 Continue')) await sleep(5); // the server has begun with it
    server.signal('SIGTERM');
    while (!server.stderr().includes('"stopping"')) await sleep(5);
    await assert.rejects(send(`${server.url}/health/live`));
    socket.write('   ');
    await closed;
    assert.match(received, /HTTP\/1\.1 [24]\d\d [\s\S]*connection: close/i);
    assert.doesNotMatch(received, / 408 /);
    assert.equal((await server.ended).code, 0);
  });

  it('with --drain-seconds, requests are answered and connections closed until that time is over', async () => {
    const server = await startServer({ args: ['--drain-seconds', '2'] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ready = `${server.url}/health/ready`;
    assert.equal((await send(ready, { agent })).headers.connection, 'keep-alive');
    server.signal('SIGTERM');
    while (!server.stderr().includes('"stopping"')) await sleep(5);
    const stopping = await send(ready, { agent });
    assert.deepEqual([stopping.status, stopping.headers.connection], [503, 'close']);
    assert.equal(stopping.body, JSON.stringify({ status: 'stopping', pid: server.pid }));
    assert.equal(await statusOf(`${server.opsUrl}/health/ready`), 503);
    const command = { body: '{"findKeyspaces":{}}', headers: { 'content-type': 'application/json' } };
    const answered = await send(`${server.url}/v1`, command);
    assert.deepEqual([answered.status, answered.headers.connection], [200, 'close']);
    assert.equal((await server.ended).code, 0);
    await assert.rejects(send(ready));
  });

  it('given twice ends the process at once, not with 0', async () => {
    const server = await startServer();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      'POST /v1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n{',
    );
    await once(socket, 'data');
    server.signal('SIGTERM');
    while (!server.stderr().includes('"stopping"')) await sleep(5);
    server.signal('SIGTERM');
    assert.deepEqual(await server.ended, { code: 1, signal: null });
    socket.destroy();
  });

  it('has a twin in SIGINT', async () => {
    const server = await startServer();
    server.signal('SIGINT');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });
});
