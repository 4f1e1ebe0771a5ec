// One keep-alive connection of the load generator: as little work per request as the protocol allows.
import { connect } from 'node:net';

/** A reply: whether it is a success, and its body. */
export interface RawReply {
  /** A status of success and no `"errors"` in the body. */
  readonly isSuccess: boolean;
  /** Read when asked for: most callers only count. */
  readonly body: () => string;
}

/** What a request does. */
export type HttpMethod = 'GET' | 'POST' | 'PATCH';

/** One request may be outstanding at a time. */
export interface HttpConnection {
  send(path: string, body: string, method?: HttpMethod): void;
  /** Sends what `requestBytes` gave. */
  sendBytes(request: Uint8Array): void;
  close(): void;
}

const headEnd = Buffer.from('\r\n\r\n');
const errorsMember = Buffer.from('"errors"');

/** Connects to a port of this machine. `onReply` gets each reply, `onFailure` the end of the connection. */
export async function openConnection(
  port: number,
  onReply: (reply: RawReply) => void,
  onFailure: (error: Error) => void,
): Promise<HttpConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let closing = false;
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const length = replyLength(received);
    if (length === undefined || received.length < length.head + length.body) return;
    const body = received.subarray(length.head, length.head + length.body);
    const isSuccess = length.status.startsWith('2') && body.indexOf(errorsMember) < 0;
    received = received.subarray(length.head + length.body);
    onReply({ isSuccess, body: () => body.toString('utf8') });
  });
  socket.on('error', onFailure);
  socket.on('close', () => {
    if (!closing) onFailure(new Error('the server closed the connection'));
  });
  return {
    send: (path, body, method) => void socket.write(requestText(path, body, method)),
    sendBytes: (request) => void socket.write(request),
    close() {
      closing = true;
      socket.destroy();
    },
  };
}

/** A request that is made once, to be sent often: the time to make it is not part of a measurement. */
export function requestBytes(path: string, body: string): Uint8Array {
  return Buffer.from(requestText(path, body));
}

function requestText(path: string, body: string, method: HttpMethod = 'POST'): string {
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nToken: benchmark\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

interface ReplyLength {
  readonly status: string;
  readonly head: number;
  readonly body: number;
}

/** Undefined until the head is complete. */
function replyLength(received: Buffer): ReplyLength | undefined {
  const end = received.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end);
  const status = head.slice(9, 12);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const body = chunkedLength(received, end + headEnd.length);
    return body === undefined ? undefined : { status, head: end + headEnd.length, body };
  }
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a reply without content-length: ${head}`);
  return { status, head: end + headEnd.length, body: Number(length) };
}

/** The length of a body in chunks, with the lines between them; undefined until all are there. */
function chunkedLength(received: Buffer, from: number): number | undefined {
  for (let at = from; ; ) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > received.length) return undefined;
    if (size === 0) return at - from;
  }
}
