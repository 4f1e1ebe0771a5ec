// The HTTP server: the only file that imports node:http. It is on the path of every request, so it uses callbacks, not
// streams.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Lease, MemoryShare } from '../limits/memory-share.js';
import type { Logger } from '../telemetry/logger.js';
import { receiveBody } from './body-intake.js';
import { closeServer } from './close-server.js';
import { ConnectionRequests } from './connection-requests.js';
import { codingOf, decodingGzip, invalidGzipReply, unknownCodingReply } from './decode-body.js';
import { hostInUrl } from './hosts.js';
import type { AnyReply, HttpHandler, HttpReply, HttpRequest, WaitingHeadHandler } from './http-handler.js';
import { hasBody, hasSmallBody, IncomingRequest, isUncounted } from './incoming-request.js';
import { InflowLimit } from './inflow-limit.js';
import { internalErrorReply, noMemoryReply, plainText, ReplySender } from './send-reply.js';
import { TransferWatch } from './transfer-watch.js';

/** Longer bodies are answered with 413, unless the listener has another limit. */
export const maxBodyBytes = 20 * 1024 * 1024;

/** What a listener serves, and its limits. */
export interface ListenOptions {
  /** Address or host name to bind to, IPv6 without brackets. */
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /**
   * How long a client may take to send one request, headers and body, and how long to read the reply. Slower clients
   * are disconnected, in the first case with a 408.
   */
  readonly requestTimeoutMs: number;
  /**
   * Memory for the bodies of requests and replies under way, half for each. Decoded bodies that find no room in it use
   * up to an eighth more. Default 64 MiB.
   */
  readonly memoryBytes?: number;
  /** How long a large body waits for memory before it is answered 503. Default 10 s. */
  readonly bodyWaitMs?: number;
  /** Called first, before the body has arrived. */
  readonly answerHead?: WaitingHeadHandler;
  readonly answer: HttpHandler<AnyReply>;
  /** If set, the listener accepts only TLS. */
  readonly tls?: TlsIdentity | undefined;
  /** The limit for bodies to a path. Default: `ordinaryBodyLimit` for each. */
  readonly bodyLimit?: (path: string) => BodyLimit;
  /** Called with the status of every reply. */
  readonly onReply?: (status: number) => void;
  /** Called for every connection that is accepted. */
  readonly onConnection?: () => void;
  /** Further connections are closed without an answer. Default: as many as the system allows. */
  readonly maxConnections?: number;
  readonly logger: Logger;
  /** How long `close` lets requests finish that have arrived. Default 7 s. */
  readonly closeTimeoutMs?: number;
}

/** The maximum size of a body, and the reply to a longer one. */
export interface BodyLimit {
  readonly maxBytes: number;
  readonly refusal: HttpReply;
}

/** The certificate and the key of a listener, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** An open port. */
export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:8181`, without a slash at the end. */
  readonly url: string;
  connectionCount(): number;
  /** New connections get this certificate. @throws Error when it cannot be used; the previous one stays */
  renewTls(identity: TlsIdentity): void;
  /** From now on each reply closes its connection, so that clients open their next one elsewhere. */
  closeConnectionsAfterReplies(): void;
  /** Stops accepting, ends streams, closes idle connections and half requests, lets the others finish. */
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

const ordinaryMemoryBytes = 64 * 1024 * 1024;
const keepAliveTimeoutMs = 65_000; // above the 60 s after which common proxies drop an idle connection
const timeoutCheckMs = 500;
const backlog = 1024;
/** Further headers are ignored: as objects, many short headers take ten times their bytes. */
const maxHeaders = 200;

async function makeServer({ requestTimeoutMs, tls }: ListenOptions): Promise<HttpServer> {
  const settings = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    noDelay: true,
  };
  if (tls === undefined) return createServer(settings);
  // Loaded on demand to save memory.
  const { createServer: createTlsServer } = await import('node:https');
  return createTlsServer({ ...settings, ...tls, ...forwardSecrecy, handshakeTimeout: requestTimeoutMs });
}

/** A key that is stolen later must not decrypt recorded traffic: no ciphers with a fixed key exchange. */
const forwardSecrecy = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ...['AES256-GCM-SHA384', 'AES128-GCM-SHA256', 'CHACHA20-POLY1305'].flatMap((cipher) => [
      `ECDHE-ECDSA-${cipher}`,
      `ECDHE-RSA-${cipher}`,
    ]),
  ].join(':'),
} as const;

/** 413 for more than `maxBodyBytes`. */
export const ordinaryBodyLimit: BodyLimit = {
  maxBytes: maxBodyBytes,
  refusal: {
    status: 413,
    contentType: plainText,
    body: `the request body is larger than ${maxBodyBytes} bytes; send less in one request\n`,
  },
};

const stalledReply: HttpReply = {
  status: 408,
  contentType: plainText,
  body: 'the request body arrived too slowly while other requests waited for memory\n',
};

type HttpServer = Server | TlsServer;

/** The sockets of an event that are open, from now on. */
function openSockets(server: HttpServer, event: 'connection' | 'secureConnection'): Set<Socket> {
  const open = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

class HttpListener implements Listener {
  readonly #options: ListenOptions;
  readonly #server: HttpServer;
  readonly #bodyLimit: (path: string) => BodyLimit;
  readonly #sockets: Set<Socket>;
  /** The connections above TLS; undefined without it. */
  readonly #carriers: Set<Socket> | undefined;
  readonly #requests = new ConnectionRequests();
  readonly #bodies: MemoryShare;
  readonly #decodedBodies: MemoryShare;
  readonly #bodyWatch: TransferWatch;
  readonly #inflow = new InflowLimit();
  readonly #sender: ReplySender;
  #dropTimer: NodeJS.Timeout | undefined;
  port = 0;
  url = '';

  constructor(options: ListenOptions, server: HttpServer) {
    this.#options = options;
    this.#server = server;
    if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
    server.maxHeadersCount = maxHeaders;
    this.#bodyLimit = options.bodyLimit ?? (() => ordinaryBodyLimit);
    this.#sockets = openSockets(server, 'connection');
    if (options.tls !== undefined) this.#carriers = openSockets(server, 'secureConnection');
    const { memoryBytes = ordinaryMemoryBytes, requestTimeoutMs, onReply, logger } = options;
    this.#bodies = new MemoryShare(memoryBytes / 2);
    this.#decodedBodies = new MemoryShare(memoryBytes / 8);
    this.#bodyWatch = new TransferWatch({ share: this.#bodies }); // Node limits the time of a request
    const share = new MemoryShare(memoryBytes / 2);
    const watch = new TransferWatch({ share, maxMs: requestTimeoutMs });
    this.#sender = new ReplySender({ share, watch, inflow: this.#inflow, onReply, logger });
    this.#server.on('request', this.#receive);
    this.#server.on('checkContinue', (message, response) => this.#receive(message, response, true));
    this.#server.on('drop', () => this.#reportDrop());
    this.#server.on('connection', () => options.onConnection?.());
  }

  start(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(toListenFailure(error, host, port)));
      this.#server.listen({ host, port, backlog }, () => {
        this.#server.removeAllListeners('error');
        this.#server.on('error', (err) => this.#options.logger.error({ err }, 'the listener failed'));
        // A listening TCP server always has an AddressInfo, not a string or null.
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
    if (!('setSecureContext' in this.#server)) throw new Error('the listener does not use TLS');
    this.#server.setSecureContext({ ...identity, ...forwardSecrecy }); // omitted settings would get Node's defaults
  }

  closeConnectionsAfterReplies(): void {
    this.#sender.closeConnections();
  }

  close(): Promise<void> {
    this.#sender.stop();
    return closeServer({
      ...{ server: this.#server, sockets: this.#sockets },
      carriers: this.#carriers ?? this.#sockets,
      isAnswering: (carrier) => this.#requests.isAnswering(carrier),
      timeoutMs: this.#options.closeTimeoutMs ?? 7000,
    });
  }

  /** At most once a minute: the log must explain why clients cannot connect, and a flood must not fill it. */
  #reportDrop(): void {
    if (this.#dropTimer !== undefined) return;
    this.#options.logger.warn({ port: this.port }, 'connections are refused: there are too many');
    this.#dropTimer = setTimeout(() => {
      this.#dropTimer = undefined;
    }, 60_000).unref();
  }

  /** `hasBegun`: whether the request waited behind others, and is the one under way now. */
  readonly #receive = (
    message: IncomingMessage,
    response: ServerResponse,
    waitsForContinue = false,
    hasBegun = false,
  ): void => {
    if (!hasBegun && !this.#requests.mayBegin(message.socket, response)) {
      const begin = () => this.#receive(message, response, waitsForContinue, true);
      this.#requests.wait(message.socket, response, begin);
      return;
    }
    const request = new IncomingRequest(message, response);
    const { maxBytes, refusal } = this.#bodyLimit(request.path);
    if (Number(message.headers['content-length'] ?? 0) > maxBytes) {
      this.#sender.refuse(message, response, refusal);
      return;
    }
    let early: ReturnType<WaitingHeadHandler>;
    try {
      early = this.#options.answerHead?.(request);
    } catch (error) {
      early = this.#failure(error, request);
    }
    if (early instanceof Promise)
      void early.then((reply) => {
        if (!response.destroyed) this.#continue(request, message, response, waitsForContinue, reply);
      });
    else this.#continue(request, message, response, waitsForContinue, early);
  };

  /** Sends an early reply, or receives the body. */
  #continue(
    request: IncomingRequest,
    message: IncomingMessage,
    response: ServerResponse,
    waitsForContinue: boolean,
    early: HttpReply | undefined,
  ): void {
    if (early !== undefined) {
      if (hasSmallBody(message)) {
        this.#sender.send(message, response, early);
        message.resume();
      } else this.#sender.refuse(message, response, early);
    } else if (!hasBody(message)) {
      this.#answer(request, message, response);
    } else if (isUncounted(message)) {
      if (waitsForContinue) response.writeContinue();
      request.receiveUncounted(() => this.#answer(request, message, response));
    } else {
      this.#receiveBody(request, message, response, waitsForContinue);
    }
  }

  #receiveBody(
    request: IncomingRequest,
    message: IncomingMessage,
    response: ServerResponse,
    waitsForContinue: boolean,
  ): void {
    const encoding = message.headers['content-encoding'];
    const coding = codingOf(encoding);
    if (coding === undefined) {
      this.#sender.refuse(message, response, unknownCodingReply(encoding ?? ''));
      return;
    }
    const { maxBytes, refusal } = this.#bodyLimit(request.path);
    const limits = {
      maxBytes,
      share: this.#bodies,
      decodedShare: this.#decodedBodies,
      watch: this.#bodyWatch,
      inflow: this.#inflow,
      waitMs: this.#options.bodyWaitMs ?? 10_000,
    };
    const listener = {
      onRoom: () => {
        if (waitsForContinue) response.writeContinue();
      },
      onBody: (body: Buffer, lease: Lease | undefined) => {
        // The client may have disconnected while the body was decoded.
        if (response.destroyed) {
          lease?.release();
          return;
        }
        request.body = body;
        this.#answer(request, message, response, lease && holdUntilAnswered(lease, response));
      },
      onTooLarge: () => this.#sender.refuse(message, response, refusal),
      onNoRoom: () => this.#sender.refuse(message, response, noMemoryReply),
      onStalled: () => this.#sender.refuse(message, response, stalledReply),
      onInvalid: () => this.#sender.send(message, response, invalidGzipReply),
    };
    receiveBody(message, limits, coding === 'gzip' ? decodingGzip(limits, listener, response) : listener);
  }

  #answer(
    request: IncomingRequest,
    message: IncomingMessage,
    response: ServerResponse,
    onAnswered?: () => void,
  ): void {
    const send = (reply: AnyReply) => {
      onAnswered?.();
      this.#sender.send(message, response, reply);
      this.#requests.afterReply(message.socket);
    };
    try {
      const reply = this.#options.answer(request);
      if (reply instanceof Promise) reply.then(send, (error) => send(this.#failure(error, request)));
      else send(reply);
    } catch (error) {
      send(this.#failure(error, request));
    }
  }

  #failure(error: unknown, request: HttpRequest): HttpReply {
    this.#options.logger.error(
      { err: error, method: request.method, path: request.path },
      'a request failed unexpectedly',
    );
    return internalErrorReply;
  }
}

/**
 * The body stays in memory until its request is answered, even if the client has disconnected, and until the reply was
 * sent. Call the result when the request is answered.
 */
function holdUntilAnswered(lease: Lease, response: ServerResponse): () => void {
  let left = 2;
  const end = () => {
    left -= 1;
    if (left === 0) lease.release();
  };
  response.once('close', end);
  return end;
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
