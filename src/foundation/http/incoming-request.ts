// Converts a request of the HTTP library to the form for handlers.
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

/** Bodies up to this size arrive with the head or soon after it. */
const smallBytes = 64 * 1024;

/** Whether a request has no body, or one that is declared and small. */
export function hasSmallBody(message: IncomingMessage): boolean {
  const { headers } = message;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= smallBytes;
}
