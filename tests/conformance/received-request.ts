// A request to an embedding provider, as its server sees it.

/** A request as the server got it. */
export interface ReceivedRequest {
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}
