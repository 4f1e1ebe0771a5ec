// The built-in provider: lexical embeddings, computed in this process.
import { setImmediate } from 'node:timers/promises';
import { makeEntry, rangeModel } from '../entry-parts.js';
import { hashText } from '../hashed-ngrams.js';
import type { EmbeddingProvider } from '../provider.js';

export const colonnade: EmbeddingProvider = {
  name: 'colonnade',
  help: 'Built in, needs no key. It compares letters and words, not meaning: it finds texts with the same or similar words.',
  entry: makeEntry({
    displayName: 'Colonnade (built in, lexical: compares letters and words, not meaning)',
    url: null,
    regions: ['local'],
    authentication: { none: true, header: false, sharedSecret: false },
    secrets: [],
    models: [rangeModel('hashed-ngrams', [64, 1024], 384)],
    limits: { maxBatchSize: 100 },
  }),
  embed: async ({ texts, dimension }) => {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      vectors.push(hashText(text, dimension));
      await setImmediate(); // a long text takes milliseconds; other work runs in between
    }
    return vectors;
  },
};
