// The form in which the operations service reports problems.
import type { HttpReply } from '../../foundation/http/http-handler.js';
import { type OpsError, refusals } from '../errors/ops-error.js';

/** The reply `{"type","message","details"}` to a request that is refused. */
export function errorReply(error: OpsError, headers: Readonly<Record<string, string>> = {}): HttpReply {
  const { refusal, message, details, retryAfterSeconds } = error;
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return {
    status: refusals[refusal],
    contentType: 'application/json',
    body: JSON.stringify({ type: refusal, message, details }),
    headers: { ...headers, ...retryAfter },
  };
}

/** The reply to an internal error; the log has the rest under the id. */
export function faultReply(logId: string): HttpReply {
  const message = `an internal error; the log has the cause under the id ${logId}`;
  return {
    status: 500,
    contentType: 'application/json',
    body: JSON.stringify({ type: 'InternalError', message, details: [] }),
  };
}
