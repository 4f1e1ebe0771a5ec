// Upstage: https://developers.upstage.ai/docs/apis/embeddings
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const upstageAI = httpProvider({
  name: 'upstageAI',
  help: 'The models of Upstage. Each has a twin for passages and one for queries, which is chosen for you.',
  entry: makeEntry({
    displayName: 'Upstage',
    url: 'https://api.upstage.ai/v1/solar/embeddings',
    models: [fixedModel('solar-embedding-1-large', 4096)],
    limits: { maxBatchSize: 1 },
  }),
  body: ({ texts, model, purpose }) => ({ input: texts[0], model: `${model.name}-${purpose}` }),
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});
