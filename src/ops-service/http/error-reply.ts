// The form of error replies of the operations service.
import type { HttpReply } from '../../foundation/http/http-handler.js';
import { type OpsError, refusals } from '../errors/ops-error.js';

/** The reply `{"type","message","details"}` to a refused request. */
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

/** The reply to an internal error; the log has the details under the id. */
export function faultReply(logId: string): HttpReply {
  const message = `an internal error; the log has the cause under the id ${logId}`;
  return {
    status: 500,
    contentType: 'application/json',
    body: JSON.stringify({ type: 'InternalError', message, details: [] }),
  };
}
