// The failure of a provider to return embeddings.

/** The kinds of failure that callers distinguish. */
export type ProviderProblem =
  /** The provider needs a secret, and none was given. */
  | 'keysMissing'
  /** It refused the request (4xx), perhaps because of the secret. */
  | 'clientError'
  /** 429. */
  | 'rateLimited'
  /** 5xx. */
  | 'serverError'
  /** No complete reply in time, or 408 or 504. */
  | 'timeout'
  /** No connection, or a broken one. */
  | 'unreachable'
  /** Its host name is unknown. */
  | 'badHostName'
  /** A reply that does not have the expected form. */
  | 'unexpectedResponse'
  /** A reply that cannot be decoded, for providers with a separate error for that. */
  | 'unreadableResponse'
  /** A text that cannot be encoded, for providers with a separate error for that. */
  | 'unwritableRequest';

/** A provider returned no embeddings. Neither the message nor the cause contains a secret. */
export class ProviderFailure extends Error {
  readonly problem: ProviderProblem;
  /** The delay of the provider's Retry-After, if it sent one. */
  readonly retryAfterMs: number | undefined;

  constructor(
    problem: ProviderProblem,
    message: string,
    more: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined);
    this.problem = problem;
    this.retryAfterMs = more.retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get mayPass(): boolean {
    return passing.includes(this.problem);
  }
}

const passing: readonly ProviderProblem[] = ['rateLimited', 'serverError', 'timeout', 'unreachable'];
