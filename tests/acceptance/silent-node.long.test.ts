// The end of a server that watches a cluster whose node accepts connections and says nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import type { Event } from '../../src/ops-service/events/event.js';
import { askOps } from './ops-client.js';
import { makeTemporaryDirectory, withServer } from './start-server.js';

describe('the event log', () => {
  it('has the stop of a service that watches a cluster whose node says nothing', async () => {
    const dataDir = makeTemporaryDirectory();
    const silent = createServer((socket) => socket.on('error', () => {}));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo; // it listens on a port
    await withServer({ dataDir }, async (server) => {
      const cassandra = { seed_hosts: '127.0.0.1', native_port: port };
      await askOps(server, '/cluster-configs', { body: { cassandra } });
      // The probe of the node, and the driver, which waits for an answer for seconds.
      for (let connections = 0; connections < 2; connections += 1) await once(silent, 'connection');
    });
    silent.close();
    await withServer({ dataDir }, async (server) => {
      const events = (await askOps(server, '/local/events?count=100')) as readonly Event[]; // newest first
      const ends = events.map(({ message }) => message.split(' ').at(-1));
      assert.deepEqual(ends, ['started', 'stopped', 'started']);
    });
  });
});
