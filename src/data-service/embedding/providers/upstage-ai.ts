// Upstage: https://developers.upstage.ai/docs/apis/embeddings
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const upstageAI = httpProvider({
  name: 'upstageAI',
  help: 'The models of Upstage. Each model has a variant for passages and one for queries; the server chooses the variant.',
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
