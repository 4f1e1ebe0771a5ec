// Users of the operations service with their passwords, and how they log in.
import assert from 'node:assert/strict';
import { hashPassword } from '../../src/foundation/secrets/password-hash.js';
import { type OpsUnderTest, openOps } from './open-ops.js';

/** The users in the form of the file that names them: ada is an operator, vic a viewer. */
export const users: readonly { name: string; role: string; password_hash: string }[] = [
  { name: 'ada', role: 'operator', password_hash: await hashPassword('right horse') },
  { name: 'vic', role: 'viewer', password_hash: await hashPassword('blue battery') },
];

/** Opens the service with them. */
export function openWithUsers(options: Parameters<typeof openOps>[0] = {}): OpsUnderTest {
  return openOps({ configFile: { ops: { users } }, ...options });
}

/** Sends a login. */
export function login(ops: OpsUnderTest, username: string, password: string, from = '10.0.0.1') {
  return ops.ask({ path: '/login', body: { username, password }, from });
}

/** Logs in, which must succeed. */
export async function sessionOf(ops: OpsUnderTest, username: string, password: string): Promise<string> {
  const { status, body } = await login(ops, username, password);
  assert.equal(status, 200);
  assert.ok(typeof body === 'object' && body !== null && 'sessionid' in body);
  return String(body.sessionid);
}
