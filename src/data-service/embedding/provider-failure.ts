// Why a provider gave no embeddings.

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
  /** No whole reply in time, or 408 or 504. */
  | 'timeout'
  /** No connection, or one that was cut. */
  | 'unreachable'
  /** Its host name is unknown. */
  | 'badHostName'
  /** A reply that has not the form it should have. */
  | 'unexpectedResponse'
  /** The same where nothing can be read from it, for a provider whose language has a name for that. */
  | 'unreadableResponse'
  /** A text that its language cannot carry, likewise. */
  | 'unwritableRequest';

/** A provider gave no embeddings. Neither message nor cause has a secret in it. */
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

  /** Whether the same request may do better a moment later. */
  get mayPass(): boolean {
    return passing.includes(this.problem);
  }
}

const passing: readonly ProviderProblem[] = ['rateLimited', 'serverError', 'timeout', 'unreachable'];
