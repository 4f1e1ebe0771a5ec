// The users of the operations service, as the configuration lists them.
import { isPasswordHash } from '../secrets/password-hash.js';

/** The rights of a user: a viewer reads, an operator can do everything. */
export type OpsRole = 'viewer' | 'operator';

/** A user who can log in. */
export interface OpsUser {
  readonly name: string;
  readonly role: OpsRole;
  /** The result of `hashPassword`. */
  readonly passwordHash: string;
}

/** The most characters of a name and of a password at a login. */
export const mostOfLogin = { name: 100, password: 1000 } as const;

/** Whether a user can have this name: the events of the service itself have the user `system`. */
export function isUserName(text: string): boolean {
  return text !== '' && text.length <= mostOfLogin.name && text !== 'system';
}

/** Users from a JSON array; undefined for everything else. */
export function parseOpsUsers(text: string): readonly OpsUser[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(json)) return undefined;
  const users = json.map(toUser).filter((user) => user !== undefined);
  const names = new Set(users.map(({ name }) => name));
  return users.length === json.length && names.size === users.length ? users : undefined;
}

function toUser(json: unknown): OpsUser | undefined {
  if (typeof json !== 'object' || json === null || Object.keys(json).length !== 3) return undefined;
  const { name, role, password_hash } = json as Readonly<Record<string, unknown>>; // members are checked below
  if (typeof name !== 'string' || !isUserName(name)) return undefined;
  if (role !== 'viewer' && role !== 'operator') return undefined;
  if (typeof password_hash !== 'string' || !isPasswordHash(password_hash)) return undefined;
  return { name, role, passwordHash: password_hash };
}
