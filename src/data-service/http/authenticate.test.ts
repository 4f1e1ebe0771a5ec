// Who sends a request, by its token.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestHead } from '../../foundation/http/http-handler.js';
import { ApiError } from '../errors/api-error.js';
import { type AcceptedTokens, makeAuthenticate } from './authenticate.js';

/** Who it is: `server`, a user with the password, or the code of the refusal. */
function callerOf(
  given: string | undefined,
  own: string | undefined,
  users: AcceptedTokens['users'] = 'accepted',
): string {
  const head: RequestHead = {
    method: 'POST',
    path: '/v1',
    query: '',
    remoteAddress: '127.0.0.1',
    header: (name) => (name === 'token' ? given : undefined),
  };
  const caller = makeAuthenticate({ token: own, users })(head);
  if (caller instanceof ApiError) return caller.code;
  return caller.user === undefined ? 'server' : `${caller.user.username}/${caller.user.password}`;
}

const encoded = (text: string) => Buffer.from(text).toString('base64');
const tokenOf = (name: string, password: string) => `Cassandra:${encoded(name)}:${encoded(password)}`;
const missing = 'MISSING_AUTHENTICATION_TOKEN';
const wrong = 'UNAUTHENTICATED_REQUEST';

describe('the caller of a request to a storage with users', () => {
  const cases: readonly (readonly [
    what: string,
    token: string | undefined,
    own: string | undefined,
    caller: string,
  ])[] = [
    ['the token of the server', 'T', 'T', 'server'],
    ['no token', undefined, 'T', missing],
    ['an empty token', '', 'T', missing],
    ['another token', 'U', 'T', wrong],
    ['a user', tokenOf('ann', 'pass'), 'T', 'ann/pass'],
    ['a user with letters of other scripts', tokenOf('Änne', 'пароль:1'), 'T', 'Änne/пароль:1'],
    ['a user without padding', 'Cassandra:YQ:Yg', 'T', 'a/b'],
    ['a user without a password', tokenOf('ann', ''), 'T', 'ann/'],
    ['a token of the server that looks like a user', tokenOf('a', 'b'), tokenOf('a', 'b'), 'server'],
    ['no name', tokenOf('', 'b'), 'T', wrong],
    ['one part', 'Cassandra:YQ==', 'T', wrong],
    ['three parts', 'Cassandra:YQ==:Yg==:Yw==', 'T', wrong],
    ['what is not base64', 'Cassandra:a b:Yg==', 'T', wrong],
    ['what is not UTF-8', `Cassandra:${Buffer.from([0xff]).toString('base64')}:Yg==`, 'T', wrong],
    ['a name with U+0000', tokenOf('a\0b', 'c'), 'T', wrong],
    ['another prefix', 'cassandra:YQ==:Yg==', 'T', wrong],
    ['a user, without a token of the server', tokenOf('ann', 'pass'), undefined, 'ann/pass'],
    ['a malformed user, without a token of the server', 'Cassandra:x', undefined, wrong],
    ['any other token, without one of the server', 'x', undefined, 'server'],
    ['none, without one of the server', undefined, undefined, 'server'],
  ];
  for (const [what, token, own, caller] of cases)
    it(`${what}: ${caller}`, () => assert.equal(callerOf(token, own), caller));

  it('has one key for a user with a password, whatever the server', () => {
    const keyOf = (token: string, own: string | undefined) => {
      const head = { method: 'POST', path: '/v1', query: '', remoteAddress: '', header: () => token };
      const caller = makeAuthenticate({ token: own, users: 'accepted' })(head);
      assert.ok(!(caller instanceof ApiError));
      return caller.user?.key;
    };
    const key = keyOf(tokenOf('a', 'b'), 'T');
    assert.equal(keyOf(tokenOf('a', 'b'), undefined), key);
    assert.notEqual(keyOf(tokenOf('a', 'c'), 'T'), key);
  });
});

describe('the caller of a request to a storage without users', () => {
  it('is the server, with its token or where it has none', () => {
    assert.equal(callerOf(tokenOf('a', 'b'), undefined, 'none'), 'server');
    assert.equal(callerOf(tokenOf('a', 'b'), 'T', 'none'), wrong);
    assert.equal(callerOf('T', 'T', 'none'), 'server');
  });
});

describe('the caller of a request to a storage that requires a user', () => {
  for (const own of [undefined, 'T', tokenOf('a', 'b')]) {
    it(`is a user, ${own === undefined ? 'without a token' : `with the token ${own}`} of the server`, () => {
      const caller = (given: string | undefined) => callerOf(given, own, 'required');
      assert.equal(caller(tokenOf('ann', 'pass')), 'ann/pass');
      assert.equal(caller(tokenOf('a', 'b')), 'a/b');
      for (const none of [undefined, '']) assert.equal(caller(none), missing);
      for (const other of ['T', 'x', 'Cassandra:x', tokenOf('', 'b')]) assert.equal(caller(other), wrong);
    });
  }
});
