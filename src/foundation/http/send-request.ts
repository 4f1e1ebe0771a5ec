// Requests to other servers: a time limit, a size limit, checked addresses, no redirects.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { AddressPolicy } from './address-policy.js';
import { AddressDenied, checkedLookup, checkLiteral } from './checked-lookup.js';

/** A request to another server. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** http or https. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For the whole exchange, from the first packet to the last byte of the reply. */
  readonly timeoutMs: number;
  /** Limit of the reply's body after decompression. */
  readonly maxBodyBytes: number;
  /** Only the status matters: a body that is too long, late or incomplete is truncated instead of failing. */
  readonly takesCutBody?: boolean;
  /** Cancels the exchange. */
  readonly signal?: AbortSignal | undefined;
}

/** The reply of the other server, whatever its status. */
export interface OutgoingReply {
  readonly status: number;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Buffer;
}

/** Why there is no complete reply. */
export type SendProblem = 'timeout' | 'unknownHost' | 'unreachable' | 'denied' | 'tooLarge' | 'aborted';

/** There is no complete reply. The message contains neither path, query, headers nor body of the request. */
export class SendFailure extends Error {
  readonly problem: SendProblem;
  /** The complete request was sent: the other server may have acted on it. */
  readonly hasLeft: boolean;

  constructor(problem: SendProblem, message: string, cause?: unknown, hasLeft = false) {
    super(message, { cause });
    this.problem = problem;
    this.hasLeft = hasLeft;
  }
}

/** Sends a request and waits for the complete reply; injected into code that uses the network. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingReply>;

/**
 * A sender with its own connections, which it keeps open for later requests. It does not follow redirects and rejects
 * with a SendFailure. Without a policy it connects to any address.
 */
export function createSendRequest(policy?: AddressPolicy): SendRequest {
  const lookup = policy === undefined ? {} : { lookup: checkedLookup(policy) };
  const agents = {
    http: new HttpAgent({ keepAlive: true, ...lookup }),
    https: new HttpsAgent({ keepAlive: true, ...lookup }),
  };
  return async (request) => {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      throw new SendFailure('unreachable', 'the URL is not one of http or https');
    }
    try {
      if (policy !== undefined) checkLiteral(policy, url.hostname.replace(/^\[(.*)\]$/, '$1'));
      return await exchange(request, url, agents);
    } catch (error) {
      throw error instanceof SendFailure ? error : networkFailure(error, false);
    }
  };
}

/** A sender that connects to any address. */
export const sendRequest: SendRequest = createSendRequest();

function exchange(
  request: OutgoingRequest,
  url: URL,
  agents: { readonly http: HttpAgent; readonly https: HttpsAgent },
): Promise<OutgoingReply> {
  return new Promise((resolve, reject) => {
    const { method, headers, body, timeoutMs, signal } = request;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, headers: { 'accept-encoding': 'gzip', ...headers, ...length } };
    const outgoing =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: agents.https })
        : httpRequest(url, { ...options, agent: agents.http });

    let givenUp: SendFailure | undefined;
    let received: IncomingMessage | undefined;
    const giveUp = (problem: SendProblem, message: string) => {
      givenUp = new SendFailure(problem, message, undefined, outgoing.writableFinished);
      (received ?? outgoing).destroy(givenUp);
    };
    const abort = () => giveUp('aborted', 'the request was cancelled');
    const timer = setTimeout(() => giveUp('timeout', `no whole reply within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    const settle = (outcome: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      outcome();
    };
    const fail = (error: unknown) => {
      settle(() => reject(givenUp ?? networkFailure(error, outgoing.writableFinished)));
    };

    outgoing.on('error', (error) => {
      // When the reply has begun, the reader of its body gets the error.
      if (received === undefined) fail(error);
    });
    outgoing.on('response', (response) => {
      received = response;
      readWhole(response, request).then((whole) => settle(() => resolve(replyOf(response, whole))), fail);
    });
    outgoing.end(body);
  });
}

function replyOf(response: IncomingMessage, body: Buffer): OutgoingReply {
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body,
  };
}

async function readWhole(response: IncomingMessage, request: OutgoingRequest): Promise<Buffer> {
  const { maxBodyBytes, takesCutBody = false } = request;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of decompressed(response)) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBodyBytes) {
        throw new SendFailure('tooLarge', `the reply has more than ${maxBodyBytes} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    response.destroy();
    if (!takesCutBody) throw error;
  }
  return Buffer.concat(chunks);
}

/** Decodes only the encodings that the request accepts; a body in another encoding is returned unchanged. */
function decompressed(response: IncomingMessage): Readable {
  if (response.headers['content-encoding']?.toLowerCase() !== 'gzip') return response;
  // The reader of the result gets the errors of both streams.
  return pipeline(response, createGunzip(), () => {});
}

const unknownHost = ['ENOTFOUND', 'EAI_AGAIN'];

function networkFailure(error: unknown, hasLeft: boolean): SendFailure {
  if (error instanceof SendFailure) return error;
  if (error instanceof AddressDenied) return new SendFailure('denied', error.message, error);
  const attempts = error instanceof AggregateError ? error.errors : [];
  const cause: unknown = attempts[0] ?? error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : code;
  return new SendFailure(unknownHost.includes(code) ? 'unknownHost' : 'unreachable', reason, error, hasLeft);
}
