// How the operations port passes commands on: what goes with them, how many at a time, and what hides their paths.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PassedCommand, PassedReply } from '../../src/ops-service/clusters/data-service-link.js';
import { openWithUsers, sessionOf } from './login-users.js';
import { openOps } from './open-ops.js';

const answered: PassedReply = { reply: { status: 200, contentType: 'application/json', body: '{}' } };
const command = { path: '/data/v1/ks/t', body: { find: {} } };

/** The service over a data service that notes commands and answers when it is let. */
function openNoting(open = openOps) {
  const passed: PassedCommand[] = [];
  const signals: AbortSignal[] = [];
  const waiting: (() => void)[] = [];
  const ops = open({
    answers: {
      passCommand: (given, signal) => {
        passed.push(given);
        signals.push(signal);
        // The link unpacks what is moved; here nothing moves.
        return new Promise((resolve) => waiting.push(() => resolve(answered as never)));
      },
    },
  });
  return { ...ops, passed, signals, letAll: () => waiting.splice(0).forEach((next) => void next()) };
}

async function untilTrue(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a command that is passed on', () => {
  it('has its headers, without those of the session, and the rights of its login', async () => {
    const { ask, passed, letAll, ...ops } = openNoting(openWithUsers);
    for (const [user, password, role] of [
      ['ada', 'right horse', 'operator'],
      ['vic', 'blue battery', 'viewer'],
    ] as const) {
      const session = await sessionOf({ ask, ...ops }, user, password);
      const headers = { cookie: `opscenter-session=${session}`, 'x-embedding-api-key': 'K', token: 'T' };
      const asked = ask({ ...command, headers, from: '10.0.0.7' });
      await untilTrue(() => passed.length > 0);
      letAll();
      assert.equal((await asked).status, 200);
      const [{ path, headers: given, rights, sender } = assert.fail('nothing was passed on')] =
        passed.splice(0);
      assert.deepEqual(
        [path, given.get('x-embedding-api-key'), given.get('token'), given.get('cookie'), rights, sender],
        ['/v1/ks/t', 'K', 'T', undefined, role, { user, address: '10.0.0.7' }],
      );
    }
  });

  it('without users has the rights that its token gives', async () => {
    const { ask, passed, letAll } = openNoting();
    const asked = ask(command);
    await untilTrue(() => passed.length === 1);
    letAll();
    await asked;
    assert.equal(passed[0]?.rights, 'token');
  });

  it('waits behind 32 others, is refused behind 288, and is cancelled when its client leaves', async () => {
    const { ask, passed, letAll, signals } = openNoting();
    let leave = () => {};
    const first = ask({ ...command, onGone: (listener) => (leave = chained(leave, listener)) });
    const asked = Array.from({ length: 31 + 256 }, () => ask(command));
    const refused = await ask(command);
    assert.deepEqual([refused.status, refused.headers['retry-after'], passed.length], [503, '1', 32]);
    leave();
    assert.deepEqual([signals[0]?.aborted, signals[1]?.aborted], [true, false]);
    while (passed.length < 32 + 256) {
      letAll();
      await new Promise((resolve) => setImmediate(resolve));
    }
    letAll();
    for (const one of [first, ...asked]) assert.equal((await one).status, 200);
  });
});

const chained = (before: () => void, after: () => void) => () => {
  before();
  after();
};

it('no cluster has an id that is the first word of paths', async () => {
  const { ask } = openOps();
  const { status, text } = await ask({
    path: '/cluster-configs',
    body: { id: 'data', cassandra: { seed_hosts: '127.0.0.1', native_port: 1 } },
  });
  assert.equal(status, 400, text);
  assert.match(text, /"path":"id"/);
});
