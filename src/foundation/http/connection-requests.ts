// Answers the requests of a connection one after another: a client that sends without reading holds one reply.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait behind the one under way; with more the connection is closed. Node reads on while a handler
 * works, and each waiting head takes memory.
 */
const mostWaiting = 16;

/** The return value for Node's parser that means: another protocol begins. */
const upgrade = 2;

interface RequestsOfConnection {
  /** Undefined when its reply was passed to the system. */
  current: ServerResponse | undefined;
  readonly waiting: { readonly response: ServerResponse; readonly begin: () => void }[];
}

/** The requests of each connection of a listener. */
export class ConnectionRequests {
  readonly #requests = new WeakMap<Socket, RequestsOfConnection>();

  /** Whether a request may begin now, which counts as its beginning; otherwise it must `wait`. */
  mayBegin(socket: Socket, response: ServerResponse): boolean {
    const requests = this.#requests.get(socket);
    if (requests === undefined) this.#requests.set(socket, { current: response, waiting: [] });
    else if (requests.waiting.length === 0 && isDone(requests)) requests.current = response;
    else return false;
    return true;
  }

  /** Whether a whole request has arrived, and its reply was not passed to the system. */
  isAnswering(socket: Socket): boolean {
    const requests = this.#requests.get(socket);
    return requests !== undefined && !isDone(requests) && requests.current?.req.complete === true;
  }

  /**
   * Forgets the request under way if its reply was passed to the system. Otherwise each idle connection would keep its
   * last request and reply, and every garbage collection would copy them.
   */
  afterReply(socket: Socket): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) return;
    // Node 24 notes the end of a reply in the next turn of the queue only.
    if (isDone(requests)) requests.current = undefined;
    else process.nextTick(forgetIfDone, requests);
  }

  /** Begins a request that may not begin now, when the earlier replies on its connection were passed to the system. */
  wait(socket: Socket, response: ServerResponse, begin: () => void): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) throw new TypeError('a request waits behind none');
    if (requests.waiting.length >= mostWaiting) {
      closeAtOnce(socket);
      return;
    }
    requests.waiting.push({ response, begin });
    if (requests.waiting.length === 1) this.#continueAfter(requests, socket);
  }

  #continueAfter(requests: RequestsOfConnection, socket: Socket): void {
    requests.current?.once('close', () => {
      const next = requests.waiting.shift();
      if (next === undefined || socket.destroyed) return;
      requests.current = next.response;
      if (requests.waiting.length > 0) this.#continueAfter(requests, socket);
      next.begin();
    });
  }
}

/**
 * Closes a connection and stops the parser: 64 KiB of input may hold thousands of heads. Node has no documented way to
 * stop its parser within one input. The parser calls `onIncoming` for each head, and Node sets it again before it uses
 * the parser for another connection; the result `upgrade` means that the rest is not HTTP.
 */
function closeAtOnce(socket: Socket & { readonly parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => upgrade;
  socket.destroy();
}

function forgetIfDone(requests: RequestsOfConnection): void {
  if (isDone(requests)) requests.current = undefined;
}

function isDone({ current }: RequestsOfConnection): boolean {
  return current === undefined || current.writableFinished || current.destroyed;
}
