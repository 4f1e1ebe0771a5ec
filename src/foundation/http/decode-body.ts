// Decodes bodies of requests with the header `Content-Encoding`. Requests without it never come here.
import { gunzip } from 'node:zlib';
import type { Lease, MemoryShare } from '../limits/memory-share.js';
import { shortened } from '../text/shorten-text.js';
import type { BodyLimits, BodyListener } from './body-intake.js';
import type { HttpReply } from './http-handler.js';
import { uncountedBytes } from './incoming-request.js';
import { plainText } from './send-reply.js';

/** The limits of decoded bodies: those of bodies as they arrive. */
interface DecodingLimits extends Pick<BodyLimits, 'maxBytes' | 'share' | 'waitMs'> {
  /**
   * Memory only for decoded bodies. Bodies that wait for room hold memory of `share` as they arrived: without a part
   * that none of them holds, they would wait for each other.
   */
  readonly decodedShare: MemoryShare;
}

/** The stream of the reply, which closes when the client disconnects. */
interface ReplyStream {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** A listener that also gets the outcome of decoding. */
export interface DecodingListener extends BodyListener {
  /** The body is not in this coding. */
  onInvalid(): void;
}

/** The codings of bodies that the server decodes; `identity` is none. */
export type BodyCoding = 'identity' | 'gzip';

/** The coding of a header, absent for none; undefined for one that the server does not decode. */
export function codingOf(header: string | undefined): BodyCoding | undefined {
  const coding = (header ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  return coding === 'gzip' || coding === 'x-gzip' ? 'gzip' : undefined; // RFC 9110 §8.4.1.3
}

/** The reply to a body that is not in the coding that its header states. */
export const invalidGzipReply: HttpReply = {
  status: 400,
  contentType: plainText,
  body: 'the request has the header Content-Encoding: gzip, but its body is not valid gzip\n',
};

/** The reply to a body in another coding (RFC 9110 §15.5.16). */
export function unknownCodingReply(header: string): HttpReply {
  return {
    status: 415,
    contentType: plainText,
    body: `the server does not read bodies with the content encoding ${JSON.stringify(shortened(header, 40))}; send gzip, or leave the header Content-Encoding out\n`,
    headers: { 'accept-encoding': 'gzip, identity' },
  };
}

/**
 * A listener for bodies in gzip, which passes them on decoded. The end of such a body states its decoded size, so that
 * memory is reserved for what it needs. A body that states another size gets the memory of the largest one. When the
 * client disconnects, a body that waits for memory is discarded.
 */
export function decodingGzip(
  limits: DecodingLimits,
  listener: DecodingListener,
  reply: ReplyStream,
): BodyListener {
  return {
    onRoom: () => listener.onRoom(),
    onTooLarge: () => listener.onTooLarge(),
    onNoRoom: () => listener.onNoRoom(),
    onStalled: () => listener.onStalled(),
    onBody: (body, lease) => {
      const stated = body.length < trailerBytes ? 0 : body.readUInt32LE(body.length - 4);
      const releasing = { ...releasingFirst(lease, listener), onGone: () => lease?.release(), reply };
      const mostBytes = Math.min(Math.max(stated, uncountedBytes), limits.maxBytes);
      decodeWithin(body, mostBytes, limits, releasing);
    },
  };
}

/** The memory of the body as it arrived is released before the outcome. */
function releasingFirst(lease: Lease | undefined, listener: DecodingListener): DecodingListener {
  const after =
    <Values extends readonly unknown[]>(work: (...values: Values) => void) =>
    (...values: Values) => {
      lease?.release();
      work(...values);
    };
  return {
    ...listener,
    onBody: after((body: Buffer, own: Lease | undefined) => listener.onBody(body, own)),
    onTooLarge: after(() => listener.onTooLarge()),
    onNoRoom: after(() => listener.onNoRoom()),
    onInvalid: after(() => listener.onInvalid()),
  };
}

const trailerBytes = 8;

/** A listener while the body is decoded. */
interface Decoding extends DecodingListener {
  readonly reply: ReplyStream;
  /** The client disconnected. */
  onGone(): void;
}

function decodeWithin(body: Buffer, mostBytes: number, limits: DecodingLimits, listener: Decoding): void {
  reserve(mostBytes, limits, listener, (lease) => {
    gunzip(body, { maxOutputLength: mostBytes }, (error, decoded) => {
      if (error === null) {
        lease?.shrinkTo(decoded.length);
        listener.onBody(decoded, lease);
        return;
      }
      lease?.release();
      if (!isTooLarge(error)) listener.onInvalid();
      else if (mostBytes >= limits.maxBytes) listener.onTooLarge();
      else decodeWithin(body, limits.maxBytes, limits, listener);
    });
  });
}

function reserve(
  bytes: number,
  { share, decodedShare, waitMs }: DecodingLimits,
  { reply, onGone, onNoRoom }: Pick<Decoding, 'reply' | 'onGone' | 'onNoRoom'>,
  onReserved: (lease: Lease | undefined) => void,
): void {
  if (bytes <= uncountedBytes) {
    onReserved(undefined);
    return;
  }
  if (reply.destroyed) {
    onGone();
    return;
  }
  let stop = () => {};
  const end = () => {
    clearTimeout(timer);
    reply.off('close', discard);
    stop();
  };
  const discard = () => {
    end();
    onGone();
  };
  const timer = setTimeout(() => {
    end();
    onNoRoom();
  }, waitMs);
  reply.once('close', discard);
  stop = takeFromFirst([share, decodedShare], bytes, (lease) => {
    end();
    onReserved(lease);
  });
}

/** Takes memory of the first share that has it. The result cancels the waiting. */
function takeFromFirst(
  shares: readonly MemoryShare[],
  bytes: number,
  onTaken: (lease: Lease) => void,
): () => void {
  let isTaken = false;
  const waits: (() => void)[] = [];
  const stop = () => {
    for (const stopWaiting of waits) stopWaiting();
  };
  for (const share of shares) {
    if (isTaken) break;
    const stopWaiting = share.takeWhenFree(bytes, (lease) => {
      isTaken = true;
      stop();
      onTaken(lease);
    });
    waits.push(stopWaiting);
  }
  return stop;
}

function isTooLarge(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_BUFFER_TOO_LARGE';
}
