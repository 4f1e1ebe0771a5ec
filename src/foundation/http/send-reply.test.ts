// The memory that replies hold, measured inside the server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryShare } from '../limits/memory-share.js';
import { createLogger } from '../telemetry/logger.js';
import { compressToLength } from './compress-reply.js';
import { InflowLimit } from './inflow-limit.js';
import { ReplySender } from './send-reply.js';
import { TransferWatch } from './transfer-watch.js';

describe('a reply whose connection closes while it is compressed', () => {
  it('holds its memory until the compression is over', async () => {
    const share = new MemoryShare(2 * compressToLength);
    const sender = new ReplySender({
      share,
      watch: new TransferWatch({ share }),
      inflow: new InflowLimit(),
      logger: createLogger('silent'),
    });
    const body = Buffer.alloc(compressToLength, 'some text');
    const server = createServer();
    const usedAtClose = new Promise<number>((resolve) => {
      server.on('request', (message, response) => {
        sender.send(message, response, { status: 200, contentType: 'text/plain', body });
        response.once('close', () => resolve(share.usedBytes));
        message.socket.destroy(); // long before the compression is over
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => {});
    client.write('GET / HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n');
    try {
      assert.equal(await usedAtClose, compressToLength);
      while (share.usedBytes > 0) await nextTurn();
    } finally {
      client.destroy();
      server.close();
    }
  });
});
