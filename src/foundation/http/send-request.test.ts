// Checks outgoing requests against real servers on this machine.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createAddressPolicy } from './address-policy.js';
import { createSendRequest, type OutgoingRequest, SendFailure, type SendRequest } from './send-request.js';

const closers: (() => void)[] = [];
after(() => {
  for (const close of closers) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  closers.push(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveRaw(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const send = createSendRequest(createAddressPolicy({ deny: ['127.0.0.9', '::1'], allow: [] }));

function request(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return { method: 'POST', url, headers: {}, body: 'hello', timeoutMs: 10_000, maxBodyBytes: 1000, ...more };
}

async function problemOf(sending: ReturnType<SendRequest>): Promise<string> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SendFailure, `rejects with a SendFailure, not ${error}`);
  assert.doesNotMatch(error.message, /secret/);
  return error.problem;
}

describe('an outgoing request', () => {
  it('sends method, headers and body and gives the whole reply', async () => {
    const url = await serve((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => {
        response.setHeader('x-seen', `${incoming.method} ${incoming.headers['x-mine']} ${incoming.url}`);
        response.statusCode = 202;
        response.end(Buffer.concat(chunks));
      });
    });
    const reply = await send(request(`${url}/a?b=c`, { headers: { 'x-mine': '1' } }));
    assert.equal(reply.status, 202);
    assert.equal(reply.header('x-seen'), 'POST 1 /a?b=c');
    assert.equal(reply.body.toString(), 'hello');
  });

  it('does not follow redirects', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked += 1;
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    });
    assert.equal((await send(request(url))).status, 302);
    assert.equal(asked, 1);
  });

  it('fails after its time limit, before and within the reply', async () => {
    const silent = await serve(() => {});
    assert.equal(await problemOf(send(request(`${silent}/secret`, { timeoutMs: 50 }))), 'timeout');
    const halting = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12');
    });
    assert.equal(await problemOf(send(request(halting, { timeoutMs: 200 }))), 'timeout');
    const cut = await send(request(halting, { timeoutMs: 200, takesCutBody: true }));
    assert.deepEqual([cut.status, cut.body.toString()], [200, '12']);
  });

  it('takes no more than its limit of bytes', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(1001)));
    assert.equal(await problemOf(send(request(url))), 'tooLarge');
    assert.equal((await send(request(url, { takesCutBody: true }))).status, 200);
    assert.equal((await send(request(url, { maxBodyBytes: 1001 }))).body.length, 1001);
  });

  it('reads compressed replies, counted after decompression', async () => {
    const url = await serve((incoming, response) => {
      const body = Buffer.alloc(Number(incoming.headers['x-size']));
      response.setHeader('content-encoding', 'gzip').end(gzipSync(body));
    });
    const sized = (size: number) => send(request(url, { headers: { 'x-size': String(size) } }));
    assert.equal((await sized(1000)).body.length, 1000);
    assert.equal(await problemOf(sized(1001)), 'tooLarge');
    const broken = await serve((_, response) =>
      response.setHeader('content-encoding', 'gzip').end('no gzip'),
    );
    assert.equal(await problemOf(send(request(broken))), 'unreachable');
  });

  it('can be cancelled', async () => {
    const silent = await serve(() => {});
    const abort = new AbortController();
    const sending = send(request(silent, { signal: abort.signal }));
    setTimeout(() => abort.abort(), 20);
    assert.equal(await problemOf(sending), 'aborted');
    assert.equal(await problemOf(send(request(silent, { signal: AbortSignal.abort() }))), 'aborted');
    const halting = await serve((_, response) => response.write('beginning'));
    assert.equal(await problemOf(send(request(halting, { signal: AbortSignal.timeout(100) }))), 'aborted');
  });

  it('says what went wrong on the way', async () => {
    const closed = await serveRaw((socket) => socket.destroy());
    assert.equal(await problemOf(send(request(`${closed}/secret`))), 'unreachable');
    const garbage = await serveRaw((socket) => socket.end('no http at all\r\n\r\n'));
    assert.equal(await problemOf(send(request(garbage))), 'unreachable');
    assert.equal(await problemOf(send(request('http://nothing.invalid/secret'))), 'unknownHost');
    assert.equal(await problemOf(send(request('http://127.0.0.1:1/secret'))), 'unreachable');
    assert.equal(await problemOf(send(request('ftp://127.0.0.1/secret'))), 'unreachable');
    assert.equal(await problemOf(send(request('secret'))), 'unreachable');
  });

  it('connects to no denied address, however it is written', async () => {
    for (const host of [
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '[::ffff:169.254.169.254]',
      '0.0.0.0',
      '[::]',
      '127.0.0.9',
    ]) {
      assert.equal(await problemOf(send(request(`http://${host}:1/`))), 'denied', host);
    }
  });

  it('checks the address that a name stands for, at the connection', async () => {
    const url = await serve((_, response) => response.end('reached'));
    const port = new URL(url).port;
    const denying = createSendRequest(createAddressPolicy({ deny: ['127.0.0.0/8', '::1'], allow: [] }));
    assert.equal(await problemOf(denying(request(`http://localhost:${port}/`))), 'denied');
    assert.equal((await send(request(`http://localhost:${port}/`))).body.toString(), 'reached');
  });
});
