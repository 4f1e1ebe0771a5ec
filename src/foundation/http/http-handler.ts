// What the HTTP server hands to the services and gets back from them. Knows no HTTP library.

/** A request whose body has not been read yet. */
export interface RequestHead {
  /** Upper case: `POST`. */
  readonly method: string;
  /** Without the query, not decoded: `/v1/my%20keyspace`. */
  readonly path: string;
  /** What follows the `?`, not decoded; empty when there is none. */
  readonly query: string;
  /** The address that the connection comes from; IPv4 in dotted form also on a socket of both families. */
  readonly remoteAddress: string;
  /** The value of a header by its lower-case name; repeated headers are joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
}

/** A request with its body. */
export interface HttpRequest extends RequestHead {
  /** Empty when the request has none. At most the server's limit. */
  readonly body: Buffer;
  /**
   * Calls back when the client no longer waits: it has the reply, or has disconnected. Absent where that cannot
   * be.
   */
  onGone?(listener: () => void): void;
}

/** A whole reply. */
export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  /** A text, or the bytes of one. */
  readonly body: string | Uint8Array;
  /** Nothing was changed: where memory is short, 503 may be sent in its place. */
  readonly mayBeRefused?: boolean;
  /** Further headers, names in lower case; never `content-type`, `content-length` or `content-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly start?: undefined;
  readonly file?: undefined;
}

/**
 * A reply whose body is a file. The server gives it an `etag`, and answers 304 to a client that has the same version
 * already. It is sent as it is on the disk, never compressed, in pieces as fast as its reader takes them.
 */
export interface FileReply extends Pick<HttpReply, 'contentType'> {
  readonly status: 200;
  /** Path of the file. It must exist, and must not change while it is sent: otherwise the reply is cut off. */
  readonly file: string;
  /** As for every reply; `cache-control` is `no-cache` without one here: clients ask each time if it has changed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly start?: undefined;
}

/** A reply whose body is written as time goes by, until one of both sides ends it. */
export interface StreamReply extends Pick<HttpReply, 'status' | 'contentType' | 'headers'> {
  /** Called once, when the head has been written. */
  readonly start: (stream: ReplyStream) => void;
  /** A reader that leaves more than this unread, not counting the longest piece on its way, is disconnected. */
  readonly maxBehindBytes: number;
  readonly file?: undefined;
}

/** What a handler may answer with. */
export type AnyReply = HttpReply | StreamReply | FileReply;

/**
 * The body of a reply that is being written. After its end everything does nothing. What `start` or a listener throws
 * is logged and cuts this stream off.
 */
export interface ReplyStream {
  /** What was written and not yet taken by the system. */
  readonly behindBytes: number;
  write(text: string): void;
  /** Ends the body in order. */
  end(): void;
  /** Calls back whenever all that was written is on its way. */
  onDrain(listener: () => void): void;
  /** Calls back once when the stream is over: ended, cut off, or left by its reader. */
  onClose(listener: () => void): void;
}

/** Answers a request. Whatever it throws is logged and answered with a bare 500. */
export type HttpHandler<Reply extends AnyReply = HttpReply> = (
  request: HttpRequest,
) => Promise<Reply> | Reply;

/** Answers what needs no body, before the body is waited for; undefined passes the request on. */
export type HeadHandler = (head: RequestHead) => HttpReply | undefined;
