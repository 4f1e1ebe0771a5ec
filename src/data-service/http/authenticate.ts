// Checks the token of a request (wire: Token semantics; differences: Credentials and tokens).
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHead } from '../../foundation/http/http-handler.js';
import { type ApiError, apiError } from '../errors/api-error.js';

const header = 'Token';

/** Returns undefined for an accepted request. Without a token of the server every request is accepted. */
export type Authenticate = (request: RequestHead) => ApiError | undefined;

/** Makes the check for the server's token; undefined where it has none. */
export function makeAuthenticate(token: string | undefined): Authenticate {
  if (token === undefined) return () => undefined;
  const expected = digest(token);
  return (request) => {
    const given = request.header('token') ?? request.header('x-cassandra-token') ?? '';
    if (given === '') return apiError('security', 'MISSING_AUTHENTICATION_TOKEN', { header });
    // Digests have one length, so that the time of the comparison reveals nothing about the token.
    if (timingSafeEqual(digest(given), expected)) return undefined;
    return apiError('security', 'UNAUTHENTICATED_REQUEST', { header });
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
