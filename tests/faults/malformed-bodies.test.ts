// Malformed bodies are the sender's fault, whatever they hold. More of them: run-malformed-bodies.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { sendMalformedBodies } from './malformed-bodies.js';

describe('malformed bodies', () => {
  it('are refused without a failure of the server, 2000 times', async (test) => {
    const seed = newSeed();
    const { refused, done } = await sendMalformedBodies(2_000, seed);
    test.diagnostic(`seed ${seed}: ${refused} refused, ${done} valid after all`);
    assert.ok(refused > 500 && done > 50, `${refused} refused, ${done} done: the mixture is wrong`);
  });
});
