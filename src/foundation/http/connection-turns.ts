// Lets the requests of a connection come one after another: a client that asks without reading holds one reply.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait behind the one under way; with more the connection is closed. Node reads on whatever a handler
 * does, and each head that waits takes memory.
 */
const mostWaiting = 16;

/** What the parser of Node takes for the beginning of another protocol. */
const upgrade = 2;

interface Turns {
  current: ServerResponse;
  readonly waiting: { readonly response: ServerResponse; readonly begin: () => void }[];
}

/** The connections of a listener. */
export class ConnectionTurns {
  readonly #turns = new WeakMap<Socket, Turns>();

  /** Begins a request now, or when the replies to those before it on its connection are on their way. */
  take(socket: Socket, response: ServerResponse, begin: () => void): void {
    const turns = this.#turns.get(socket);
    if (turns === undefined) {
      this.#turns.set(socket, { current: response, waiting: [] });
      begin();
    } else if (turns.waiting.length === 0 && isDone(turns.current)) {
      turns.current = response;
      begin();
    } else {
      if (turns.waiting.length >= mostWaiting) {
        closeAtOnce(socket);
        return;
      }
      turns.waiting.push({ response, begin });
      if (turns.waiting.length === 1) this.#goOnBehind(turns, socket);
    }
  }

  #goOnBehind(turns: Turns, socket: Socket): void {
    turns.current.once('close', () => {
      const next = turns.waiting.shift();
      if (next === undefined || socket.destroyed) return;
      turns.current = next.response;
      if (turns.waiting.length > 0) this.#goOnBehind(turns, socket);
      next.begin();
    });
  }
}

/**
 * Closes a connection and has no further requests made of what came: 64 KiB may hold thousands of heads. Node has no
 * documented way to stop its parser within them. It asks `onIncoming` at each head, which Node sets again before it
 * uses the parser for another connection; `upgrade` says that what follows is no HTTP.
 */
function closeAtOnce(socket: Socket & { readonly parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => upgrade;
  socket.destroy();
}

function isDone(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
