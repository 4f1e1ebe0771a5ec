// Answers the requests of a connection one after another: a client that sends without reading holds one reply.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait behind the one under way; with more the connection is closed. Node reads on whatever a handler
 * does, and each head that waits takes memory.
 */
const mostWaiting = 16;

/** What the parser of Node takes for the beginning of another protocol. */
const upgrade = 2;

interface RequestsOfConnection {
  current: ServerResponse;
  readonly waiting: { readonly response: ServerResponse; readonly begin: () => void }[];
}

/** The requests of each connection of a listener. */
export class ConnectionRequests {
  readonly #requests = new WeakMap<Socket, RequestsOfConnection>();

  /** Begins a request now, or when the replies to those before it on its connection are on their way. */
  take(socket: Socket, response: ServerResponse, begin: () => void): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) {
      this.#requests.set(socket, { current: response, waiting: [] });
      begin();
    } else if (requests.waiting.length === 0 && isDone(requests.current)) {
      requests.current = response;
      begin();
    } else {
      if (requests.waiting.length >= mostWaiting) {
        closeAtOnce(socket);
        return;
      }
      requests.waiting.push({ response, begin });
      if (requests.waiting.length === 1) this.#continueAfter(requests, socket);
    }
  }

  #continueAfter(requests: RequestsOfConnection, socket: Socket): void {
    requests.current.once('close', () => {
      const next = requests.waiting.shift();
      if (next === undefined || socket.destroyed) return;
      requests.current = next.response;
      if (requests.waiting.length > 0) this.#continueAfter(requests, socket);
      next.begin();
    });
  }
}

/**
 * Closes a connection and has no further requests made of what came: 64 KiB may hold thousands of heads. Node has no
 * documented way to stop its parser within them. It asks `onIncoming` at each head, which Node sets again before it
 * uses the parser for another connection; `upgrade` says that what follows is not HTTP.
 */
function closeAtOnce(socket: Socket & { readonly parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => upgrade;
  socket.destroy();
}

function isDone(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
