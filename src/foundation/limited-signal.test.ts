// Signals that are aborted after a time, also if garbage is collected meanwhile.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { limitedSignal } from './limited-signal.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const never = new AbortController().signal;

it('a limited signal is aborted although nothing else refers to its limit', async () => {
  const signal = limitedSignal(20, never);
  let isNoted = false;
  signal.addEventListener('abort', () => {
    isNoted = true;
  });
  for (let turn = 0; turn < 500 && !isNoted; turn += 1) {
    collect();
    await sleep(5);
  }
  assert.ok(isNoted);
  assert.equal(signal.reason.name, 'TimeoutError');
});

it('a limited signal is aborted with the other one', () => {
  const ending = new AbortController();
  const signal = limitedSignal(1_000_000, ending.signal);
  ending.abort();
  assert.ok(signal.aborted);
});
