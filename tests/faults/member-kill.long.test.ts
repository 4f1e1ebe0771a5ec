// kill -9 loses no acknowledged change of sets and static values, nor their entries in an index, in twenty rounds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { runMemberKills } from './member-kills.js';

describe('kill -9 in the extended dialect', () => {
  it('loses no member and no static value, twenty times', async (test) => {
    const seed = newSeed();
    const acknowledged = await runMemberKills(20, seed);
    test.diagnostic(`seed ${seed}: ${acknowledged} changes`);
    assert.ok(acknowledged >= 20);
  });
});
