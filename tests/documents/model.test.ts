// Random documents and commands: the server answers as a model in memory does. 700 commands; 20,000: the long file.
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { compareWithModel } from './compare-with-model.js';

describe('documents against a model', () => {
  it('answers random commands as the model does', async (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    const { commands, documents } = await compareWithModel(700, seed);
    test.diagnostic(`${commands} commands, ${documents} documents`);
  });
});
