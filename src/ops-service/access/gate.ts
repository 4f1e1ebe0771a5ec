// Decides whether a caller may send a request.
import type { OpsRole } from '../../foundation/config/ops-users.js';
import { isLoopbackHost } from '../../foundation/http/hosts.js';
import type { RequestHead } from '../../foundation/http/http-handler.js';
import { isSameSecret } from '../../foundation/secrets/is-same-secret.js';
import { OpsError } from '../errors/ops-error.js';
import type { Caller } from '../events/event.js';
import type { Sessions } from './sessions.js';
import type { Users } from './users.js';

/** What a route requires of its callers: nothing, a login, or the role operator. */
export type AccessLevel = 'open' | 'viewer' | 'operator';

/** An admitted caller. */
export interface Admission {
  readonly caller: Caller;
  /** The hash of the session; undefined without a login. */
  readonly session: string | undefined;
  /** The role of the login; undefined without a login. */
  readonly role: OpsRole | undefined;
}

/** The inputs of the decision. */
export interface GateParts {
  readonly users: Users;
  readonly sessions: Sessions;
  /** The token of the data service; required for changes as long as there are no users. */
  readonly token: string | undefined;
}

/** The header and the cookie that carry the id of a session. */
export const sessionName = 'opscenter-session';

/** Admits a request. @throws OpsError `Unauthorized`, `Forbidden` */
export function admit(head: RequestHead, access: AccessLevel, parts: GateParts): Admission {
  const address = head.remoteAddress;
  if (parts.users.isEmpty) {
    if (access === 'operator') demandToken(head, parts.token);
    return { caller: { user: '', address }, session: undefined, role: undefined };
  }
  const id = head.header(sessionName) ?? cookieOf(head.header('cookie') ?? '');
  const session = id === undefined ? undefined : parts.sessions.find(id);
  if (access === 'open')
    return {
      caller: { user: session?.user.name ?? '', address },
      session: session?.hash,
      role: session?.user.role,
    };
  if (session === undefined) {
    const message =
      id === undefined ? 'log in first: POST /login' : 'the session is unknown or has ended: log in again';
    throw new OpsError('Unauthorized', message);
  }
  const { user, hash } = session;
  if (access === 'operator' && user.role !== 'operator') {
    const message = `this needs the role operator; ${JSON.stringify(user.name)} has the role ${user.role}`;
    throw new OpsError('Forbidden', message);
  }
  return { caller: { user: user.name, address }, session: hash, role: user.role };
}

function demandToken(head: RequestHead, token: string | undefined): void {
  const given = head.header('token') ?? '';
  if (token === undefined || isSameSecret(given, token)) return;
  const message =
    given === ''
      ? 'this needs the token that the server was started with: send it in the header Token'
      : 'the token in the header Token is wrong';
  throw new OpsError('Unauthorized', message);
}

/** Whether a request has the cookie, which browsers add to requests of every page of the same host. */
export function hasSessionCookie(head: RequestHead): boolean {
  return cookieOf(head.header('cookie') ?? '') !== undefined;
}

function cookieOf(header: string): string | undefined {
  const cookies = header.split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${sessionName}=`))?.slice(sessionName.length + 1);
}

/** The settings for access to the metrics of the process. */
export interface MetricsAccess {
  /** The address of the port; on a loopback address every caller has access. */
  readonly opsHost: string;
  /** On other addresses, callers must send this token as Bearer. */
  readonly metricsToken: string | undefined;
}

/** @throws OpsError `Unauthorized` */
export function demandMetricsAccess(authorization: string | undefined, access: MetricsAccess): void {
  if (isLoopbackHost(access.opsHost)) return;
  const [scheme, given] = (authorization ?? '').split(' ');
  if (access.metricsToken !== undefined && given !== undefined && scheme?.toLowerCase() === 'bearer') {
    if (isSameSecret(given, access.metricsToken)) return;
  }
  throw new OpsError('Unauthorized', 'send the token of --metrics-token as Bearer');
}
