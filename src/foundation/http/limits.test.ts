// Bytes that clients send and do not read take a bounded amount of memory.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../telemetry/logger.js';
import type { HttpHandler, HttpReply } from './http-handler.js';
import { type Listener, type ListenOptions, listen } from './server.js';

const mib = 1024 * 1024;
/** More than the system buffers for a client that does not read. */
const large = Buffer.alloc(16 * mib, 'x');

const echoLength: HttpHandler = ({ body }) => replyOf(String(body.length));

function replyOf(body: HttpReply['body'], more: Partial<HttpReply> = {}): HttpReply {
  return { status: 200, contentType: 'text/plain', body, ...more };
}

async function withServer(options: Partial<ListenOptions>, work: (listener: Listener) => Promise<void>) {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 60_000,
    answer: echoLength,
    logger: createLogger('silent'),
    closeTimeoutMs: 100,
    ...options,
  });
  try {
    await work(listener);
  } finally {
    await listener.close();
  }
}

async function open({ port }: Listener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // some are cut off
  await once(socket, 'connect');
  return socket;
}

/** Sends a request on a new connection; resolves when the server closes it. */
async function ask(listener: Listener, request: readonly (string | Buffer)[]): Promise<string> {
  const socket = await open(listener);
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  for (const part of request) socket.write(part);
  await once(socket, 'close');
  return Buffer.concat(pieces).toString('latin1');
}

/** Sends a request on a new connection, and closes it when the reply comes: the server waits for the rest of a body. */
async function refusalOf(listener: Listener, request: string): Promise<string> {
  const socket = await open(listener);
  const reply = once(socket, 'data');
  socket.write(request);
  const [piece] = await reply;
  socket.destroy();
  return String(piece);
}

/** Resolves when the condition holds; fails when that takes far too long. */
async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; !holds(); looks += 1) {
    assert.ok(looks < 3000, `it does not come to ${holds}`);
    await pause(5);
  }
}

const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const getAndClose = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

function post(length: number): string {
  return `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
}

/** A body of so many chunks of 64 KiB, without the final chunk. */
function chunked(count: number): readonly (string | Buffer)[] {
  const head = 'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunk = Buffer.alloc(chunkBytes, 'x');
  const chunks = Array.from({ length: count }, () => [`${chunkBytes.toString(16)}\r\n`, chunk, '\r\n']);
  return [head, ...chunks.flat()];
}

const chunkBytes = 64 * 1024;
const endOfChunks = '0\r\n\r\n';

function statusOf(reply: string): string {
  return reply.slice(9, 12);
}

describe('requests that are sent without reading the replies', () => {
  it('are answered one after another, so that a connection holds one reply', async () => {
    let asked = 0;
    const answer = () => {
      asked += 1;
      return replyOf(large);
    };
    await withServer({ answer }, async (listener) => {
      const socket = await open(listener);
      socket.pause().write(get.repeat(15));
      await ask(listener, [getAndClose]);
      assert.equal(asked, 2, 'the first of the one connection, and that of the other');
      let received = 0;
      socket.on('data', (piece: Buffer) => {
        received += piece.length;
        if (received > 3 * large.length) socket.destroy();
      });
      socket.resume();
      await once(socket, 'close');
      assert.ok(asked >= 5, 'a reader gets them all');
    });
  });

  it('come in their order', async () => {
    let asked = 0;
    const answer = async () => {
      asked += 1;
      const own = asked;
      await new Promise((resolve) => setTimeout(resolve, own % 2));
      return replyOf(`<${own}>`);
    };
    await withServer({ answer }, async (listener) => {
      const reply = await ask(listener, [get.repeat(15), getAndClose]);
      const order = [...reply.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
      assert.deepEqual(
        order,
        Array.from({ length: 16 }, (_, at) => at + 1),
      );
    });
  });

  it('are so many at most that their heads take little memory: the connection of more is closed', async () => {
    let asked = 0;
    const answer = () => {
      asked += 1;
      return new Promise<HttpReply>(() => {}); // under way until the end
    };
    await withServer({ answer }, async (listener) => {
      const socket = await open(listener);
      socket.write(get.repeat(10_000));
      await new Promise((resolve) => socket.once('close', resolve)); // with or without an error
      assert.equal(asked, 1);
      assert.equal(listener.connectionCount(), 0);
    });
  });

  it('end with the connection when the time for a reply is over', async () => {
    await withServer({ answer: () => replyOf(large), requestTimeoutMs: 1000 }, async (listener) => {
      const socket = await open(listener);
      socket.pause().write(get);
      await until(() => listener.connectionCount() === 1);
      await until(() => listener.connectionCount() === 0);
      socket.destroy();
    });
  });

  it('end with the connection also where the replies are small, and sent for several requests at once', async () => {
    const almostLarge = 'x'.repeat(16 * 1024 - 1);
    let asked = 0;
    const answer: HttpHandler = ({ path }) => {
      asked += 1;
      return replyOf(path === '/tiny' ? 'x' : almostLarge);
    };
    await withServer({ answer, requestTimeoutMs: 1000 }, async (listener) => {
      const socket = await open(listener);
      socket.pause();
      // The system accepts nearly all of the first replies, so the second ones are those that it does not accept.
      const pair = `${get.replace('/ ', '/tiny ')}${get}`;
      for (let pairs = 1; asked === 2 * (pairs - 1); pairs += 1) {
        socket.write(pair);
        for (let looks = 0; looks < 100 && asked < 2 * pairs; looks += 1) await pause(2);
      }
      await until(() => listener.connectionCount() === 0);
      socket.destroy();
    });
  });

  it('end with the connection also where a request is refused', async () => {
    const refusal = replyOf(large, { status: 413 });
    const options = { bodyLimit: () => ({ maxBytes: 1, refusal }), requestTimeoutMs: 1000 };
    await withServer(options, async (listener) => {
      const socket = await open(listener);
      socket.pause().write(`${post(2)}ab`);
      await until(() => listener.connectionCount() === 1);
      await until(() => listener.connectionCount() === 0);
      socket.destroy();
    });
  });
});

describe('memory for replies', () => {
  const options = {
    memoryBytes: 40 * mib, // enough for one of them
    answer: (request: { readonly path: string }) =>
      request.path === '/small' ? replyOf('small') : replyOf(large, { mayBeRefused: request.path === '/' }),
  };

  it('no memory for a request or a reply: 503 when readers hold it, and they are cut off then', async () => {
    await withServer(options, async (listener) => {
      const silent = await open(listener);
      silent.pause().write(get);
      const small = await ask(listener, [getAndClose.replace('/ ', '/small ')]);
      assert.equal(statusOf(small), '200');
      const refused = await ask(listener, [getAndClose]);
      assert.equal(statusOf(refused), '503');
      assert.match(refused, /retry-after: 1\r\n/i);
      let status = '503';
      while (status === '503') status = statusOf(await ask(listener, [getAndClose]));
      assert.equal(status, '200');
      silent.destroy();
    });
  });

  it('is never refused to the reply of what changed something', async () => {
    await withServer(options, async (listener) => {
      const silent = await open(listener);
      silent.pause().write(get);
      const reply = await ask(listener, [getAndClose.replace('/ ', '/change ')]);
      assert.equal(statusOf(reply), '200');
      silent.destroy();
    });
  });
});

describe('memory for bodies', () => {
  const memoryBytes = 40 * mib; // enough for one of 16 MiB

  it('is waited for', async () => {
    await withServer({ memoryBytes }, async (listener) => {
      const asked = Array.from({ length: 5 }, () => ask(listener, [post(large.length), large]));
      for (const reply of await Promise.all(asked)) assert.ok(reply.endsWith(String(large.length)), reply);
    });
  });

  it('is refused with 503 to one that waited too long, while small ones come', async () => {
    let finish = () => {};
    const answer: HttpHandler = ({ body }) => {
      if (body.length < large.length) return replyOf(String(body.length));
      return new Promise((resolve) => {
        finish = () => resolve(replyOf('done'));
      });
    };
    await withServer({ memoryBytes, answer, bodyWaitMs: 200 }, async (listener) => {
      const first = ask(listener, [post(large.length), large]);
      const refused = await ask(listener, [post(large.length)]);
      assert.equal(statusOf(refused), '503');
      assert.match(refused, /retry-after: 1\r\n/i);
      const small = Buffer.alloc(200_000);
      assert.ok((await ask(listener, [post(small.length), small])).endsWith('200000'));
      finish();
      assert.ok((await first).endsWith('done'));
    });
  });

  it('is taken from senders that stall while others wait', async () => {
    await withServer({ memoryBytes }, async (listener) => {
      const stalled = ask(listener, [post(large.length), large.subarray(1)]);
      const reply = await ask(listener, [post(large.length), large]);
      assert.ok(reply.endsWith(String(large.length)));
      assert.equal(statusOf(await stalled), '408');
    });
  });

  it('is released when a client disconnects', async () => {
    await withServer({ memoryBytes, bodyWaitMs: 60_000 }, async (listener) => {
      const [receiving, waiting] = [await open(listener), await open(listener)];
      for (const socket of [receiving, waiting]) socket.write(post(large.length));
      receiving.destroy();
      waiting.destroy();
      assert.ok((await ask(listener, [post(large.length), large])).endsWith(String(large.length)));
    });
  });

  it('is held until the request is answered, also where its client disconnected', async () => {
    let asked = 0;
    let finish = (_reply: HttpReply) => {};
    const held = new Promise<HttpReply>((resolve) => {
      finish = resolve;
    });
    const answer = () => {
      asked += 1;
      return asked === 1 ? held : replyOf('done');
    };
    await withServer({ memoryBytes, answer, bodyWaitMs: 200 }, async (listener) => {
      const gone = await open(listener);
      gone.write(post(large.length));
      gone.write(large);
      await until(() => asked === 1);
      gone.destroy();
      await until(() => listener.connectionCount() === 0);
      assert.equal(statusOf(await ask(listener, [post(large.length), large])), '503');
      finish(replyOf('nobody reads this'));
      assert.ok((await ask(listener, [post(large.length), large])).endsWith('done'));
    });
  });

  it('is waited for no longer by a client that goes away: the next ones get it', async () => {
    let heads = 0;
    let finish = (_reply: HttpReply) => {};
    const held = new Promise<HttpReply>((resolve) => {
      finish = resolve;
    });
    const holding = 12 * mib;
    const options: Partial<ListenOptions> = {
      memoryBytes,
      bodyWaitMs: 60_000,
      answerHead: () => {
        heads += 1;
        return undefined;
      },
      answer: ({ body }) => (body.length === holding ? held : replyOf('done')),
    };
    await withServer(options, async (listener) => {
      const holder = ask(listener, [post(holding), large.subarray(0, holding)]);
      await until(() => heads === 1);
      const gone = await open(listener);
      gone.write(post(large.length));
      await until(() => heads === 2);
      const next = ask(listener, [post(4 * mib), large.subarray(0, 4 * mib)]);
      let isAnswered = false;
      void next.then(() => {
        isAnswered = true;
      });
      await until(() => heads === 3);
      gone.destroy();
      await until(() => isAnswered);
      assert.ok((await next).endsWith('done'));
      finish(replyOf('held'));
      assert.ok((await holder).endsWith('held'));
      assert.ok((await ask(listener, [post(large.length), large])).endsWith('done'), 'it took nothing');
    });
  });

  it('is taken by bodies in chunks as they grow', async () => {
    await withServer({ memoryBytes: 50 * mib }, async (listener) => {
      const asked = Array.from({ length: 4 }, () => ask(listener, [...chunked(100), endOfChunks]));
      for (const reply of await Promise.all(asked))
        assert.ok(reply.endsWith(String(100 * chunkBytes)), reply);
    });
  });

  it('is taken by bodies in chunks only as far as they have come', async () => {
    await withServer({ memoryBytes }, async (listener) => {
      const growing = await open(listener);
      const reply = once(growing, 'data');
      for (const part of chunked(5)) growing.write(part);
      await ask(listener, [getAndClose]); // its chunks have arrived by then
      assert.equal(statusOf(await ask(listener, [post(large.length), large])), '200');
      growing.write(endOfChunks);
      assert.match(String(await reply), /^HTTP\/1\.1 200 /);
    });
  });

  it('is refused to some bodies in chunks where all wait for what the others hold', async () => {
    await withServer({ memoryBytes: 8 * mib, bodyWaitMs: 300 }, async (listener) => {
      const body = [...chunked(48), endOfChunks]; // 3 MiB of 4, and 6 of them
      const replies = await Promise.all(Array.from({ length: 6 }, () => ask(listener, body)));
      const statuses = replies.map(statusOf);
      assert.ok(
        statuses.includes('200') && statuses.every((status) => /^(200|503)$/.test(status)),
        `${statuses}`,
      );
      assert.equal(statusOf(await ask(listener, body)), '200', 'they left nothing behind');
    });
  });
});

describe('every reply', () => {
  it('forbids browsers to guess another content type', async () => {
    await withServer({}, async (listener) => {
      assert.match(await ask(listener, [getAndClose]), /x-content-type-options: nosniff\r\n/i);
      const refused = await refusalOf(listener, post(30 * mib));
      assert.equal(statusOf(refused), '413');
      assert.match(refused, /x-content-type-options: nosniff\r\n/i);
    });
  });
});
