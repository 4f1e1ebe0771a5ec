// Slow and idle clients are kept from doing harm; others are served meanwhile.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { startServer } from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';

const post = 'POST /v1 HTTP/1.1\r\nhost: localhost\r\n';

/** What was sent when a client becomes slow; an `a` continues each of them. */
const beginnings = {
  'in the first line': 'POST /v1',
  'in the headers': `${post}x-slow: `,
  'in a body of known length': `${post}content-length: 1000\r\n\r\n{`,
  'in a body in chunks': `${post}transfer-encoding: chunked\r\n\r\n`,
  'in a body it announced': `${post}content-length: 1000\r\nexpect: 100-continue\r\n\r\n`,
};

describe('a client that sends one byte a second', () => {
  it('is cut off wherever it is, while others are served', async () => {
    const server = await startServer({ args: ['--request-timeout-seconds', '2'] });
    const client = new DataClient(server.url);
    try {
      let areSlowOnesThere = true;
      const cutOff = Promise.all(
        Object.entries(beginnings).map(async ([name, beginning]) => [
          name,
          await sendSlowly(server.url, beginning),
        ]),
      ).finally(() => {
        areSlowOnesThere = false;
      });
      let served = 0;
      while (areSlowOnesThere) {
        await client.mustSend('', { findKeyspaces: {} });
        served += 1;
      }
      for (const [name, received] of await cutOff) {
        if (received !== wasReset) assert.match(String(received), /HTTP\/1\.1 408 /, name);
      }
      assert.ok(served > 0);
    } finally {
      client.close();
      await server.stop();
    }
  });
});

describe('200 idle connections', () => {
  it('do no harm, not even to the stop', async () => {
    const server = await startServer();
    const client = new DataClient(server.url);
    const idle = await Promise.all(Array.from({ length: 200 }, () => openIdle(server.url)));
    try {
      const sent = Array.from({ length: 100 }, () => client.mustSend('', { findKeyspaces: {} }));
      assert.equal((await Promise.all(sent)).length, 100);
      const metrics = await fetch(`${server.opsUrl}/metrics`);
      const open = /^colonnade_http_connections (\d+)$/m.exec(await metrics.text())?.[1];
      assert.ok(Number(open) >= 200, `only ${open} connections are open`);
    } finally {
      client.close();
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      for (const socket of idle) socket.destroy();
    }
  });
});

/** A byte that arrives behind the end of a connection resets it; what the client has not read is lost then. */
const wasReset = 'reset';

/** Sends the beginning at once, then a byte a second until the server ends the connection; gives what it said. */
async function sendSlowly(url: string, beginning: string): Promise<string> {
  const socket = await openIdle(url);
  let received = '';
  socket.on('data', (data) => {
    received += data.toString();
  });
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', resolve);
  });
  socket.write(beginning);
  const drip = setInterval(() => socket.write('a'), 1000);
  const hadError = await closed;
  clearInterval(drip);
  return hadError && received === '' ? wasReset : received;
}

async function openIdle(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}); // a reset is one way to be cut off
  await once(socket, 'connect');
  return socket;
}
