// Sends replies: heads, bodies whose memory is counted, files in pieces, and streams.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Lease, MemoryShare } from '../limits/memory-share.js';
import type { Logger } from '../telemetry/logger.js';
import {
  chooseEncoding,
  compressBody,
  compressFromLength,
  compressToLength,
  contentEncodings,
} from './compress-reply.js';
import { namesTag, versionOf } from './file-pieces.js';
import type { AnyReply, FileReply, HttpReply, StreamReply } from './http-handler.js';
import { pathOf } from './incoming-request.js';
import type { InflowLimit } from './inflow-limit.js';
import { Lingering } from './lingering.js';
import { OpenReply } from './open-reply.js';
import { FileBody, pieceBytes, ReplyBody } from './reply-body.js';
import type { Transfer, TransferWatch } from './transfer-watch.js';

/** The limits and listeners of sending. */
export interface SendOptions {
  /**
   * For the bodies of all replies that clients have not read yet, except those too short to be compressed, which the
   * limit on connections bounds.
   */
  readonly share: MemoryShare;
  readonly watch: TransferWatch;
  /** For bodies of requests that are refused. */
  readonly inflow: InflowLimit;
  /** Called with the status of every reply. */
  readonly onReply?: ((status: number) => void) | undefined;
  readonly logger: Logger;
}

/** The seconds after which a client should send a refused request again. */
const retryAfterSeconds = 1;
/** The content type of messages that the server itself writes. */
export const plainText = 'text/plain; charset=utf-8';

/** There is no memory for the reply, or for the body of the request. */
export const noMemoryReply: HttpReply = {
  status: 503,
  contentType: plainText,
  body: 'the server has no memory left for a request or reply of this size; send the request again later, and fewer large ones at the same time\n',
  headers: { 'retry-after': String(retryAfterSeconds) },
};

/** For a fault of the server; the log has the details. */
export const internalErrorReply: HttpReply = {
  status: 500,
  contentType: plainText,
  body: 'internal error\n',
};

/** Sends the replies of a listener. */
export class ReplySender {
  readonly #options: SendOptions;
  readonly #streams = new Set<OpenReply>();
  readonly #lingering = new Lingering();
  #closesConnections = false;
  #isStopping = false;

  constructor(options: SendOptions) {
    this.#options = options;
  }

  /** From now on replies close their connection. */
  closeConnections(): void {
    this.#closesConnections = true;
  }

  /** From now on replies close their connection; streams and refused requests end. */
  stop(): void {
    this.closeConnections();
    this.#isStopping = true;
    for (const stream of this.#streams) stream.end();
    this.#lingering.stop();
  }

  /** Sends a reply; the caller must not use the response afterwards. */
  send(message: IncomingMessage, response: ServerResponse, reply: AnyReply): void {
    if (response.destroyed) return; // the client has disconnected
    const headers = this.#headersOf(reply);
    if (reply.start !== undefined) {
      this.#options.onReply?.(reply.status);
      this.#sendStream(message, response, reply, headers);
    } else if (reply.file !== undefined) {
      this.#sendFile(message, response, reply, headers);
    } else if (reply.body.length < compressFromLength) {
      this.#options.onReply?.(reply.status);
      headers['content-length'] = Buffer.byteLength(reply.body);
      response.writeHead(reply.status, headers);
      response.end(reply.body);
      this.#watchUntaken(response);
    } else this.#sendLarge(message, response, reply, headers);
  }

  /**
   * Answers a request without reading its body, and closes the connection. If the client still sends, the server reads
   * on for some seconds: closing with unread bytes makes the system reset the connection, and then some clients do not
   * read the reply.
   */
  refuse(message: IncomingMessage, response: ServerResponse, refusal: HttpReply): void {
    this.#options.onReply?.(refusal.status);
    const headers = this.#headersOf(refusal);
    response.writeHead(refusal.status, {
      ...headers,
      'content-length': Buffer.byteLength(refusal.body),
      connection: 'close',
    });
    response.write(refusal.body);
    this.#watchUntaken(response);
    const inflow = { pause: () => void message.pause(), resume: () => void message.resume() };
    message.on('data', (chunk: Buffer) => this.#options.inflow.count(inflow, chunk.length));
    message.resume();
    const forget = this.#lingering.endLater(() => response.end());
    message.once('close', () => {
      forget();
      response.end();
    });
  }

  #headersOf({ contentType, headers: given }: AnyReply): OutgoingHttpHeaders {
    const headers: OutgoingHttpHeaders = {
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
    };
    if (given !== undefined) Object.assign(headers, given);
    if (this.#closesConnections) headers.connection = 'close';
    return headers;
  }

  #sendLarge(
    message: IncomingMessage,
    response: ServerResponse,
    reply: HttpReply,
    headers: OutgoingHttpHeaders,
  ): void {
    const { share, onReply } = this.#options;
    const bytes = Buffer.byteLength(reply.body);
    const lease = reply.mayBeRefused === true ? share.tryTake(bytes) : share.takeAnyway(bytes);
    if (lease === undefined) {
      this.send(message, response, noMemoryReply);
      return;
    }
    onReply?.(reply.status);
    headers.vary = 'accept-encoding';
    // The lease is released only now: during compression the body is in memory even if the client has disconnected.
    const send = (body: Uint8Array) => {
      if (response.destroyed) {
        lease.release();
        return;
      }
      response.once('close', () => lease.release());
      headers['content-length'] = body.length;
      response.writeHead(reply.status, headers);
      this.#sendBody(response, body, lease);
    };
    const plain = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
    const encoding =
      bytes > compressToLength ? undefined : chooseEncoding(message.headers['accept-encoding']);
    if (encoding === undefined || message.method === 'HEAD') {
      send(plain);
      return;
    }
    compressBody(plain, encoding).then(
      (compressed) => {
        headers['content-encoding'] = encoding;
        send(compressed);
      },
      () => send(plain),
    );
  }

  #sendFile(
    message: IncomingMessage,
    response: ServerResponse,
    reply: FileReply,
    headers: OutgoingHttpHeaders,
  ): void {
    const lease = this.#options.share.tryTake(pieceBytes);
    if (lease === undefined) {
      this.send(message, response, noMemoryReply);
      return;
    }
    this.#sendVersion(message, response, reply, headers)
      .catch((err) => {
        this.#options.logger.error({ err, file: reply.file }, 'a file could not be sent');
        if (response.headersSent) response.destroy();
        else this.send(message, response, internalErrorReply);
      })
      .finally(() => lease.release());
  }

  async #sendVersion(
    message: IncomingMessage,
    response: ServerResponse,
    reply: FileReply,
    headers: OutgoingHttpHeaders,
  ): Promise<void> {
    const { encodedFiles = {} } = reply;
    const offered = contentEncodings.filter((encoding) => encodedFiles[encoding] !== undefined);
    const encoding = chooseEncoding(message.headers['accept-encoding'], offered);
    const file = await versionOf((encoding && encodedFiles[encoding]) ?? reply.file);
    if (response.destroyed) return; // the client has disconnected
    if (offered.length > 0) headers.vary = 'accept-encoding';
    const isKnown = namesTag(message.headers['if-none-match'], file.etag);
    const status = isKnown ? 304 : 200;
    this.#options.onReply?.(status);
    headers['cache-control'] ??= 'no-cache';
    headers.etag = file.etag;
    if (!isKnown) {
      headers['content-length'] = file.sizeBytes;
      if (encoding !== undefined) headers['content-encoding'] = encoding;
    }
    response.writeHead(status, headers);
    if (isKnown || message.method === 'HEAD') {
      response.end();
      return;
    }
    const body = new FileBody(response, file);
    this.#watchUntilClosed(response, body);
    await body.send();
  }

  #sendBody(response: ServerResponse, body: Uint8Array, lease: Lease): void {
    lease.shrinkTo(body.length);
    const sending = new ReplyBody(response, body);
    this.#watchUntilClosed(response, sending);
    sending.send();
  }

  /**
   * Watches a small reply that the system did not accept at once, or that waits behind one: the client may not be
   * reading.
   */
  #watchUntaken(response: ServerResponse): void {
    if (response.socket?.writableLength === 0) return;
    this.#watchUntilClosed(response, { movedBytes: 0, cutOff: () => response.destroy() });
  }

  #watchUntilClosed(response: ServerResponse, transfer: Transfer): void {
    const { watch } = this.#options;
    watch.watch(transfer);
    response.once('close', () => watch.forget(transfer));
  }

  #sendStream(
    message: IncomingMessage,
    response: ServerResponse,
    reply: StreamReply,
    headers: OutgoingHttpHeaders,
  ): void {
    response.writeHead(reply.status, headers);
    if (message.method === 'HEAD' || this.#isStopping) {
      response.end();
      return;
    }
    response.flushHeaders();
    const stream = new OpenReply(response, reply.maxBehindBytes, (err) => {
      const { method, url = '' } = message;
      this.#options.logger.error({ err, method, path: pathOf(url) }, 'a stream failed unexpectedly');
    });
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
    stream.run(() => reply.start(stream));
  }
}
