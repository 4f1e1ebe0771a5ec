// Closes an HTTP server: requests that are being answered finish. Half of a request delays the end by a second, and a
// TLS handshake by the time of the others.
import type { Socket } from 'node:net';

/** The state of a server that closes. */
export interface ClosingServer {
  /** The server of Node, with or without TLS. */
  readonly server: {
    close(onClosed: () => void): unknown;
    closeIdleConnections(): void;
    closeAllConnections(): void;
  };
  /** The open connections, below TLS. */
  readonly sockets: ReadonlySet<Socket>;
  /** The open connections on which requests arrive: with TLS those above it, otherwise the same as `sockets`. */
  readonly carriers: ReadonlySet<Socket>;
  /** Whether a whole request has arrived on a carrier and its reply was not passed to the system. */
  readonly isAnswering: (carrier: Socket) => boolean;
  /** How long requests that are being answered may take. */
  readonly timeoutMs: number;
}

/** Node counts a connection as idle when its last reply has gone, so this is asked again. */
const idleCheckMs = 50;
/** A client that has sent half of a request may send the rest in this time. */
const halfRequestMs = 1000;

/**
 * Stops accepting and closes idle connections. Connections with half of a request are closed after `halfRequestMs`,
 * all others after `timeoutMs`. Resolves when no connection is open.
 */
export function closeServer(closing: ClosingServer): Promise<void> {
  const { server, sockets, carriers, isAnswering, timeoutMs } = closing;
  return new Promise((resolve) => {
    const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    const halfRequests = setTimeout(() => {
      for (const carrier of carriers) if (!isAnswering(carrier)) carrier.destroy();
    }, halfRequestMs);
    const deadline = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy(); // also during TLS handshakes, which Node does not count
    }, timeoutMs);
    server.close(() => {
      clearInterval(idleCheck);
      clearTimeout(halfRequests);
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
    // Node counts connections that never sent anything as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}
