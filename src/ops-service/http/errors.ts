// The form in which the operations service reports problems.
import type { HttpReply } from '../../foundation/http/http-handler.js';

/** One problem of a request: where it is and what it is. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** A reply `{"type","message","details"}`. */
export function errorReply(
  status: number,
  type: string,
  message: string,
  options: {
    readonly details?: readonly ErrorDetail[];
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): HttpReply {
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify({ type, message, details: options.details ?? [] }),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
  };
}
