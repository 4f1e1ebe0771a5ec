// Where readers hold the memory for replies, the reply to a read is refused, and that to a write never.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { withServer } from '../acceptance/start-server.js';
import { DataClient } from '../faults/data-client.js';

const mib = 1024 * 1024;
const path = '/default_keyspace/rows';

/** Asks for a row, and reads no more than the beginning of it. */
async function askWithoutReading(url: string, id: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}); // it may be cut off
  const body = JSON.stringify({ findOne: { filter: { id } } });
  socket.write(
    `POST /v1${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  return socket;
}

describe('replies for which there is no memory', () => {
  it('are refused to reads, and never to writes', async () => {
    // 32 MiB for replies, of which 29 are taken.
    await withServer({ args: ['--request-memory-mb', '64'] }, async ({ url }) => {
      const client = new DataClient(url);
      const columns = { id: 'text', note: 'text' };
      await client.mustSend('/default_keyspace', {
        createTable: { name: 'rows', definition: { columns, primaryKey: 'id' } },
      });
      for (const [id, size] of Object.entries({ huge: 19, large: 10, medium: 6 })) {
        const document = { id, note: 'x'.repeat(size * mib) };
        await client.mustSend(path, { insertOne: { document } });
      }
      const silent = [await askWithoutReading(url, 'huge'), await askWithoutReading(url, 'large')];
      const documents = Array.from({ length: 100 }, (_, at) => ({ id: `${at} ${'k'.repeat(60_000)}` }));
      const { status } = await client.mustSend(path, { insertMany: { documents } });
      assert.deepEqual(
        status?.['insertedIds'],
        documents.map(({ id }) => [id]),
      );
      const refused = await client.send(path, { findOne: { filter: { id: 'medium' } } });
      assert.equal(refused.httpStatus, 503);
      assert.match(refused.text, /no memory left/);
      for (const socket of silent) socket.destroy();
      client.close();
    });
  });
});
