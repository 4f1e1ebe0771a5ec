// What the HTTP server hands to the services and gets back from them. Knows no HTTP library.

/** A request whose body has not been read yet. */
export interface RequestHead {
  /** Upper case: `POST`. */
  readonly method: string;
  /** Without the query, not decoded: `/v1/my%20keyspace`. */
  readonly path: string;
  /** The value of a header by its lower-case name; repeated headers are joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
}

/** A request with its body. */
export interface HttpRequest extends RequestHead {
  /** Empty when the request has none. At most the server's limit. */
  readonly body: Buffer;
}

/** A whole reply. */
export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Further headers, names in lower case; never `content-type`, `content-length` or `content-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request. Whatever it throws is logged and answered with a bare 500. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpReply> | HttpReply;

/** Answers what needs no body, before the body is waited for; undefined passes the request on. */
export type HeadHandler = (head: RequestHead) => HttpReply | undefined;
