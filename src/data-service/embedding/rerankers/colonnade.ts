// The built-in reranker: the places in both searches decide (reciprocal rank fusion), without any model.
import { rerankingEntry } from '../entry-parts.js';
import type { RerankingProvider } from '../reranking-provider.js';

/** Its scores are those of the fusion. */
export const colonnade: RerankingProvider = {
  name: 'colonnade',
  help: 'Built in, needs no key. The order is that of reciprocal rank fusion: the sum of 1 / (60 + place) over both searches.',
  entry: rerankingEntry({
    displayName: 'Colonnade (built in: reciprocal rank fusion)',
    url: null,
    authentication: { none: true, header: false, sharedSecret: false },
    secrets: [],
    models: ['reciprocal-rank-fusion'],
  }),
  rank: async ({ passages }) => passages.map(({ fusionScore }) => fusionScore),
};
