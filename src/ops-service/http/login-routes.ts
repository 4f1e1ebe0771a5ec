// The routes for logging in and out.
import * as v from 'valibot';
import { mostOfLogin } from '../../foundation/config/ops-users.js';
import { sessionName } from '../access/gate.js';
import { sessionSeconds } from '../access/sessions.js';
import { closedObject } from '../errors/closed-object.js';
import { limitedText } from '../errors/limited-text.js';
import { OpsError } from '../errors/ops-error.js';
import type { Caller } from '../events/event.js';
import type { OpsParts } from './ops-parts.js';
import { type Route, WholeReply } from './route.js';

const credentials = closedObject({
  username: limitedText(mostOfLogin.name),
  password: limitedText(mostOfLogin.password),
});

/** The routes for logging in and out. */
export function loginRoutes(parts: OpsParts): readonly Route[] {
  const { sessions, events, isSecure } = parts;
  const login: Route<v.GenericSchema, typeof credentials> = {
    method: 'POST',
    path: '/login',
    changesNothing: true,
    summary:
      'Opens a session; its id goes into the header opscenter-session of later requests, or the cookie.',
    access: 'open',
    body: credentials,
    reply: v.strictObject({ sessionid: v.string() }),
    answer: async ({ body: { username, password }, caller, header }) => {
      await demandPassword(username, password, caller, parts);
      const sessionid = sessions.open(username);
      const message = `${username} logged in`;
      events.append('local', {
        action: 'login',
        level: 'INFO',
        message,
        caller: { ...caller, user: username },
        success: true,
      });
      const cookie = cookieText(sessionid, sessionSeconds, isSecure || isOverTls(header));
      return jsonWithCookie({ sessionid }, cookie);
    },
  };
  const logout: Route = {
    method: 'POST',
    path: '/logout',
    changesNothing: true,
    summary: 'Ends the session and the streams that it opened.',
    access: 'viewer',
    reply: v.null(),
    answer: ({ caller, session, header }) => {
      if (session !== undefined) {
        sessions.end(session);
        events.append('local', {
          action: 'logout',
          level: 'INFO',
          message: `${caller.user} logged out`,
          caller,
        });
      }
      return jsonWithCookie(null, cookieText('', 0, isSecure || isOverTls(header)));
    },
  };
  return [login, logout];
}

async function demandPassword(
  username: string,
  password: string,
  caller: Caller,
  { users, loginThrottle, events }: OpsParts,
): Promise<void> {
  if (users.isEmpty) throw new OpsError('Unauthorized', 'the server has no users, so requests need no login');
  const isRight = await loginThrottle.attempt(caller.address, username, () =>
    users.isPassword(username, password),
  );
  if (isRight) return;
  // An unknown name may be a password in the wrong field, so it is not shown.
  const who = users.find(username) === undefined ? 'an unknown user' : username;
  const message = `the login of ${who} was refused`;
  events.append('local', {
    action: 'loginRefused',
    level: 'WARN',
    message,
    caller: { ...caller, user: '' },
    success: false,
  });
  throw new OpsError('Unauthorized', 'the user or the password is wrong');
}

/** Whether the page that sends the request came over TLS, which a proxy may speak in the place of the port. */
function isOverTls(header: (name: string) => string | undefined): boolean {
  return header('origin')?.startsWith('https://') === true;
}

function cookieText(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${sessionName}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

function jsonWithCookie(body: unknown, cookie: string): WholeReply {
  return new WholeReply({
    status: 200,
    contentType: 'application/json',
    body: JSON.stringify(body),
    headers: { 'set-cookie': cookie, 'cache-control': 'no-store' },
  });
}
