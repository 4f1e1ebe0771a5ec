// Damaged commands on documents from a new seed, 250 of them; 20,000, and their mixture: the long file.
import { describe, it } from 'node:test';
import { newSeed } from '../seeded-random.js';
import { sendMalformedDocuments } from './malformed-documents.js';

describe('damaged commands on documents', () => {
  it('are answered, and do no harm', async (test) => {
    const seed = newSeed();
    const { refused, done } = await sendMalformedDocuments(250, seed);
    test.diagnostic(`seed ${seed}: ${done} done, ${refused} refused`);
  });
});
