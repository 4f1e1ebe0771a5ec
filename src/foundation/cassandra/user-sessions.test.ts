// The number and age of sessions of users, and what happens to logins that fail.
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CassandraFailure, type CassandraFailureKind } from './session.js';
import {
  type ClusterUser,
  idleMs,
  longestMs,
  mostSessions,
  refusedMs,
  UserSessions,
  unreachedMs,
} from './user-sessions.js';

interface Opened {
  readonly name: string;
  isClosed: boolean;
  readonly lose: () => void;
}

/** A cluster that is not there: logins end when the test lets them. */
function makeSessions() {
  let nowMs = 0;
  const logins: string[] = [];
  const sessions: Opened[] = [];
  const refused = new Map<string, CassandraFailureKind>();
  const users = new UserSessions<Opened>({
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    open: async ({ username }, onLost) => {
      logins.push(username);
      await nextTurn();
      const kind = refused.get(username);
      if (kind !== undefined) throw new CassandraFailure(kind, `no ${username}`);
      const session = { name: username, isClosed: false, lose: onLost };
      sessions.push(session);
      return session;
    },
    close: async (session) => {
      session.isClosed = true;
    },
  });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  const visit = async (name: string) => {
    const { session, release } = await users.take(user(name));
    release();
    return session;
  };
  return { users, logins, sessions, refused, advance, visit };
}

function user(name: string): ClusterUser {
  return { key: `key of ${name}`, username: name, password: 'secret' };
}

function fails(kind: CassandraFailureKind, taken: Promise<unknown>): Promise<void> {
  return assert.rejects(taken, (error) => error instanceof CassandraFailure && error.kind === kind);
}

describe('the sessions of users', () => {
  it('are shared by requests, also by those that come during the login', async () => {
    const { users, logins, visit } = makeSessions();
    const leases = await Promise.all([users.take(user('a')), users.take(user('a')), users.take(user('b'))]);
    assert.deepEqual(logins, ['a', 'b']);
    assert.equal(leases[0].session, leases[1].session);
    assert.equal(await visit('a'), leases[0].session);
    assert.equal(users.has(user('a')), true);
    assert.equal(users.has(user('c')), false);
  });

  it('are separate for two passwords of one name', async () => {
    const { users, logins } = makeSessions();
    await users.take(user('a'));
    await users.take({ ...user('a'), key: 'another' });
    assert.deepEqual(logins, ['a', 'a']);
  });

  it('are closed when they were not used for long, or are old', async () => {
    const { logins, sessions, advance, visit } = makeSessions();
    await visit('a');
    advance(idleMs - 1);
    await visit('a');
    advance(idleMs);
    await visit('a');
    assert.equal(sessions[0]?.isClosed, true);
    for (let passedMs = 0; passedMs < longestMs; passedMs += idleMs / 2) {
      advance(idleMs / 2);
      await visit('a');
    }
    assert.deepEqual(logins, ['a', 'a', 'a']);
    assert.deepEqual(
      sessions.map(({ isClosed }) => isClosed),
      [true, true, false],
    );
  });

  it('are closed without a request, too', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { sessions, advance, visit } = makeSessions();
      await visit('a');
      mock.timers.tick(60_000);
      assert.equal(sessions[0]?.isClosed, false);
      advance(idleMs);
      mock.timers.tick(60_000);
      assert.equal(sessions[0]?.isClosed, true);
    } finally {
      mock.timers.reset();
    }
  });

  it('stay open for requests that began before their end', async () => {
    const { users, sessions, advance, visit } = makeSessions();
    const { release } = await users.take(user('a'));
    advance(longestMs);
    await visit('a');
    assert.deepEqual(
      sessions.map(({ isClosed }) => isClosed),
      [false, false],
    );
    release();
    assert.equal(sessions[0]?.isClosed, true);
  });

  it('are replaced when they are lost', async () => {
    const { logins, sessions, visit } = makeSessions();
    const lost = await visit('a');
    lost.lose();
    assert.equal(sessions[0]?.isClosed, true);
    await visit('a');
    assert.deepEqual(logins, ['a', 'a']);
  });

  it('are bounded: a new user replaces the one who was away for longest, unless all have requests', async () => {
    const { users, sessions, visit } = makeSessions();
    for (let at = 0; at < mostSessions; at += 1) await visit(`u${at}`);
    await visit('u0');
    await visit('new');
    assert.deepEqual(
      sessions.filter(({ isClosed }) => isClosed).map(({ name }) => name),
      ['u1'],
    );
    const names = sessions.filter(({ isClosed }) => !isClosed).map(({ name }) => name);
    const leases = await Promise.all(names.map((name) => users.take(user(name))));
    await fails('overloaded', visit('one more'));
    leases[0]?.release();
    await visit('one more');
  });

  it('are not asked for again shortly after a refusal', async () => {
    const { logins, refused, advance, visit } = makeSessions();
    refused.set('a', 'badCredentials');
    refused.set('b', 'unreachable');
    await fails('badCredentials', visit('a'));
    await fails('unreachable', visit('b'));
    advance(unreachedMs);
    await fails('badCredentials', visit('a'));
    refused.clear();
    await visit('b');
    assert.deepEqual(logins, ['a', 'b', 'b']);
    advance(refusedMs);
    await visit('a');
    assert.deepEqual(logins, ['a', 'b', 'b', 'a']);
  });

  it('are opened a few at a time, and too many logins are refused', async () => {
    const { logins, visit } = makeSessions();
    const taken = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => visit(`u${at}`)));
    const failures = taken.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.equal(logins.length, 98);
    assert.equal(failures.length, 102);
    assert.ok(failures.every((error) => error instanceof CassandraFailure && error.kind === 'overloaded'));
  });

  it('are opened for users of the last hour also while strangers fill the queue of logins', async () => {
    const { refused, advance, visit } = makeSessions();
    await visit('a');
    advance(longestMs);
    const strangers = Array.from({ length: 200 }, (_, at) => {
      refused.set(`s${at}`, 'badCredentials');
      return visit(`s${at}`);
    });
    const ended = Promise.allSettled(strangers);
    let waiting = strangers.length;
    for (const stranger of strangers) stranger.catch(() => undefined).finally(() => (waiting -= 1));
    const refusal = fails('overloaded', visit('new'));
    await visit('a');
    assert.ok(waiting > 50, `${waiting} strangers wait`);
    await refusal;
    await ended;
  });

  it('stay open beside logins that are refused', async () => {
    const { sessions, refused, visit } = makeSessions();
    for (let at = 0; at < mostSessions; at += 1) await visit(`u${at}`);
    refused.set('stranger', 'badCredentials');
    await fails('badCredentials', visit('stranger'));
    assert.ok(sessions.every(({ isClosed }) => !isClosed));
  });

  it('are all closed at the end, and none is opened behind it', async () => {
    const { users, sessions, visit } = makeSessions();
    await visit('a');
    const late = users.take(user('b'));
    await users.close();
    await fails('unreachable', late);
    await fails('overloaded', visit('c'));
    assert.ok(sessions.every(({ isClosed }) => isClosed));
  });
});
