// kill -9 loses no acknowledged text, and a text index has the words of the rows afterwards, in fifteen rounds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runTextKills } from './text-kills.js';

describe('kill -9 with a text index', () => {
  it('leaves an index that has the words of the rows, fifteen times', async (test) => {
    const seed = newSeed();
    const acknowledged = await runTextKills(15, seed);
    test.diagnostic(`seed ${seed}: ${acknowledged} changes`);
    assert.ok(acknowledged >= 15);
  });
});
