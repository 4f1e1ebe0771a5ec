// Mistral AI: https://docs.mistral.ai/api/#tag/embeddings
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const mistral = httpProvider({
  name: 'mistral',
  help: 'The models of Mistral AI.',
  entry: makeEntry({
    displayName: 'Mistral AI',
    url: 'https://api.mistral.ai/v1/embeddings',
    models: [fixedModel('mistral-embed', 1024)],
    limits: { maxBatchSize: 32 },
  }),
  body: ({ texts, model }) => ({ input: texts, model: model.name, encoding_format: 'float' }),
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});
