// Opens what decides who may use the operations port.
import { randomBytes } from 'node:crypto';
import type { Config } from '../foundation/config/options.js';
import { LoginThrottle } from '../ops-service/access/login-throttle.js';
import { type SessionParts, Sessions } from '../ops-service/access/sessions.js';
import { Users, usersOf } from '../ops-service/access/users.js';

/** Users, sessions and what slows down guessing. */
export interface OpenAccess {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly loginThrottle: LoginThrottle;
}

/** The users of the configuration with the sessions that the store has. */
export function openAccess(
  config: Config,
  parts: Pick<SessionParts, 'store' | 'clock' | 'onEnd'>,
): OpenAccess {
  const users = new Users(usersOf(config));
  const newId = () => randomBytes(32).toString('hex');
  return {
    users,
    sessions: new Sessions({ ...parts, users, newId }),
    loginThrottle: new LoginThrottle(parts.clock),
  };
}
