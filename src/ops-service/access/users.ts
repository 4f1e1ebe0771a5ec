// The users that can log in, and their passwords.

import type { OpsRole, OpsUser } from '../../foundation/config/ops-users.js';
import type { Config } from '../../foundation/config/options.js';
import { isSameSecret } from '../../foundation/secrets/is-same-secret.js';
import { isPasswordOf } from '../../foundation/secrets/password-hash.js';
import { OpsError } from '../errors/ops-error.js';

/** A user without secrets. */
export interface User {
  readonly name: string;
  readonly role: OpsRole;
}

/** An operator whose plain password is in the start options. */
export interface StartUser {
  readonly name: string;
  readonly password: string;
}

/** All users that can log in. */
export interface KnownUsers {
  readonly users: readonly OpsUser[];
  /** Its name is not among `users`. */
  readonly startUser: StartUser | undefined;
}

/** The users of a configuration. */
export function usersOf({ opsUsers, opsUser, opsPassword }: Config): KnownUsers {
  const hasStartUser = opsUser !== undefined && opsPassword !== undefined;
  return { users: opsUsers, startUser: hasStartUser ? { name: opsUser, password: opsPassword } : undefined };
}

/** A hash that no password matches: a check for an unknown name takes as long as one with a wrong password. */
const dummyHash = `scrypt$32768$8$1$${Buffer.alloc(16).toString('base64')}$${Buffer.alloc(32).toString('base64')}`;

/** The users of the configuration. */
export class Users {
  #byName: ReadonlyMap<string, OpsUser>;
  #startUser: StartUser | undefined;

  constructor({ users, startUser }: KnownUsers) {
    this.#byName = byName(users);
    this.#startUser = startUser;
  }

  /**
   * Replaces the users by those of a configuration that was read again. The result is who was removed or changed.
   * @throws OpsError `BadRequest` when no user would be left: a port that requires a login would be open to all clients
   */
  replace({ users, startUser }: KnownUsers): readonly string[] {
    if (!this.isEmpty && users.length === 0 && startUser === undefined) {
      throw new OpsError(
        'BadRequest',
        'the configuration has no users any more; the users from the last start or reading stay until a restart',
      );
    }
    const names = [...this.#byName.keys(), ...(this.#startUser === undefined ? [] : [this.#startUser.name])];
    const before = names.map((name) => ({ name, secret: this.secretOf(name) }));
    this.#byName = byName(users);
    this.#startUser = startUser;
    return before.filter(({ name, secret }) => secret !== this.secretOf(name)).map(({ name }) => name);
  }

  /** Without users no login is required. */
  get isEmpty(): boolean {
    return this.#byName.size === 0 && this.#startUser === undefined;
  }

  find(name: string): User | undefined {
    if (this.#startUser?.name === name) return { name, role: 'operator' };
    const user = this.#byName.get(name);
    return user === undefined ? undefined : { name, role: user.role };
  }

  /** A text that is different after every change of the user's password or role. Undefined for unknown names. */
  secretOf(name: string): string | undefined {
    if (this.#startUser?.name === name) return `operator ${this.#startUser.password}`;
    const user = this.#byName.get(name);
    return user === undefined ? undefined : `${user.role} ${user.passwordHash}`;
  }

  /** Takes the time of one scrypt for every name. */
  async isPassword(name: string, password: string): Promise<boolean> {
    const user = this.#byName.get(name);
    const isHashed = await isPasswordOf(user?.passwordHash ?? dummyHash, password);
    // The password may have been changed while the check was under way.
    if (user !== undefined) return isHashed && this.#byName.get(name)?.passwordHash === user.passwordHash;
    return this.#startUser?.name === name && isSameSecret(password, this.#startUser.password);
  }
}

function byName(users: readonly OpsUser[]): ReadonlyMap<string, OpsUser> {
  return new Map(users.map((user) => [user.name, user]));
}
