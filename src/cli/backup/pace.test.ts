// The rests of a copy, with a clock and a delay of the test.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Pace } from './pace.js';

describe('Pace', () => {
  it('rests after each piece as many times as long as the piece took', async () => {
    let nowMs = 1000;
    const happened: string[] = [];
    const clock = { nowMs: () => 0, monotonicMs: () => nowMs };
    const pace = new Pace(
      clock,
      () => true,
      async (ms) => {
        happened.push(`rest of ${ms} ms`);
        nowMs += ms;
      },
    );
    const piece = (ms: number) => () => {
      happened.push(`piece of ${ms} ms`);
      nowMs += ms;
      return ms;
    };
    assert.equal(await pace.work(piece(5)), 5);
    assert.equal(await pace.work(piece(0.5)), 0.5);
    assert.deepEqual(happened, ['piece of 5 ms', 'rest of 10 ms', 'piece of 0.5 ms', 'rest of 1 ms']);
  });

  it('throws what a piece throws, without a rest', async () => {
    const clock = { nowMs: () => 0, monotonicMs: () => 0 };
    const pace = new Pace(
      clock,
      () => true,
      async () => assert.fail('it rests'),
    );
    const fail = () => {
      throw new RangeError('no room');
    };
    await assert.rejects(pace.work(fail), /no room/);
  });

  it('asks at most once a second whether there is a server', () => {
    let nowMs = 1000;
    const answers = [false, true, false];
    const pace = new Pace(
      { nowMs: () => 0, monotonicMs: () => nowMs },
      () => answers.shift() ?? assert.fail(),
    );
    const found = [0, 999, 1, 500, 499, 1].map((ms) => {
      nowMs += ms;
      return pace.isBesideServer();
    });
    assert.deepEqual(found, [false, false, true, true, true, false]);
  });
});
