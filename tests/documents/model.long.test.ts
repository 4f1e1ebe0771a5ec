// Random documents and commands: the server answers as a model in memory does. 20,000 commands; more: run-model.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { compareWithModel } from './compare-with-model.js';

describe('documents against a model', () => {
  it('answers random commands as the model does', async (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    const { commands, documents } = await compareWithModel(20_000, seed);
    test.diagnostic(`${commands} commands, ${documents} documents`);
    assert.ok(documents > commands / 5, `only ${documents} documents were compared`);
  });
});
