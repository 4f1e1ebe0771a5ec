// Checks replies that are written as time goes by, and TLS, over real sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type {
  HttpHandler,
  HttpReply,
  ReplyStream,
  StreamReply,
} from '../../src/foundation/http/http-handler.js';
import { type Listener, type ListenOptions, listen } from '../../src/foundation/http/server.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { makeCertificate } from '../make-certificate.js';

async function withServer(
  options: Partial<ListenOptions>,
  work: (listener: Listener) => Promise<void>,
): Promise<void> {
  const echo: HttpHandler = ({ query, remoteAddress }) => ({
    status: 200,
    contentType: 'text/plain',
    body: `${query} ${remoteAddress}`,
  });
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 60_000,
    answer: echo,
    logger: createLogger('silent'),
    closeTimeoutMs: 500,
    ...options,
  });
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
}

/** A handler that streams, and the streams that were asked for. */
function streaming(): { readonly answer: HttpHandler<StreamReply>; readonly streams: ReplyStream[] } {
  const streams: ReplyStream[] = [];
  return {
    streams,
    answer: () => ({
      status: 200,
      contentType: 'text/event-stream',
      maxBehindBytes: 100_000,
      start: (stream) => {
        streams.push(stream);
        stream.write('hello\n');
      },
    }),
  };
}

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, resolve).on('error', reject).end();
  });
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('a request', () => {
  it('brings its query as it was sent and the address it comes from, IPv4 in dotted form', async () => {
    await withServer({ host: '::' }, async ({ port }) => {
      const from = async (host: string, query: string) =>
        textOf(await open(`http://${host}:${port}/a${query}`));
      assert.equal(await from('127.0.0.1', '?a=%20b&c?'), 'a=%20b&c? 127.0.0.1');
      assert.equal(await from('127.0.0.1', ''), ' 127.0.0.1');
      assert.equal(await from('[::1]', '?'), ' ::1');
    });
  });

  it("with a body above the limit of the listener gets the listener's own refusal", async () => {
    const refusal: HttpReply = { status: 413, contentType: 'application/json', body: '{"too":"large"}' };
    await withServer({ bodyLimit: () => ({ maxBytes: 10, refusal }) }, async ({ url }) => {
      for (const headers of [{ 'content-length': '11' }, { 'transfer-encoding': 'chunked' }]) {
        const reply = await new Promise<IncomingMessage>((resolve, reject) => {
          const sent = httpRequest(url, { method: 'POST', headers }, resolve).on('error', reject);
          sent.end('12345678901');
        });
        assert.equal(reply.statusCode, 413);
        assert.equal(reply.headers['content-type'], 'application/json');
        assert.equal(await textOf(reply), '{"too":"large"}');
      }
    });
  });
});

describe('a streamed reply', () => {
  it('comes piece by piece, and reports when its reader leaves', async () => {
    const { answer, streams } = streaming();
    await withServer({ answer }, async ({ url }) => {
      const reply = await open(url);
      assert.equal(reply.headers['content-type'], 'text/event-stream');
      assert.equal(reply.headers['content-length'], undefined);
      reply.setEncoding('utf8');
      assert.deepEqual(await once(reply, 'data'), ['hello\n']);
      streams[0]?.write('again\n');
      assert.deepEqual(await once(reply, 'data'), ['again\n']);
      const left = new Promise<void>((resolve) => streams[0]?.onClose(resolve));
      reply.destroy();
      await left;
      streams[0]?.write('nobody reads this');
      streams[0]?.end();
    });
  });

  it('ends when the service ends it, and the connection stays usable', async () => {
    const { answer, streams } = streaming();
    await withServer({ answer }, async ({ url }) => {
      const reply = await open(url);
      streams[0]?.write('bye\n');
      streams[0]?.end();
      streams[0]?.write('too late\n');
      assert.equal(await textOf(reply), 'hello\nbye\n');
    });
  });

  it('is cut off when its reader leaves too much unread', async () => {
    const { answer, streams } = streaming();
    await withServer({ answer }, async ({ url, port }) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      await once(socket, 'data');
      socket.pause(); // reads no more
      let isOver = false;
      streams[0]?.onClose(() => {
        isOver = true;
      });
      const piece = 'x'.repeat(50_000);
      for (let count = 0; count < 2000 && !isOver; count += 1) {
        streams[0]?.write(piece);
        await new Promise(setImmediate);
      }
      assert.ok(isOver, '100 MB were written to a client that reads nothing');
      socket.destroy();
      const other = await open(url); // others are served on
      other.destroy();
    });
  });

  it('may begin with more than may be left unread, and continue while that is on its way', async () => {
    const { answer, streams } = streaming();
    await withServer({ answer }, async ({ url }) => {
      const reply = await open(url); // nothing is read yet
      const large = 'x'.repeat(20_000_000); // more than the system takes
      streams[0]?.write(large);
      for (let count = 0; count < 10; count += 1) {
        await new Promise(setImmediate);
        streams[0]?.write('y\n');
      }
      streams[0]?.end();
      assert.equal((await textOf(reply)).length, 'hello\n'.length + large.length + 20);
    });
  });

  it('is cut off when its reader leaves too much unread behind a large piece', async () => {
    const { answer, streams } = streaming();
    await withServer({ answer }, async ({ url }) => {
      const reply = await open(url); // nothing is read
      streams[0]?.write('x'.repeat(20_000_000));
      for (let count = 0; count < 4; count += 1) streams[0]?.write('y'.repeat(50_000));
      await assert.rejects(textOf(reply), /aborted/);
    });
  });

  it('whose work fails is closed and logged; the others continue', async () => {
    const fail = (what: string) => () => {
      throw new Error(`${what} failed`);
    };
    const starts: Readonly<Record<string, (stream: ReplyStream) => void>> = {
      '/start': fail('start'),
      '/drain': (stream) => {
        stream.onDrain(fail('drain'));
        stream.write('x'.repeat(90_000));
      },
      '/close': (stream) => {
        stream.onClose(fail('close'));
        stream.end();
      },
    };
    const { answer, streams } = streaming();
    const failing: HttpHandler<StreamReply> = async (request) => {
      const reply = await answer(request);
      return { ...reply, start: starts[request.path] ?? reply.start };
    };
    const lines: string[] = [];
    const logger = createLogger('error', { write: (line) => void lines.push(line) });
    await withServer({ answer: failing, logger }, async ({ url }) => {
      const good = await open(url);
      await once(good, 'data');
      await assert.rejects(textOf(await open(`${url}/start`)), /aborted/);
      await assert.rejects(textOf(await open(`${url}/drain`)), /aborted/);
      assert.equal(await textOf(await open(`${url}/close`)), '');
      streams[0]?.write('still here\n');
      assert.equal(String(await once(good, 'data')), 'still here\n');
      good.destroy();
    });
    const failures = lines.map((line) => JSON.parse(line)).map(({ path, err }) => `${path} ${err.message}`);
    assert.deepEqual(failures, ['/start start failed', '/drain drain failed', '/close close failed']);
  });

  it('has no body for HEAD, and ends when the listener closes', async () => {
    const { answer, streams } = streaming();
    await withServer({ answer }, async (listener) => {
      const head = await new Promise<IncomingMessage>((resolve) => {
        httpRequest(listener.url, { method: 'HEAD' }, resolve).end();
      });
      assert.equal(head.statusCode, 200);
      assert.equal(streams.length, 0);
      head.resume();
      const reply = await open(listener.url);
      const text = textOf(reply);
      await listener.close();
      assert.equal(await text, 'hello\n');
    });
  });
});

describe('TLS', () => {
  const first = makeCertificate('first.example');
  const second = makeCertificate('second.example');

  function get(url: string, ca: string, agent?: Agent): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { ca, servername: 'localhost', ...(agent === undefined ? {} : { agent }) };
      httpsRequest(url, options, (reply) => resolve(textOf(reply)))
        .on('error', reject)
        .end();
    });
  }

  async function nameOf(port: number): Promise<string> {
    const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  }

  it('is spoken with the certificate, and nothing else is', async () => {
    await withServer({ tls: first }, async ({ url, port }) => {
      assert.equal(url, `https://127.0.0.1:${port}`);
      const agent = new Agent({ keepAlive: false });
      assert.equal(await get(`${url}/?x`, first.cert, agent), 'x 127.0.0.1');
      await assert.rejects(get(url, second.cert, agent), /self-signed certificate/);
      await assert.rejects(open(`http://127.0.0.1:${port}`));
    });
  });

  it('takes a new certificate for new connections; one that cannot be used changes nothing', async () => {
    await withServer({ tls: first }, async (listener) => {
      assert.equal(await nameOf(listener.port), 'first.example');
      listener.renewTls(second);
      assert.equal(await nameOf(listener.port), 'second.example');
      assert.throws(() => listener.renewTls({ cert: first.cert, key: second.key }));
      assert.throws(() => listener.renewTls({ cert: 'nothing', key: second.key }));
      assert.equal(await nameOf(listener.port), 'second.example');
    });
  });

  it('offers forward secrecy only, also with a new certificate', async () => {
    const rsa = makeCertificate('rsa.example', 'rsa');
    const cipherOf = async (port: number, ciphers: string) => {
      const socket = connectTls({
        port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        maxVersion: 'TLSv1.2',
        ciphers,
      });
      await once(socket, 'secureConnect');
      const { name } = socket.getCipher();
      socket.destroy();
      return name;
    };
    await withServer({ tls: rsa }, async (listener) => {
      for (let round = 0; round < 2; round += 1) {
        const secret = 'ECDHE-RSA-AES256-GCM-SHA384';
        assert.equal(await cipherOf(listener.port, secret), secret);
        await assert.rejects(cipherOf(listener.port, 'AES256-GCM-SHA384'), /handshake failure/);
        listener.renewTls(rsa);
      }
    });
  });

  it('closes in time although a handshake was never finished, and counts connections', async () => {
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      requestTimeoutMs: 60_000,
      answer: () => ({ status: 200, contentType: 'text/plain', body: '' }),
      logger: createLogger('silent'),
      closeTimeoutMs: 200,
      tls: first,
    });
    const halfWay = connect(listener.port, '127.0.0.1');
    halfWay.on('error', () => {});
    halfWay.write(Buffer.from([22, 3, 1])); // the first bytes of a handshake
    await once(halfWay, 'connect');
    const agent = new Agent({ keepAlive: true });
    await get(listener.url, first.cert, agent);
    assert.equal(listener.connectionCount(), 2);
    await listener.close();
    while (listener.connectionCount() > 0) await new Promise(setImmediate); // the sockets report their end later
    agent.destroy();
  });
});
