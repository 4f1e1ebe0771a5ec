// What guessing costs, password by password: each takes as much processor time as a login.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { login, openWithUsers, sessionOf } from './login-users.js';

describe('guessing', () => {
  it('is slowed down per address and user, twice as long each time, up to a minute', async () => {
    const ops = openWithUsers();
    const statuses: number[] = [];
    const waits: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const { status, headers } = await login(ops, 'ada', `guess ${attempt}`);
      statuses.push(status);
      if (status === 429) {
        waits.push(Number(headers['retry-after']));
        ops.clock.advance(Number(headers['retry-after']) * 1000);
      }
    }
    assert.deepEqual(statuses, [401, 401, 401, 429, 401, 429, 401, 429, 401, 429, 401, 429]);
    assert.deepEqual(waits, [1, 2, 4, 8, 16]);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await login(ops, 'ada', 'guess');
      const { headers } = await login(ops, 'ada', 'right horse'); // the right one has to wait too
      waits.push(Number(headers['retry-after']));
      ops.clock.advance(60_000);
    }
    assert.deepEqual(waits.slice(5), [32, 60, 60, 60, 60, 60]);
    await sessionOf(ops, 'ada', 'right horse');
    assert.equal((await login(ops, 'ada', 'x')).status, 401); // a success begins again
  });

  it('with ever new names from one address is slowed down as well, to one a second', async () => {
    const ops = openWithUsers();
    const guess = (at: number) => login(ops, `user ${at}`, 'x', '10.6.6.6');
    const statuses: number[] = [];
    for (let at = 0; at < 22; at += 1) statuses.push((await guess(at)).status);
    assert.deepEqual(statuses, [...Array.from({ length: 21 }, () => 401), 429]);
    assert.equal((await login(ops, 'ada', 'right horse', '10.0.0.2')).status, 200);
    assert.equal((await login(ops, 'ada', 'right horse', '10.6.6.6')).status, 429);
    ops.clock.advance(1000);
    assert.equal((await guess(22)).status, 401);
    for (let at = 23; at < 40; at += 1) {
      assert.equal((await guess(at)).headers['retry-after'], '1');
      ops.clock.advance(1000);
      assert.equal((await guess(at)).status, 401);
    }
    ops.clock.advance(1000);
    assert.equal((await login(ops, 'ada', 'right horse', '10.6.6.6')).status, 200);
    assert.equal((await guess(40)).status, 401);
  });

  it('at the same time is limited: one password is checked at a time, eight wait', async () => {
    const ops = openWithUsers();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => login(ops, `user ${at}`, 'x', `10.0.1.${at}`)),
    );
    const statuses = replies.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 9);
    assert.equal(statuses.filter((status) => status === 429).length, 11);
    assert.ok(replies.every(({ status, headers }) => status !== 429 || headers['retry-after'] === '1'));
    const sameUser = await Promise.all(Array.from({ length: 8 }, () => login(ops, 'ada', 'x', '10.0.2.1')));
    assert.equal(sameUser.filter(({ status }) => status === 401).length, 3);
  });
});
