// Checks requests to other servers over real sockets.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type OutgoingRequest, SendFailure, sendRequest } from './send-request.js';

async function withServer(answer: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  try {
    await work(`http://127.0.0.1:${port}/a?b=c`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function request(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return { method: 'POST', url, headers: {}, body: 'ö', timeoutMs: 20_000, maxBodyBytes: 1000, ...more };
}

async function failure(asked: OutgoingRequest): Promise<SendFailure> {
  const error = await sendRequest(asked).then(
    () => new Error('there was a reply'),
    (caught: unknown) => caught,
  );
  if (error instanceof SendFailure) return error;
  throw error;
}

describe('sendRequest', () => {
  it('sends method, path, headers and body, and gives status, headers and body of any reply', async () => {
    const answer: RequestListener = async (incoming, response) => {
      const chunks: string[] = [];
      for await (const chunk of incoming.setEncoding('utf8')) chunks.push(String(chunk));
      response.writeHead(418, { 'x-kind': 'teapot' });
      response.end(`${incoming.method} ${incoming.url} ${incoming.headers['x-one']} ${chunks.join('')}`);
    };
    await withServer(answer, async (url) => {
      const reply = await sendRequest(request(url, { headers: { 'x-one': '1' } }));
      assert.deepEqual(
        [reply.status, reply.header('x-kind'), reply.header('x-other'), reply.body.toString()],
        [418, 'teapot', undefined, 'POST /a?b=c 1 ö'],
      );
    });
  });

  it('takes a redirect for a reply', async () => {
    const answer: RequestListener = (_, response) => response.writeHead(302, { location: '/x' }).end();
    await withServer(answer, async (url) => {
      const reply = await sendRequest(request(url));
      assert.deepEqual([reply.status, reply.header('location')], [302, '/x']);
    });
  });

  it('reads a reply up to its limit, counted after decompression', async () => {
    const answer: RequestListener = (incoming, response) => {
      const body = Buffer.alloc(Number(incoming.headers['x-size']));
      response.setHeader('content-encoding', 'gzip').end(gzipSync(body));
    };
    await withServer(answer, async (url) => {
      const sized = (size: number) => request(url, { headers: { 'x-size': String(size) } });
      assert.equal((await sendRequest(sized(1000))).body.length, 1000);
      assert.equal((await failure(sized(1001))).problem, 'tooLarge');
    });
  });

  it('gives up after the time limit, before and in the middle of the reply, and when it is told to', async () => {
    const silent: RequestListener = () => {};
    const halting: RequestListener = (_, response) => response.write('beginning');
    for (const answer of [silent, halting]) {
      await withServer(answer, async (url) => {
        assert.equal((await failure(request(url, { timeoutMs: 30 }))).problem, 'timeout');
        const ending = new AbortController();
        const given = failure(request(url, { signal: ending.signal }));
        setTimeout(() => ending.abort(), 20);
        assert.equal((await given).problem, 'aborted');
      });
    }
  });

  it('tells a connection that is refused or cut', async () => {
    await withServer(
      (_, response) => response.destroy(),
      async (url) => {
        assert.equal((await failure(request(url))).problem, 'unreachable');
      },
    );
    let closed = '';
    await withServer(
      () => {},
      async (url) => {
        closed = url;
      },
    );
    const refused = await failure(request(closed));
    assert.equal(refused.problem, 'unreachable');
    assert.match(refused.message, /ECONNREFUSED/);
  });
});
