// Why a provider returned no embeddings.

/** The kinds of failure that callers distinguish. */
export type ProviderProblem =
  /** The provider needs a secret, and there is none. */
  | 'keysMissing'
  /** It refused the request (4xx), the secret included. */
  | 'clientError'
  /** 429. */
  | 'rateLimited'
  /** 5xx. */
  | 'serverError'
  /** No complete reply in time, or 408 or 504. */
  | 'timeout'
  /** No connection, or one that was cut. */
  | 'unreachable'
  /** Its host name is unknown. */
  | 'badHostName'
  /** A reply that does not have the expected form. */
  | 'unexpectedResponse'
  /** A reply that cannot be decoded, for a provider with a separate error for that. */
  | 'unreadableResponse'
  /** A text that cannot be encoded, likewise. */
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

  /** Whether the same request may succeed a moment later. */
  get mayPass(): boolean {
    return passing.includes(this.problem);
  }
}

const passing: readonly ProviderProblem[] = ['rateLimited', 'serverError', 'timeout', 'unreachable'];
