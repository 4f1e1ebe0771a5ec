// Random documents and commands: the server answers as a model in memory does. 700 commands; more: the long file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { compareWithModel } from './compare-with-model.js';

describe('documents against a model', () => {
  it('answers random commands as the model does', async (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    const { commands, documents } = await compareWithModel(700, seed);
    test.diagnostic(`${commands} commands, ${documents} documents`);
    // On average two of five commands find a document; few scenarios have fewer.
    assert.ok(documents > commands / 20, `only ${documents} documents were compared`);
  });
});
