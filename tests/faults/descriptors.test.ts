// Few descriptors: connections leave enough of them for everything that is opened later.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { startServer } from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';

const launcher = (descriptors: number) => ['/bin/sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`];

describe('a server that may open few files', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  it('keeps its threads working while all connections are taken, and takes others when some end', async () => {
    const server = await startServer({ launcher: launcher(300) });
    assert.match(server.stderr(), /"maxConnections":97,/);
    const client = new DataClient(server.url, 1);
    const path = '/default_keyspace';
    const columns = { id: 'int', note: 'text', v: { type: 'vector', dimension: 2 } };
    await client.mustSend(path, { createTable: { name: 't', definition: { columns, primaryKey: 'id' } } });
    const sockets = await Promise.all(Array.from({ length: 400 }, () => openSocket(server.url)));
    try {
      // Each starts a thread, or several: of indexes, of long reads, of large requests.
      await client.mustSend(`${path}/t`, { createVectorIndex: { name: 'v', definition: { column: 'v' } } });
      const document = { id: 1, note: 'x'.repeat(1_000_000), v: [1, 2] };
      await client.mustSend(`${path}/t`, { insertOne: { document } });
      for (const find of [
        { sort: { v: [1, 2] } },
        { filter: { note: { $ne: '' } } },
        { sort: { note: 1 } },
      ]) {
        const reply = await client.mustSend(`${path}/t`, { find });
        assert.equal(reply.data?.documents?.length, 1);
      }
      for (const socket of sockets) socket.destroy();
      const other = new DataClient(server.url);
      while (!(await isServed(other))) {}
      other.close();
    } finally {
      for (const socket of sockets) socket.destroy();
      client.close();
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
    }
  });

  it('is not started where it could open too few', async () => {
    await assert.rejects(
      startServer({ launcher: launcher(150) }),
      /may open only 150 files and connections, and needs 256: raise the limit \(ulimit -n\)/,
    );
  });
});

async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}); // some are closed at once
  await once(socket, 'connect');
  return socket;
}

async function isServed(client: DataClient): Promise<boolean> {
  try {
    await client.mustSend('', { findKeyspaces: {} });
    return true;
  } catch {
    return false;
  }
}
