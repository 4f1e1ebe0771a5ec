// The requests of a connection begin one after another, and excess requests are not created.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
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
