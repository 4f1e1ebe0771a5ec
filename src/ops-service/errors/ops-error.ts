// The error that the layers of the operations service throw for a request that cannot be done.
import { shortened } from '../../foundation/text/shorten-text.js';
import type { ErrorForm } from '../../foundation/threads/crossing-error.js';

/** One problem of a request: where it is (`threshold`, `cassandra.seed_hosts`, empty for the whole) and what it is. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** The kinds of refusals with their names in replies and their HTTP status. */
export const refusals = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  ForeignHost: 403,
  ForeignOrigin: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  Unavailable: 503,
} as const;

/** A kind of refusal, the `type` of the error reply. */
export type Refusal = keyof typeof refusals;

/** The maximum number of details in one reply. */
const mostDetails = 20;
/** The maximum lengths in characters. Paths and messages contain names that the caller sent. */
const longest = { message: 2000, path: 200, detail: 1000 } as const;

/**
 * A refused request. The caller sees the message and the details, so they contain no secrets. If there are too many
 * details, the first ones are kept, and the message says so.
 */
export class OpsError extends Error {
  readonly refusal: Refusal;
  readonly details: readonly ErrorDetail[];
  /** Sent as the header Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    refusal: Refusal,
    message: string,
    options: {
      readonly details?: readonly ErrorDetail[];
      readonly retryAfterSeconds?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    const { details = [], cause } = options;
    const more = details.length - mostDetails;
    const note = more > 0 ? `; details lists the first ${mostDetails}, there are ${more} more` : '';
    // Names that the caller sent can have half of a surrogate pair.
    super(`${shortened(message, longest.message).toWellFormed()}${note}`, { cause });
    this.refusal = refusal;
    this.details = details.slice(0, mostDetails).map(({ path, message: problem }) => ({
      path: shortened(path, longest.path).toWellFormed(),
      message: shortened(problem, longest.detail).toWellFormed(),
    }));
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The form in which the error is sent between threads, without its cause. */
export const opsErrorForm: ErrorForm = {
  kind: 'ops-error',
  pack: (error) => {
    if (!(error instanceof OpsError)) return undefined;
    const { refusal, message, details, retryAfterSeconds } = error;
    return { refusal, message, details, retryAfterSeconds } satisfies PackedOpsError;
  },
  unpack: (packed) => {
    // It was packed by `pack`.
    const { refusal, message, details, retryAfterSeconds } = packed as PackedOpsError;
    return new OpsError(refusal, message, {
      details,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  },
};

interface PackedOpsError {
  readonly refusal: Refusal;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
}
