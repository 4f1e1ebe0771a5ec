// Users, sessions and roles: who may do what, how long, and what guessing costs. More about guessing: the long file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOpsUsers } from '../../src/foundation/config/ops-users.js';
import { hashPassword } from '../../src/foundation/secrets/password-hash.js';
import type { StartUser } from '../../src/ops-service/access/users.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { login, openWithUsers, sessionOf, users } from './login-users.js';
import { type OpsUnderTest, openOps, toRequest } from './open-ops.js';

const newCluster = { cassandra: { seed_hosts: '10.9.9.9' } };
async function eventsOf(ops: OpsUnderTest, session: string): Promise<readonly Record<string, unknown>[]> {
  const { body } = await ops.ask({
    path: '/local/events?count=100',
    headers: { 'opscenter-session': session },
  });
  assert.ok(Array.isArray(body));
  return body;
}

describe('a login', () => {
  it('opens a session that the header or the cookie carries', async () => {
    const ops = openWithUsers();
    const reply = await login(ops, 'ada', 'right horse');
    assert.deepEqual(Object.keys(Object(reply.body)), ['sessionid']);
    const { sessionid } = Object(reply.body);
    assert.match(sessionid, /^[0-9a-f]{64}$/);
    assert.equal(
      reply.headers['set-cookie'],
      `opscenter-session=${sessionid}; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict`,
    );
    for (const headers of [
      { 'opscenter-session': sessionid },
      { cookie: `a=b; opscenter-session=${sessionid}` },
    ]) {
      assert.equal((await ops.ask({ path: '/local/events', headers })).status, 200);
    }
    assert.equal((await ops.ask({ path: '/local/events' })).status, 401);
    for (const headers of [{ 'opscenter-session': 'x' }, { cookie: 'opscenter-session=' }]) {
      assert.equal((await ops.ask({ path: '/local/events', headers })).status, 401);
    }
  });

  it('has a cookie for TLS alone where a proxy speaks it', async () => {
    const ops = openWithUsers({ args: ['--console-url', 'https://ops.example'] });
    const cookieOf = async (path: string, origin: string, more: object = {}) => {
      const body = { username: 'ada', password: 'right horse' };
      const reply = await ops.ask({
        path,
        body: path === '/login' ? body : {},
        headers: { origin, ...more },
      });
      assert.equal(reply.status, 200);
      return reply.headers['set-cookie'] ?? '';
    };
    const cookie = await cookieOf('/login', 'https://ops.example');
    assert.match(cookie, /; Secure$/);
    const session = { 'opscenter-session': /=(\w+)/.exec(cookie)?.[1] ?? '' };
    assert.match(await cookieOf('/logout', 'https://ops.example', session), /; Secure$/);
    assert.doesNotMatch(await cookieOf('/login', 'http://127.0.0.1:8888'), /Secure/);
  });

  it('is not needed for health, metrics and the document', async () => {
    const ops = openWithUsers({ answers: { renderMetrics: async () => '' } });
    for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json']) {
      assert.equal((await ops.ask({ path })).status, 200, path);
    }
  });

  it('is recorded, and so is one that was refused, without a name that no user has', async () => {
    const ops = openWithUsers();
    assert.equal((await login(ops, 'ada', 'wrong')).status, 401);
    assert.equal((await login(ops, 'my secret password', 'x')).status, 401);
    const session = await sessionOf(ops, 'ada', 'right horse');
    const [loggedIn, unknown, refused] = await eventsOf(ops, session);
    const facts = (event: Record<string, unknown> | undefined) =>
      ['action', 'level_str', 'user', 'api_source_ip', 'success', 'message'].map((name) => event?.[name]);
    assert.deepEqual(facts(loggedIn), [1060, 'INFO', 'ada', '10.0.0.1', true, 'ada logged in']);
    assert.deepEqual(facts(refused), [1061, 'WARN', '', '10.0.0.1', false, 'the login of ada was refused']);
    assert.deepEqual(facts(unknown).slice(0, 1), [1061]);
    assert.doesNotMatch(JSON.stringify(await eventsOf(ops, session)), /my secret|right horse/);
  });

  it('says the same to a wrong name and a wrong password', async () => {
    const ops = openWithUsers();
    const wrongName = await login(ops, 'eve', 'right horse');
    const wrongPassword = await login(ops, 'ada', 'x');
    assert.equal(wrongName.status, 401);
    assert.deepEqual(wrongName.body, wrongPassword.body);
  });

  it('works with the user of the start options, beside those of the file', async () => {
    const ops = openWithUsers({
      configFile: { ops: { users, user: 'root', password: 'toor toor'.replace(' ', '-') } },
    });
    await sessionOf(ops, 'root', 'toor-toor');
    await sessionOf(ops, 'ada', 'right horse');
    assert.equal((await login(ops, 'root', 'toor')).status, 401);
  });

  it('requires its two fields, and reports all that is wrong with them', async () => {
    const ops = openWithUsers();
    const { status, body } = await ops.ask({ path: '/login', body: { username: 5, pass: 'secret' } });
    assert.equal(status, 400);
    assert.deepEqual(
      Object(body).details.map(({ path }: { path: string }) => path),
      ['username', 'password', 'pass'],
    );
    assert.doesNotMatch(JSON.stringify(body), /secret/);
  });
});

describe('roles', () => {
  it('let a viewer read and an operator do all else', async () => {
    const ops = openWithUsers();
    const ada = { 'opscenter-session': await sessionOf(ops, 'ada', 'right horse') };
    const vic = { 'opscenter-session': await sessionOf(ops, 'vic', 'blue battery') };
    for (const headers of [ada, vic]) {
      assert.equal((await ops.ask({ path: '/cluster-configs', headers })).status, 200);
    }
    const refused = await ops.ask({ path: '/cluster-configs', body: newCluster, headers: vic });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, {
      type: 'Forbidden',
      message: 'this needs the role operator; "vic" has the role viewer',
      details: [],
    });
    const added = await ops.ask({ path: '/cluster-configs', body: newCluster, headers: ada });
    assert.equal(added.status, 201);
    const { body } = await ops.ask({ path: '/10-9-9-9/events', headers: vic });
    assert.equal(Object(body)[0].user, 'ada');
  });

  it('refuse callers without a login before they learn of clusters or of problems of a body', async () => {
    const ops = openWithUsers();
    for (const request of [
      { path: '/elsewhere/events' },
      { path: '/cluster-configs', body: 'no json' },
      { path: '/cluster-configs/x', method: 'DELETE' },
    ]) {
      assert.equal((await ops.ask(request)).status, 401, request.path);
    }
  });
});

/** Opens a stream; the result says whether it has ended. */
async function streamOf(
  ops: OpsUnderTest,
  headers: Readonly<Record<string, string>>,
): Promise<() => boolean> {
  const stream = await ops.stream({ path: '/local/events/stream', headers });
  let isEnded = false;
  const end = () => {
    isEnded = true;
  };
  stream.start({ behindBytes: 0, write() {}, end, onDrain() {}, onClose() {} });
  return () => isEnded;
}

describe('a session', () => {
  it('ends with a logout, which ends its streams too', async () => {
    const ops = openWithUsers();
    const session = await sessionOf(ops, 'vic', 'blue battery');
    const other = await sessionOf(ops, 'vic', 'blue battery');
    const headers = { 'opscenter-session': session };
    const hasEnded = await streamOf(ops, headers);
    const reply = await ops.ask({ method: 'POST', path: '/logout', headers });
    assert.equal(reply.text, 'null');
    assert.match(reply.headers['set-cookie'] ?? '', /^opscenter-session=; Max-Age=0;/);
    assert.ok(hasEnded());
    assert.equal((await ops.ask({ path: '/local/events', headers })).status, 401);
    assert.equal((await ops.ask({ method: 'POST', path: '/logout', headers })).status, 401);
    assert.equal((await eventsOf(ops, other))[0]?.['action'], 1062);
  });

  it('lasts twelve hours, also over a restart', async () => {
    const ops = openWithUsers();
    const headers = { 'opscenter-session': await sessionOf(ops, 'vic', 'blue battery') };
    await ops.reopen();
    ops.clock.advance(12 * 3_600_000 - 1);
    ops.parts.tick();
    assert.equal((await ops.ask({ path: '/local/events', headers })).status, 200);
    ops.clock.advance(1);
    assert.equal((await ops.ask({ path: '/local/events', headers })).status, 401);
    ops.parts.tick();
    await ops.reopen();
    assert.equal((await ops.ask({ path: '/local/events', headers })).status, 401);
  });

  it('has ended after a restart with another password or role of its user, or without them', async () => {
    const opsDir = makeTemporaryDirectory();
    const first = openWithUsers({ opsDir });
    const vic = { 'opscenter-session': await sessionOf(first, 'vic', 'blue battery') };
    const ada = { 'opscenter-session': await sessionOf(first, 'ada', 'right horse') };
    await first.close();
    const [operator, viewer] = users;
    assert.ok(operator !== undefined && viewer !== undefined);
    const changed = [
      { ...operator, role: 'viewer' },
      { ...viewer, password_hash: await hashPassword('other') },
    ];
    const second = openOps({ configFile: { ops: { users: changed } }, opsDir });
    assert.equal((await second.ask({ path: '/local/events', headers: vic })).status, 401);
    assert.equal((await second.ask({ path: '/local/events', headers: ada })).status, 401);
    await second.close();
    const third = openOps({ configFile: { ops: { users: [viewer] } }, opsDir });
    assert.equal((await third.ask({ path: '/local/events', headers: ada })).status, 401);
    assert.equal((await third.ask({ path: '/local/events', headers: vic })).status, 200);
  });
});

describe('users that are read again', () => {
  const readUsers = (list: readonly { name: string; role: string; password_hash: string }[]) => {
    const parsed = parseOpsUsers(JSON.stringify(list));
    assert.ok(parsed !== undefined);
    return parsed;
  };
  const known = (list: Parameters<typeof readUsers>[0], startUser?: StartUser) => ({
    users: readUsers(list),
    startUser,
  });
  const root: StartUser = { name: 'root', password: 'r' };

  it('lose their sessions and streams at once with another role or password; the others keep theirs', async () => {
    const third = { name: 'tom', role: 'viewer', password_hash: await hashPassword('old') };
    const opsDir = makeTemporaryDirectory();
    const ops = openOps({
      configFile: { ops: { users: [...users, third], user: 'root', password: 'r' } },
      opsDir,
    });
    const passwords = { ada: 'right horse', vic: 'blue battery', tom: 'old', root: 'r' };
    const opened = new Map<string, { headers: Record<string, string>; hasEnded: () => boolean }>();
    for (const [name, password] of Object.entries(passwords)) {
      const headers = { 'opscenter-session': await sessionOf(ops, name, password) };
      opened.set(name, { headers, hasEnded: await streamOf(ops, headers) });
    }
    const [ada, vic] = users;
    assert.ok(ada !== undefined && vic !== undefined);
    const changed = [
      ada,
      { ...vic, role: 'operator' },
      { ...third, password_hash: await hashPassword('new') },
    ];
    ops.parts.renewUsers(known(changed, root));
    const state = async (name: string) => {
      const { headers = {}, hasEnded } = opened.get(name) ?? {};
      return [(await ops.ask({ path: '/local/events', headers })).status, hasEnded?.()];
    };
    assert.deepEqual(await state('ada'), [200, false]);
    assert.deepEqual(await state('root'), [200, false]);
    assert.deepEqual(await state('vic'), [401, true]);
    assert.deepEqual(await state('tom'), [401, true]);
    const headers = { 'opscenter-session': await sessionOf(ops, 'vic', 'blue battery') };
    assert.equal((await ops.ask({ path: '/cluster-configs', body: newCluster, headers })).status, 201);
    assert.equal((await login(ops, 'tom', 'old')).status, 401);
    await sessionOf(ops, 'tom', 'new');
    ops.parts.renewUsers(known([vic], root));
    assert.deepEqual(await state('ada'), [401, true]);
    ops.parts.renewUsers(known([vic], { ...root, password: 'other' }));
    assert.deepEqual(await state('root'), [401, true]);
    await sessionOf(ops, 'root', 'other');
    ops.parts.renewUsers(known([vic]));
    assert.equal((await login(ops, 'root', 'other')).status, 401);
  });

  it('are never all removed: the port would be open to all', async () => {
    const withUsers = openWithUsers();
    const withStartUser = openOps({ args: ['--ops-user', 'root', '--ops-password', 'r'] });
    for (const ops of [withUsers, withStartUser]) {
      assert.throws(() => ops.parts.renewUsers(known([])), /has no users any more/);
      assert.equal((await ops.ask({ path: '/local/events' })).status, 401);
    }
    await sessionOf(withUsers, 'ada', 'right horse');
    withUsers.parts.renewUsers(known([], root));
    assert.equal((await login(withUsers, 'ada', 'right horse', '10.0.0.2')).status, 401);
    await sessionOf(withUsers, 'root', 'r');
  });

  it('do not log in a user whose password was changed while it was checked', async () => {
    const ops = openWithUsers();
    const [ada, vic] = users;
    assert.ok(ada !== undefined && vic !== undefined);
    const changed = readUsers([ada, { ...vic, password_hash: await hashPassword('other') }]);
    const late = login(ops, 'vic', 'blue battery');
    ops.parts.renewUsers({ users: changed, startUser: undefined });
    assert.equal((await late).status, 401);
  });

  it('end all streams when they are the first', async () => {
    const ops = openOps();
    const hasEnded = await streamOf(ops, {});
    ops.parts.renewUsers(known([]));
    assert.ok(!hasEnded());
    ops.parts.renewUsers(known(users));
    assert.ok(hasEnded());
    assert.equal((await ops.ask({ path: '/local/events' })).status, 401);
  });
});

describe('a caller without a login', () => {
  it('is refused before the body is read, with a login or the token that others have', async () => {
    const headers = { 'content-length': '1000000' };
    const status = async (ops: OpsUnderTest, path: string, more = {}) => {
      const head = toRequest({ method: 'POST', path, headers: { ...headers, ...more } });
      return (await ops.parts.answerHead(head))?.status;
    };
    const ops = openWithUsers();
    assert.equal(await status(ops, '/local/cql'), 401);
    assert.equal(await status(ops, '/nothing/here/at/all'), 404);
    assert.equal(await status(ops, '/local/events'), 405);
    const viewer = { 'opscenter-session': await sessionOf(ops, 'vic', 'blue battery') };
    assert.equal(await status(ops, '/local/cql', viewer), 403);
    const operator = { 'opscenter-session': await sessionOf(ops, 'ada', 'right horse') };
    assert.equal(await status(ops, '/local/cql', operator), undefined);
    assert.equal(await status(ops, '/login'), undefined);
    const withToken = openOps({ args: ['--token', 'TTT'] });
    assert.equal(await status(withToken, '/cluster-configs'), 401);
    assert.equal(await status(withToken, '/cluster-configs', { 'transfer-encoding': 'chunked' }), 401);
    assert.equal(await status(withToken, '/cluster-configs', { token: 'TTT' }), undefined);
  });

  it('whose session ended while the body came is refused', async () => {
    const ops = openWithUsers();
    const session = { 'opscenter-session': await sessionOf(ops, 'ada', 'right horse') };
    const request = toRequest({
      path: '/cluster-configs',
      body: newCluster,
      headers: { ...session, 'content-length': '9' },
    });
    assert.equal(ops.parts.answerHead(request), undefined);
    await ops.ask({ method: 'POST', path: '/logout', headers: session });
    assert.equal((await ops.parts.answer(request)).status, 401);
  });
});

describe('guessing', () => {
  it('delays no other address and no other user', async () => {
    const ops = openWithUsers();
    for (let attempt = 0; attempt < 5; attempt += 1) await login(ops, 'ada', 'x', '10.6.6.6');
    assert.equal((await login(ops, 'ada', 'right horse', '10.6.6.6')).status, 429);
    assert.equal((await login(ops, 'ada', 'right horse', '10.0.0.2')).status, 200);
    assert.equal((await login(ops, 'vic', 'blue battery', '10.6.6.6')).status, 200);
  });

  it('from many addresses of one IPv6 network is guessing from one', async () => {
    const ops = openWithUsers();
    const from = (host: string) => login(ops, 'ada', 'x', `2001:db8:0:1::${host}`);
    for (const host of ['1', '2', '3']) await from(host);
    assert.equal((await from('4')).status, 429);
    assert.equal((await login(ops, 'ada', 'x', '2001:db8:0:2::1')).status, 401);
  });

  it('at the same time from one address leaves room for others', async () => {
    const ops = openWithUsers();
    const guesses = Array.from({ length: 10 }, (_, at) => login(ops, `user ${at}`, 'x', '10.6.6.6'));
    assert.equal((await login(ops, 'ada', 'right horse', '10.0.0.2')).status, 200);
    const replies = await Promise.all(guesses);
    assert.equal(replies.filter(({ status }) => status === 401).length, 3);
    const refused = replies.filter(({ status }) => status === 429);
    assert.equal(refused.length, 7);
    assert.ok(refused.every(({ headers }) => headers['retry-after'] === '1'));
    assert.equal((await login(ops, 'ada', 'right horse', '10.6.6.6')).status, 200);
  });
});

describe('without users', () => {
  it('every caller may do everything, and there is nothing to log in to', async () => {
    const ops = openOps();
    assert.equal((await ops.ask({ path: '/cluster-configs', body: newCluster })).status, 201);
    assert.equal((await login(ops, 'admin', 'admin')).status, 401);
    assert.equal((await ops.ask({ method: 'POST', path: '/logout' })).status, 200);
  });

  it('changes take the token of the data service while it has one; reading does not', async () => {
    const ops = openOps({ args: ['--token', 'TTT'] });
    assert.equal((await ops.ask({ path: '/local/events' })).status, 200);
    const add = (headers: Record<string, string>) =>
      ops.ask({ path: '/cluster-configs', body: newCluster, headers });
    assert.equal((await add({})).status, 401);
    assert.equal((await add({ token: 'x' })).status, 401);
    assert.equal((await add({ token: 'TTT' })).status, 201);
  });

  it('users make the token of the data service useless here', async () => {
    const ops = openWithUsers({ args: ['--token', 'TTT'] });
    const refused = await ops.ask({ path: '/cluster-configs', body: newCluster, headers: { token: 'TTT' } });
    assert.equal(refused.status, 401);
  });
});

describe('GET /metrics where others can reach the port', () => {
  it('takes the metrics token as Bearer', async () => {
    const ops = openWithUsers({
      args: ['--ops-host', '10.0.0.1', '--metrics-token', 'm'],
      answers: { renderMetrics: async () => 'x 1\n' },
    });
    const status = async (headers: Record<string, string>) =>
      (await ops.ask({ path: '/metrics', headers: { host: '10.0.0.1', ...headers } })).status;
    assert.equal(await status({}), 401);
    assert.equal(await status({ authorization: 'Bearer x' }), 401);
    assert.equal(await status({ authorization: 'Basic m' }), 401);
    assert.equal(await status({ authorization: 'bearer m' }), 200);
  });
});
