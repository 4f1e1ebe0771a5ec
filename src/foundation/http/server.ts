// The HTTP server: the only file that knows node:http. It is on the path of every request, hence callbacks, not
// streams.
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from '../telemetry/logger.js';
import { chooseEncoding, compressBody, compressFromLength } from './compress-reply.js';
import { hostInUrl } from './hosts.js';
import type { HeadHandler, HttpHandler, HttpReply, HttpRequest, StreamReply } from './http-handler.js';
import { OpenReply } from './open-reply.js';
import { discardBody, readBody } from './read-body.js';

/** A longer body is answered with a bare 413, unless the listener has a limit of its own. */
export const maxBodyBytes = 20 * 1024 * 1024;

/** What a listener serves, and its limits. */
export interface ListenOptions {
  /** Address or host name to bind, IPv6 without brackets. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How long a client may take to send one request, headers and body. Whoever takes longer gets 408 and is cut off. */
  readonly requestTimeoutMs: number;
  /** Asked first, before the body has come. */
  readonly answerHead?: HeadHandler;
  readonly answer: HttpHandler<HttpReply | StreamReply>;
  /** With it only TLS is spoken. */
  readonly tls?: TlsIdentity | undefined;
  /** Default `maxBodyBytes`. */
  readonly bodyLimit?: { readonly maxBytes: number; readonly refusal: HttpReply };
  /** Told the status of every reply. */
  readonly onReply?: (status: number) => void;
  /** Connections above this are closed unanswered. Default: as many as the system gives. */
  readonly maxConnections?: number;
  readonly logger: Logger;
  /** How long `close` lets running requests finish. Default 7 s. */
  readonly closeTimeoutMs?: number;
}

/** What a listener proves its name with, as PEM. */
export type TlsIdentity = Required<Pick<SecureContextOptions, 'cert' | 'key'>>;

/** A port that is served. */
export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:8181`, without a slash at its end. */
  readonly url: string;
  connectionCount(): number;
  /** New connections see this identity. @throws when it cannot be used; the one before stays */
  renewTls(identity: TlsIdentity): void;
  /** Stops accepting, ends streams, closes idle connections, lets requests finish and then cuts what is left. */
  close(): Promise<void>;
}

/** The address cannot be bound; the message says which, why and what to do. */
export class ListenFailure extends Error {}

/** Binds and serves. @throws ListenFailure */
export async function listen(options: ListenOptions): Promise<Listener> {
  const listener = new HttpListener(options, await makeServer(options));
  await listener.start();
  return listener;
}

const keepAliveTimeoutMs = 65_000; // above the 60 s after which common proxies drop an idle connection
const timeoutCheckMs = 500;
const idleCheckMs = 50;
const lingerMs = 1000;
const backlog = 1024;
const plainText = 'text/plain; charset=utf-8';

async function makeServer({ requestTimeoutMs, tls }: ListenOptions): Promise<HttpServer> {
  const settings = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    noDelay: true,
  };
  if (tls === undefined) return createServer(settings);
  // Loaded late: it costs memory, and only who asks for it should pay.
  const { createServer: createTlsServer } = await import('node:https');
  return createTlsServer({ ...settings, ...tls, handshakeTimeout: requestTimeoutMs });
}

const ordinaryBodyLimit = {
  maxBytes: maxBodyBytes,
  refusal: {
    status: 413,
    contentType: plainText,
    body: `the request body is larger than ${maxBodyBytes} bytes\n`,
  },
};

type HttpServer = Server | TlsServer;

class HttpListener implements Listener {
  readonly #options: ListenOptions;
  readonly #server: HttpServer;
  readonly #bodyLimit: NonNullable<ListenOptions['bodyLimit']>;
  readonly #sockets = new Set<Socket>();
  readonly #streams = new Set<OpenReply>();
  #stopping = false;
  #dropTold: NodeJS.Timeout | undefined;
  port = 0;
  url = '';

  constructor(options: ListenOptions, server: HttpServer) {
    this.#options = options;
    this.#server = server;
    if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
    this.#bodyLimit = options.bodyLimit ?? ordinaryBodyLimit;
    this.#server.on('request', (message, response) => this.#receive(message, response));
    this.#server.on('checkContinue', (message, response) => {
      if (!this.#declaresTooMuch(message)) response.writeContinue();
      this.#receive(message, response);
    });
    this.#server.on('drop', () => this.#tellDrop());
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  start(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(toListenFailure(error, host, port)));
      this.#server.listen({ host, port, backlog }, () => {
        this.#server.removeAllListeners('error');
        this.#server.on('error', (err) => this.#options.logger.error({ err }, 'the listener failed'));
        // The address of a TCP server is never a string or null once it listens.
        this.port = (this.#server.address() as AddressInfo).port;
        const scheme = this.#options.tls === undefined ? 'http' : 'https';
        this.url = `${scheme}://${hostInUrl(host)}:${this.port}`;
        resolve();
      });
    });
  }

  connectionCount(): number {
    return this.#sockets.size;
  }

  renewTls(identity: TlsIdentity): void {
    if (!('setSecureContext' in this.#server)) throw new Error('the listener speaks no TLS');
    this.#server.setSecureContext(identity);
  }

  close(): Promise<void> {
    this.#stopping = true;
    for (const stream of this.#streams) stream.end();
    return new Promise((resolve) => {
      const idleCheck = setInterval(() => this.#server.closeIdleConnections(), idleCheckMs);
      const deadline = setTimeout(() => {
        this.#server.closeAllConnections();
        for (const socket of this.#sockets) socket.destroy(); // those that Node does not count: TLS half way
      }, this.#options.closeTimeoutMs ?? 7000);
      this.#server.close(() => {
        clearInterval(idleCheck);
        clearTimeout(deadline);
        resolve();
      });
      this.#server.closeIdleConnections();
      // Node counts a connection on which nothing was ever sent as busy.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    });
  }

  /** Once a minute at most: whoever cannot connect should find out why, and a flood must not fill the log. */
  #tellDrop(): void {
    if (this.#dropTold !== undefined) return;
    this.#options.logger.warn({ port: this.port }, 'connections are refused: there are too many');
    this.#dropTold = setTimeout(() => {
      this.#dropTold = undefined;
    }, 60_000).unref();
  }

  #receive(message: IncomingMessage, response: ServerResponse): void {
    if (this.#declaresTooMuch(message)) {
      this.#refuseBody(message, response);
      message.resume();
      return;
    }
    const request = new IncomingRequest(message);
    const early = this.#answerHead(request);
    if (early !== undefined) {
      this.#send(message, response, early);
      discardBody(message, this.#bodyLimit.maxBytes);
    } else if (!hasBody(message)) {
      this.#answer(request, message, response);
    } else {
      readBody(
        message,
        this.#bodyLimit.maxBytes,
        (body) => {
          request.body = body;
          this.#answer(request, message, response);
        },
        () => this.#refuseBody(message, response),
      );
    }
  }

  #answerHead(request: IncomingRequest): HttpReply | undefined {
    try {
      return this.#options.answerHead?.(request);
    } catch (error) {
      return this.#failure(error, request);
    }
  }

  #answer(request: IncomingRequest, message: IncomingMessage, response: ServerResponse): void {
    try {
      const reply = this.#options.answer(request);
      if (reply instanceof Promise) {
        reply.then(
          (settled) => this.#send(message, response, settled),
          (error) => this.#send(message, response, this.#failure(error, request)),
        );
      } else {
        this.#send(message, response, reply);
      }
    } catch (error) {
      this.#send(message, response, this.#failure(error, request));
    }
  }

  #failure(error: unknown, request: HttpRequest): HttpReply {
    this.#options.logger.error(
      { err: error, method: request.method, path: request.path },
      'a request failed in an unforeseen way',
    );
    return { status: 500, contentType: plainText, body: 'internal error\n' };
  }

  #send(message: IncomingMessage, response: ServerResponse, reply: HttpReply | StreamReply): void {
    this.#options.onReply?.(reply.status);
    const headers: OutgoingHttpHeaders = { 'content-type': reply.contentType };
    if (reply.headers !== undefined) Object.assign(headers, reply.headers);
    if (this.#stopping) headers.connection = 'close';
    if (reply.start !== undefined) {
      this.#sendStream(message, response, reply, headers);
      return;
    }
    if (reply.body.length >= compressFromLength) {
      this.#sendLarge(message, response, reply, headers);
      return;
    }
    headers['content-length'] = Buffer.byteLength(reply.body);
    response.writeHead(reply.status, headers);
    response.end(reply.body);
  }

  #sendLarge(
    message: IncomingMessage,
    response: ServerResponse,
    reply: HttpReply,
    headers: OutgoingHttpHeaders,
  ): void {
    headers.vary = 'accept-encoding';
    const sendPlain = () => {
      headers['content-length'] = Buffer.byteLength(reply.body);
      response.writeHead(reply.status, headers);
      response.end(reply.body);
    };
    const encoding = chooseEncoding(message.headers['accept-encoding']);
    if (encoding === undefined) {
      sendPlain();
      return;
    }
    compressBody(reply.body, encoding).then((compressed) => {
      headers['content-encoding'] = encoding;
      headers['content-length'] = compressed.length;
      response.writeHead(reply.status, headers);
      response.end(compressed);
    }, sendPlain);
  }

  #sendStream(
    message: IncomingMessage,
    response: ServerResponse,
    reply: StreamReply,
    headers: OutgoingHttpHeaders,
  ): void {
    response.writeHead(reply.status, headers);
    if (message.method === 'HEAD' || this.#stopping) {
      response.end();
      return;
    }
    response.flushHeaders();
    const stream = new OpenReply(response, reply.maxBehindBytes, (err) => {
      const { method, url = '' } = message;
      this.#options.logger.error({ err, method, path: pathOf(url) }, 'a stream failed in an unforeseen way');
    });
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
    stream.run(() => reply.start(stream));
  }

  #declaresTooMuch(message: IncomingMessage): boolean {
    return Number(message.headers['content-length'] ?? 0) > this.#bodyLimit.maxBytes;
  }

  /**
   * Answers 413 and closes. The whole reply is out before the end: a client still sending is read a little longer,
   * since closing on unread bytes makes the system reset the connection and the reply with it.
   */
  #refuseBody(message: IncomingMessage, response: ServerResponse): void {
    const { status, contentType, body } = this.#bodyLimit.refusal;
    this.#options.onReply?.(status);
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.write(body);
    const linger = setTimeout(() => response.end(), lingerMs);
    message.once('close', () => {
      clearTimeout(linger);
      response.end();
    });
  }
}

class IncomingRequest implements HttpRequest {
  readonly #message: IncomingMessage;
  readonly method: string;
  readonly path: string;
  body: Buffer = noBody;

  constructor(message: IncomingMessage) {
    this.#message = message;
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

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }
}

const noBody = Buffer.alloc(0);
const mappedIpv4 = '::ffff:';
const slash = 47;

function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (path.charCodeAt(0) === slash) return path;
  // The absolute form that clients of proxies send: `http://host:8181/v1`.
  const schemeEnd = path.indexOf('://');
  const pathAt = schemeEnd < 0 ? -1 : path.indexOf('/', schemeEnd + 3);
  return pathAt < 0 ? path : path.slice(pathAt);
}

function hasBody(message: IncomingMessage): boolean {
  const { headers } = message;
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

function toListenFailure(error: NodeJS.ErrnoException, host: string, port: number): ListenFailure {
  const where = `${hostInUrl(host)}:${port}`;
  const reason = listenFailures.get(error.code ?? '') ?? error.message;
  return new ListenFailure(`cannot listen on ${where}: ${reason}`, { cause: error });
}

const listenFailures: ReadonlyMap<string, string> = new Map([
  [
    'EADDRINUSE',
    'the port is in use by another process; stop that one, or choose another with --port and --ops-port (0 picks a free one)',
  ],
  ['EACCES', 'this user may not bind the port; choose one above 1023'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['ENOTFOUND', 'the host name is unknown'],
]);
