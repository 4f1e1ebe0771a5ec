// The requests and replies between the HTTP server and the services. Independent of the HTTP library.
import type { ContentEncoding } from './compress-reply.js';

/** A request whose body has not been read yet. */
export interface RequestHead {
  /** Upper case: `POST`. */
  readonly method: string;
  /** Without the query, not decoded: `/v1/my%20keyspace`. */
  readonly path: string;
  /** What follows the `?`, not decoded; empty when there is none. */
  readonly query: string;
  /** The address of the client; IPv4 in dotted form also on a dual-stack socket. */
  readonly remoteAddress: string;
  /** The value of a header by its lower-case name; repeated headers are joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
  /** All headers, as `header` returns them, by their lower-case names. Absent in requests that no client sent. */
  headers?(): ReadonlyMap<string, string>;
}

/** A request with its body. */
export interface HttpRequest extends RequestHead {
  /** Empty when the request has none. At most the server's limit. */
  readonly body: Buffer;
  /**
   * Calls back when the client no longer waits: it has the reply, or has disconnected. Absent if that cannot happen.
   */
  onGone?(listener: () => void): void;
}

/** A reply with its whole body. */
export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  /** A text, or its bytes in UTF-8. */
  readonly body: string | Uint8Array;
  /** Nothing was changed, so 503 may be sent instead if memory is short. */
  readonly mayBeRefused?: boolean;
  /** Further headers, names in lower case; never `content-type`, `content-length` or `content-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly start?: undefined;
  readonly file?: undefined;
}

/** Paths of compressed files by their encoding. */
export type EncodedFiles = Readonly<Partial<Record<ContentEncoding, string>>>;

/**
 * A reply whose body is a file. The server gives it an `etag`, and answers 304 to a client that has the same version.
 * The file is sent in pieces, as fast as the client reads them, in the encoding that the client prefers among those
 * there are.
 */
export interface FileReply extends Pick<HttpReply, 'contentType'> {
  readonly status: 200;
  /** Path of the file. It must exist, and must not change while it is sent: otherwise the reply is cut off. */
  readonly file: string;
  /** Paths of files that hold the same content compressed, by encoding. */
  readonly encodedFiles?: EncodedFiles;
  /**
   * Headers of the reply. Without `cache-control` the server sends `no-cache`: clients ask each time whether it has
   * changed.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly start?: undefined;
}

/** A reply whose body is written over time, until one side ends it. */
export interface StreamReply extends Pick<HttpReply, 'status' | 'contentType' | 'headers'> {
  /** Called once, when the head has been written. */
  readonly start: (stream: ReplyStream) => void;
  /** A client that leaves more than this unread, not counting the longest piece under way, is disconnected. */
  readonly maxBehindBytes: number;
  readonly file?: undefined;
}

/** What a handler may answer with. */
export type AnyReply = HttpReply | StreamReply | FileReply;

/**
 * The body of a reply that is being written. After its end all calls do nothing. An error that `start` or a listener
 * throws is logged and cuts off this stream only.
 */
export interface ReplyStream {
  /** Bytes that were written and that the system has not accepted yet. */
  readonly behindBytes: number;
  write(text: string): void;
  /** Ends the body normally. */
  end(): void;
  /** Calls back whenever the system has accepted all that was written. */
  onDrain(listener: () => void): void;
  /** Calls back once when the stream is over: ended, cut off, or closed by the client. */
  onClose(listener: () => void): void;
}

/** Answers a request. An error that it throws is logged and answered with a 500 without details. */
export type HttpHandler<Reply extends AnyReply = HttpReply> = (
  request: HttpRequest,
) => Promise<Reply> | Reply;

/** Answers requests that need no body before the body arrives; undefined passes the request on. */
export type HeadHandler = (head: RequestHead) => HttpReply | undefined;

/** A head handler that may have to wait; the body is not received until then. It never rejects. */
export type WaitingHeadHandler = (
  head: RequestHead,
) => HttpReply | undefined | Promise<HttpReply | undefined>;
