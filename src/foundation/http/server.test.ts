// Checks the HTTP server over real sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createLogger } from '../telemetry/logger.js';
import type { HttpHandler } from './http-handler.js';
import { type Listener, ListenFailure, type ListenOptions, listen, maxBodyBytes } from './server.js';

const logger = createLogger('silent');
const echo: HttpHandler = (request) => ({
  status: 200,
  contentType: 'text/plain',
  body: `${request.method} ${request.path} ${request.body.toString()}`,
});

async function withServer(
  options: Partial<ListenOptions>,
  work: (listener: Listener) => Promise<void>,
): Promise<void> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 60_000,
    answer: echo,
    logger,
    closeTimeoutMs: 500,
    ...options,
  });
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
}

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer; agent?: Agent } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const request = httpRequest(url, { method: body === undefined ? 'GET' : 'POST', ...rest }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Writes raw bytes and returns everything that is received until the server closes. */
function sendRaw(listener: Listener, parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listener.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
    for (const part of parts) socket.write(part);
  });
}

/** Sends as `sendRaw` does, and closes the connection when a reply comes: the server waits for the rest of the body. */
async function firstReply(listener: Listener, head: string): Promise<string> {
  const socket = connect(listener.port, '127.0.0.1');
  const reply = once(socket, 'data');
  socket.write(head);
  const [piece] = await reply;
  socket.destroy();
  return String(piece);
}

describe('listen', () => {
  it('hands over method, path without query, headers and body', async () => {
    await withServer({}, async ({ url }) => {
      const reply = await send(`${url}/v1/a%20b?x=1`, { body: 'höllo' });
      assert.equal(reply.body.toString(), 'POST /v1/a%20b höllo');
      assert.equal(reply.headers['content-length'], String(reply.body.length));
      assert.equal(reply.headers['content-type'], 'text/plain');
    });
  });

  it('understands targets in absolute form and bodies in many chunks', async () => {
    await withServer({}, async (listener) => {
      const head =
        'POST http://x:1/v1?q HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
      const text = 'abcdefghij'.repeat(100);
      const parts = [head, ...[...text].map((letter) => `1\r\n${letter}\r\n`), '0\r\n\r\n'];
      const reply = await sendRaw(listener, parts);
      assert.ok(reply.endsWith(`POST /v1 ${text}`), reply);
    });
  });

  it('keeps connections alive', async () => {
    await withServer({}, async (listener) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let round = 0; round < 3; round += 1) await send(listener.url, { agent, body: 'x' });
      assert.equal(listener.connectionCount(), 1);
      agent.destroy();
    });
  });

  it('takes no more connections than it may, and others as soon as one ends', async () => {
    await withServer({ maxConnections: 2 }, async ({ url, port }) => {
      const [first, second] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
      await Promise.all([once(first, 'connect'), once(second, 'connect')]);
      await assert.rejects(send(url), { code: 'ECONNRESET' });
      first.end('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n').resume();
      await once(first, 'close');
      assert.equal((await send(url)).status, 200);
      second.destroy();
    });
  });

  it('answers from the head before the body has come', async () => {
    const answerHead = () => ({ status: 403, contentType: 'text/plain', body: 'no' });
    await withServer({ answerHead }, async (listener) => {
      const reply = await new Promise<string>((resolve) => {
        const socket = connect(listener.port, '127.0.0.1');
        socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nabc');
        socket.once('data', (data) => {
          resolve(data.toString());
          socket.destroy();
        });
      });
      assert.match(reply, /^HTTP\/1\.1 403 /);
    });
  });

  it('waits for an answer from the head before it takes the body', async () => {
    const waiting = new Map<
      string,
      (reply: { status: number; contentType: string; body: string } | undefined) => void
    >();
    const answerHead = ({ path }: { readonly path: string }) =>
      new Promise<{ status: number; contentType: string; body: string } | undefined>((resolve) => {
        waiting.set(path, resolve);
      });
    const answer: HttpHandler = ({ body }) => ({
      status: 200,
      contentType: 'text/plain',
      body: `${body.length} bytes`,
    });
    await withServer({ answerHead, answer }, async (listener) => {
      const body = 'x'.repeat(1_000_000);
      const post = (path: string) => fetch(`${listener.url}${path}`, { method: 'POST', body });
      const replies = [post('/yes'), post('/no')];
      while (waiting.size < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      waiting.get('/yes')?.(undefined);
      waiting.get('/no')?.({ status: 401, contentType: 'text/plain', body: 'no' });
      const [yes, no] = await Promise.all(replies);
      assert.deepEqual([yes?.status, await yes?.text()], [200, '1000000 bytes']);
      assert.equal(no?.status, 401);
    });
  });

  it('forgets a request whose client leaves while its head is looked at', async () => {
    let admit: ((reply: undefined) => void) | undefined;
    const answerHead = () =>
      new Promise<undefined>((resolve) => {
        admit = resolve;
      });
    let answered = 0;
    const answer: HttpHandler = () => {
      answered += 1;
      return { status: 200, contentType: 'text/plain', body: '' };
    };
    await withServer({ answerHead, answer }, async (listener) => {
      const socket = connect(listener.port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      while (admit === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
      while (listener.connectionCount() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      admit(undefined);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(answered, 0);
    });
  });

  it('cuts off a sender whose body does not end although it was refused', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const answerHead = () => ({ status: 403, contentType: 'text/plain', body: 'no' });
    const limit = { maxBytes: 1000, refusal: { status: 413, contentType: 'text/plain', body: '' } };
    const bodyLimit = () => limit;
    await withServer({ answerHead, bodyLimit }, async (listener) => {
      const socket = connect(listener.port, '127.0.0.1');
      socket.on('error', () => {}); // it is cut off while it sends
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
      const sending = setInterval(() => socket.write(`1f4\r\n${'x'.repeat(500)}\r\n`), 20);
      const [reply] = await once(socket, 'data');
      assert.match(String(reply), /^HTTP\/1\.1 403 /);
      assert.equal(listener.connectionCount(), 1);
      test.mock.timers.tick(5000);
      await once(socket, 'close');
      clearInterval(sending);
    });
  });

  it('takes bodies of 20 MB and refuses one byte more, declared or not', async () => {
    const answer: HttpHandler = ({ body }) => ({
      status: 200,
      contentType: 'text/plain',
      body: String(body.length),
    });
    await withServer({ answer }, async ({ url }) => {
      const largest = Buffer.alloc(maxBodyBytes, 'a');
      const tooLarge = Buffer.alloc(maxBodyBytes + 1, 'a');
      const chunked = { 'transfer-encoding': 'chunked' };
      assert.equal((await send(url, { body: largest })).body.toString(), String(maxBodyBytes));
      assert.equal((await send(url, { body: largest, headers: chunked })).status, 200);
      for (const headers of [{}, chunked, { expect: '100-continue' }]) {
        const refused = await send(url, { body: tooLarge, headers });
        assert.equal(refused.status, 413);
        assert.equal(refused.headers.connection, 'close');
        assert.match(refused.body.toString(), /larger than 20971520 bytes/);
      }
    });
  });

  it('answers Expect: 100-continue, or refuses at once', async () => {
    await withServer({}, async (listener) => {
      const head = (length: number) =>
        `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
      assert.match(
        await sendRaw(listener, [head(1), 'x']),
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
      );
      assert.match(await firstReply(listener, head(maxBodyBytes + 1)), /^HTTP\/1\.1 413 /);
    });
  });

  it('compresses large replies as the client likes, and small ones never', async () => {
    const large = 'row '.repeat(10_000);
    const answer: HttpHandler = ({ path }) => ({
      status: 200,
      contentType: 'text/plain',
      body: path === '/large' ? large : 'small',
    });
    await withServer({ answer }, async ({ url }) => {
      const get = (path: string, accept: string) =>
        send(url + path, { headers: { 'accept-encoding': accept } });
      const gzipped = await get('/large', 'gzip, deflate');
      assert.equal(gzipped.headers['content-encoding'], 'gzip');
      assert.equal(gzipped.headers.vary, 'accept-encoding');
      assert.equal(gunzipSync(gzipped.body).toString(), large);
      for (const accept of ['br', 'gzip, deflate, br']) {
        const brotli = await get('/large', accept);
        assert.equal(brotli.headers['content-encoding'], 'br', accept);
        assert.equal(brotliDecompressSync(brotli.body).toString(), large);
      }
      assert.equal((await get('/large', 'br;q=0.5, gzip')).headers['content-encoding'], 'gzip');
      for (const accept of ['identity', 'gzip;q=0', 'deflate']) {
        const plain = await get('/large', accept);
        assert.equal(plain.headers['content-encoding'], undefined, accept);
        assert.equal(plain.body.toString(), large);
      }
      assert.equal((await get('/small', 'gzip')).headers['content-encoding'], undefined);
    });
  });

  it('answers 500 without details when a handler throws or rejects, and continues', async () => {
    const answer: HttpHandler = ({ path }) => {
      if (path === '/throws') throw new Error('SECRET');
      if (path === '/rejects') return Promise.reject(new Error('SECRET'));
      return { status: 200, contentType: 'text/plain', body: 'fine' };
    };
    await withServer({ answer }, async ({ url }) => {
      for (const path of ['/throws', '/rejects']) {
        const failed = await send(url + path);
        assert.equal(failed.status, 500);
        assert.doesNotMatch(failed.body.toString(), /SECRET/);
      }
      assert.equal((await send(`${url}/fine`)).status, 200);
    });
  });

  it('answers bytes that are not HTTP with 400 and headers that are too long with 431', async () => {
    await withServer({}, async (listener) => {
      assert.match(await sendRaw(listener, ['what?\r\n\r\n']), /^HTTP\/1\.1 400 /);
      const long = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`;
      assert.match(await sendRaw(listener, [long]), /^HTTP\/1\.1 431 /);
      assert.equal((await send(listener.url)).status, 200);
    });
  });

  it('cuts off a client that takes too long to send its request', async () => {
    await withServer({ requestTimeoutMs: 300 }, async (listener) => {
      const slow = await sendRaw(listener, ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc']);
      assert.match(slow, /^HTTP\/1\.1 408 /);
    });
  });

  it('never asks the handler about a request whose client disconnected before its end', async () => {
    const asked: string[] = [];
    const answer: HttpHandler = (request) => {
      asked.push(request.path);
      return echo(request);
    };
    await withServer({ answer }, async (listener) => {
      for (const framing of [
        'content-length: 1000\r\n\r\nabc',
        'transfer-encoding: chunked\r\n\r\n3\r\nabc',
      ]) {
        const socket = connect(listener.port, '127.0.0.1');
        socket.write(`POST /gone HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${framing}`);
        await once(socket, 'data'); // the server has begun with it
        socket.resetAndDestroy();
      }
      await send(`${listener.url}/after`);
      assert.deepEqual(asked, ['/after']);
    });
  });

  it('finishes running requests before it closes, and says that it closes', async () => {
    let finish = () => {};
    let started = () => {};
    const hasStarted = new Promise<void>((resolve) => {
      started = resolve;
    });
    const answer: HttpHandler = () =>
      new Promise((resolve) => {
        finish = () => resolve({ status: 200, contentType: 'text/plain', body: 'done' });
        started();
      });
    await withServer({ answer, closeTimeoutMs: 60_000 }, async (listener) => {
      const agent = new Agent({ keepAlive: true });
      const silent = connect(listener.port, '127.0.0.1'); // waiting for it would delay the close
      silent.on('error', () => {});
      const running = send(listener.url, { agent });
      await hasStarted;
      const closed = listener.close();
      finish();
      const reply = await running;
      assert.equal(reply.body.toString(), 'done');
      assert.equal(reply.headers.connection, 'close');
      await closed;
      await assert.rejects(send(listener.url));
      agent.destroy();
    });
  });

  it('does not wait for clients that have sent half of a request', async () => {
    await withServer({ closeTimeoutMs: 2 ** 30 }, async (listener) => {
      for (const half of [
        'POST / HTTP/1.1\r\nHos',
        'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nx',
      ]) {
        const client = connect(listener.port, '127.0.0.1');
        client.on('error', () => {});
        await once(client, 'connect');
        client.write(half);
      }
      // Both have arrived when a later request is answered.
      await send(listener.url);
      await listener.close();
    });
  });

  it('cuts requests that do not finish in time', async () => {
    let started = () => {};
    const hasStarted = new Promise<void>((resolve) => {
      started = resolve;
    });
    const answer: HttpHandler = () => {
      started();
      return new Promise(() => {});
    };
    await withServer({ answer, closeTimeoutMs: 50 }, async (listener) => {
      const running = assert.rejects(send(listener.url));
      await hasStarted;
      await listener.close();
      await running;
    });
  });

  it('says clearly that a port is in use', async () => {
    await withServer({}, async ({ port }) => {
      await assert.rejects(
        listen({ host: '127.0.0.1', port, requestTimeoutMs: 1000, answer: echo, logger }),
        (error) =>
          error instanceof ListenFailure && /127\.0\.0\.1:\d+: the port is in use/.test(error.message),
      );
    });
  });

  it('writes IPv6 addresses of its URL in brackets', async (context) => {
    if (
      !Object.values(networkInterfaces()).some((addresses) =>
        addresses?.some(({ address }) => address === '::1'),
      )
    ) {
      context.skip('this machine has no IPv6 loopback');
      return;
    }
    await withServer({ host: '::1' }, async ({ url, port }) => {
      assert.equal(url, `http://[::1]:${port}`);
      assert.equal((await send(url)).status, 200);
    });
  });
});
