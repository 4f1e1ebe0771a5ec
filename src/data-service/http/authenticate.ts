// Reads who sends a request from its token (wire: Token semantics).
import { isUtf8 } from 'node:buffer';
import type { RequestHead } from '../../foundation/http/http-handler.js';
import { isSameDigest, secretDigest } from '../../foundation/secrets/is-same-secret.js';
import { tokenHeader } from '../engine/client-failure.js';
import type { StorageUser } from '../engine/storage-users.js';
import { type ApiError, apiError } from '../errors/api-error.js';

/** Who sends a request; without a user it has the rights of the server. */
export interface Caller {
  readonly user: StorageUser | undefined;
}

/** The caller, or the error for a token that is missing, wrong or malformed. */
export type Authenticate = (request: RequestHead) => Caller | ApiError;

const server: Caller = { user: undefined };
const userPrefix = 'Cassandra:';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whose tokens are accepted. */
export interface AcceptedTokens {
  /** That of the server; undefined: every request is accepted, with the rights of the server. */
  readonly token: string | undefined;
  /**
   * Whether tokens of the form `Cassandra:<base64 of the name>:<base64 of the password>` name users of the storage,
   * unless they are equal to that of the server. `required`: no other tokens are accepted.
   */
  readonly users: 'none' | 'accepted' | 'required';
}

/** Makes the check of tokens. */
export function makeAuthenticate({ token, users }: AcceptedTokens): Authenticate {
  if (users === 'required') return onlyUser;
  if (token === undefined && users === 'none') return () => server;
  const expected = token === undefined ? undefined : secretDigest(token);
  return (request) => {
    const given = tokenOf(request);
    if (given === '') return expected === undefined ? server : missing();
    const isUser = users === 'accepted' && given.startsWith(userPrefix);
    if (expected === undefined && !isUser) return server;
    const hash = secretDigest(given);
    if (expected !== undefined && isSameDigest(hash, expected)) return server;
    return isUser ? (readUser(given, hash) ?? refused()) : refused();
  };
}

function onlyUser(request: RequestHead): Caller | ApiError {
  const given = tokenOf(request);
  if (given === '') return missing();
  return (given.startsWith(userPrefix) ? readUser(given, secretDigest(given)) : undefined) ?? refused();
}

/** The token of a request; empty if it has none. */
export function tokenOf(request: RequestHead): string {
  return request.header('token') ?? request.header('x-cassandra-token') ?? '';
}

function missing(): ApiError {
  return apiError('security', 'MISSING_AUTHENTICATION_TOKEN', { header: tokenHeader });
}

function refused(): ApiError {
  return apiError('security', 'UNAUTHENTICATED_REQUEST', { header: tokenHeader });
}

function readUser(token: string, hash: Buffer): Caller | undefined {
  const [username, password, ...more] = token.slice(userPrefix.length).split(':').map(decoded);
  if (username === undefined || username === '' || password === undefined || more.length > 0)
    return undefined;
  return { user: { key: hash.toString('base64'), username, password } };
}

/** Undefined for what is not the base64 of a text without U+0000, which ends a name in the protocol. */
function decoded(text: string): string | undefined {
  if (!base64.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
}
