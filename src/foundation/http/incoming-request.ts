// Converts a request of the HTTP library to the form for handlers, and receives its body if that is small.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from './http-handler.js';

/** The library's request; its body is set when it has arrived. */
export class IncomingRequest implements HttpRequest {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly method: string;
  readonly path: string;
  body: Buffer = noBody;

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? '';
    this.path = pathOf(message.url ?? '');
  }

  get query(): string {
    const target = this.#message.url ?? '';
    const queryAt = target.indexOf('?');
    return queryAt < 0 ? '' : target.slice(queryAt + 1);
  }

  get remoteAddress(): string {
    const address = this.#message.socket.remoteAddress ?? '';
    return address.startsWith(mappedIpv4) ? address.slice(mappedIpv4.length) : address;
  }

  onGone(listener: () => void): void {
    this.#response.once('close', listener);
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  headers(): ReadonlyMap<string, string> {
    const names = Object.keys(this.#message.headers);
    return new Map(names.map((name) => [name, this.header(name) ?? '']));
  }

  /** Receives a body for which `isUncounted` holds, as most do: they pay nothing for the limits of larger ones. */
  receiveUncounted(onBody: () => void): void {
    let filled = 0;
    this.#message.on('data', (chunk: Buffer) => {
      if (filled === 0) this.body = chunk;
      else {
        // The rest arrives in as many chunks as the client likes, which are copied to one place.
        if (this.body.length === filled) {
          const whole = Buffer.allocUnsafe(Number(this.#message.headers['content-length']));
          this.body.copy(whole);
          this.body = whole;
        }
        chunk.copy(this.body, filled);
      }
      filled += chunk.length;
    });
    this.#message.on('end', onBody);
  }
}

const noBody = Buffer.alloc(0);
const mappedIpv4 = '::ffff:';
const slash = 47;

/** The path of a request's target, without the query. */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (path.charCodeAt(0) === slash) return path;
  // The absolute form, which clients of proxies send: `http://host:8181/v1`.
  const schemeEnd = path.indexOf('://');
  const pathAt = schemeEnd < 0 ? -1 : path.indexOf('/', schemeEnd + 3);
  return pathAt < 0 ? path : path.slice(pathAt);
}

/** Whether a body follows the head. */
export function hasBody(message: IncomingMessage): boolean {
  const { headers } = message;
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/** Bodies up to this size are not counted: the limit on connections bounds them. */
export const uncountedBytes = 16 * 1024;

/** Whether a body is declared, not coded, and so small that neither its memory nor its time is limited by itself. */
export function isUncounted({ headers }: IncomingMessage): boolean {
  return (
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? Number.NaN) <= uncountedBytes
  );
}

/** Bodies up to this size arrive with the head or soon after it. */
const smallBytes = 64 * 1024;

/** Whether a request has no body, or one that is declared and small. */
export function hasSmallBody(message: IncomingMessage): boolean {
  const { headers } = message;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= smallBytes;
}
