// Checks to which hosts and ports a data session connects first. No Cassandra node is needed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { openCqlSession } from './open-cql-session.js';

/** Connects to a listener that closes each connection at once; fails if no connection arrives. */
async function isReached(
  host: string,
  place: (port: number) => { readonly contactPoint: string; readonly port: number },
): Promise<void> {
  const listener = createServer((socket) => void socket.destroy()).listen(0, host);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo; // it listens on a port, not on a path
  const arrived = once(listener, 'connection');
  const { contactPoint, port: defaultPort } = place(port);
  const session = await openCqlSession({
    contactPoints: [contactPoint],
    port: defaultPort,
    localDataCenter: 'dc1',
    timeoutMs: 10_000,
  });
  const [socket] = await Promise.race([arrived, failureOf(session.connected())]);
  assert.ok(socket);
  await session.close();
  listener.close();
  await once(listener, 'close');
}

/** Rejects, and never resolves. */
async function failureOf(connected: Promise<void>): Promise<never> {
  await connected;
  throw new Error('something answered');
}

describe('the contact points of a data session', () => {
  it('have the port of the session', () =>
    isReached('127.0.0.1', (port) => ({ contactPoint: '127.0.0.1', port })));

  it('have their own port', () =>
    isReached('127.0.0.1', (port) => ({ contactPoint: `127.0.0.1:${port}`, port: 1 })));

  it('are IPv6 addresses', () => isReached('::1', (port) => ({ contactPoint: '::1', port })));

  it('are IPv6 addresses with a port', () =>
    isReached('::1', (port) => ({ contactPoint: `[::1]:${port}`, port: 1 })));
});
