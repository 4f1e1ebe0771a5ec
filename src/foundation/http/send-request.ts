// Requests to other servers: a time limit, a size limit, no redirects. The only file that calls fetch.

/** A request to another server. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole exchange, from the first packet to the last byte of the reply. */
  readonly timeoutMs: number;
  /** Of the reply's body, once decompressed. */
  readonly maxBodyBytes: number;
  /** Gives the exchange up from outside. */
  readonly signal?: AbortSignal | undefined;
}

/** What the other server answered, whatever its status. */
export interface OutgoingReply {
  readonly status: number;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Buffer;
}

/** Why there is no whole reply. */
export type SendProblem = 'timeout' | 'unknownHost' | 'unreachable' | 'tooLarge' | 'aborted';

/** There is no whole reply. The message names neither the headers nor the body that were sent. */
export class SendFailure extends Error {
  readonly problem: SendProblem;

  constructor(problem: SendProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** Sends a request and waits for the whole reply; passed in where something goes over the network. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingReply>;

/**
 * Sends over HTTP or HTTPS. A redirect is a reply like any other.
 * @throws SendFailure
 */
export async function sendRequest(request: OutgoingRequest): Promise<OutgoingReply> {
  const { method, url, headers, body, timeoutMs, maxBodyBytes } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  try {
    const response = await fetch(url, { method, headers, redirect: 'manual', signal, body: body ?? null });
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: await readWhole(response, maxBodyBytes),
    };
  } catch (error) {
    if (error instanceof SendFailure) throw error;
    if (timeout.aborted) throw new SendFailure('timeout', `no whole reply within ${timeoutMs} ms`, error);
    if (signal.aborted) throw new SendFailure('aborted', 'the request was given up', error);
    throw networkFailure(error);
  }
}

async function readWhole(response: Response, maxBodyBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  if (response.body !== null) {
    for await (const chunk of response.body) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBodyBytes)
        throw new SendFailure('tooLarge', `the reply has more than ${maxBodyBytes} bytes`);
      chunks.push(chunk);
    }
  }
  return Buffer.concat(chunks);
}

const unknownHost = ['ENOTFOUND', 'EAI_AGAIN'];

/** `fetch` says "fetch failed"; what failed is in the cause. */
function networkFailure(error: unknown): SendFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : code;
  return new SendFailure(unknownHost.includes(code) ? 'unknownHost' : 'unreachable', reason, error);
}
