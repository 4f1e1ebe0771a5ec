// The requests of a connection begin one after another, and excess requests are not created.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ConnectionRequests } from './connection-requests.js';

it('ignores what came after the first request beyond the limit, and continues with new connections', async () => {
  const requests = new ConnectionRequests();
  let made = 0;
  let answerBegun = (_response: ServerResponse): void => {};
  const server = createServer((message, response) => {
    made += 1;
    if (requests.mayBegin(message.socket, response)) answerBegun(response);
    else requests.wait(message.socket, response, () => answerBegun(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on a port.
  const { port } = server.address() as AddressInfo;
  const head = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  try {
    for (let round = 1; round <= 3; round += 1) {
      made = 0;
      const greedy = connect(port, '127.0.0.1');
      greedy.on('error', () => {}); // it may be reset
      greedy.write(head.repeat(2000));
      greedy.resume();
      await once(greedy, 'close');
      assert.equal(made, 18, 'one under way, 16 that wait, and the one too many');
    }
    answerBegun = (response) => response.end('done');
    const modest = connect(port, '127.0.0.1');
    modest.write(head);
    const [reply] = await once(modest, 'data');
    assert.match(String(reply), /done/);
    modest.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('does not keep a request whose reply was passed to the system', async () => {
  const requests = new ConnectionRequests();
  const responses: WeakRef<ServerResponse>[] = [];
  const server = createServer((message, response) => {
    responses.push(new WeakRef(response));
    assert.ok(requests.mayBegin(message.socket, response));
    response.end('done');
    requests.afterReply(message.socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on a port.
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  try {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(client, 'data');
    setFlagsFromString('--expose-gc');
    const collectGarbage: unknown = runInNewContext('gc');
    assert.ok(typeof collectGarbage === 'function');
    // The connection stays open; Node itself forgets the response in one of the next turns.
    for (let turns = 0; responses[0]?.deref() !== undefined; turns += 1) {
      assert.ok(turns < 1_000, 'the response is kept');
      await turn();
      collectGarbage();
    }
  } finally {
    client.destroy();
    server.close();
  }
});
