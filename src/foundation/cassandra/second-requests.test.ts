// When further nodes are asked: the delays by the answers seen, and the share of statements.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SecondRequests } from './second-requests.js';

function withAnswers(...times: readonly (readonly [count: number, ms: number])[]): SecondRequests {
  const seconds = new SecondRequests();
  for (const [count, ms] of times) for (let at = 0; at < count; at += 1) seconds.noteAnswer(ms);
  return seconds;
}

describe('second requests', () => {
  it('wait longest as long as no answers were seen', () => {
    assert.equal(new SecondRequests().delayMs, 1_000);
  });

  it('wait longer than all but a hundredth of the answers, within bounds', () => {
    assert.equal(withAnswers([640, 1]).delayMs, 100);
    assert.equal(withAnswers([4, 700], [636, 1]).delayMs, 100);
    assert.equal(withAnswers([20, 180], [620, 1]).delayMs, 200);
    assert.equal(withAnswers([64, 8_000], [576, 1]).delayMs, 1_000);
  });

  it('forget answers of long ago', () => {
    assert.equal(withAnswers([2_000, 500], [20_000, 1]).delayMs, 100);
  });

  it('are few of many statements, and more where some were saved up', () => {
    const seconds = withAnswers([640, 1]);
    let further = 0;
    for (let statement = 0; statement < 10_000; statement += 1) {
      seconds.noteStatement();
      if (seconds.delayBehind(1) > 100) continue;
      seconds.noteFurther();
      further += 1;
    }
    assert.ok(further >= 1_190 && further <= 1_210, `${further}`);
  });

  it('wait for nearly half of the time of a statement where their share is used up', () => {
    const seconds = new SecondRequests();
    while (seconds.hasShare) seconds.noteFurther();
    assert.equal(seconds.delayBehind(1), 4_000);
    assert.equal(seconds.delayBehind(2), 4_000);
  });
});
