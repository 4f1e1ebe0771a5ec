// Cohere: https://docs.cohere.com/v1/reference/embed
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { membersOf } from '../provider-reply.js';

export const cohere = httpProvider({
  name: 'cohere',
  help: 'The models of Cohere. Off unless the providers file enables it.',
  entry: makeEntry({
    displayName: 'Cohere',
    url: 'https://api.cohere.ai/v1/',
    isEnabled: false,
    models: [fixedModel('embed-english-v3.0', 1024), fixedModel('embed-english-v2.0', 4096)],
    limits: { maxBatchSize: 32 },
  }),
  path: 'embed',
  body: ({ texts, model, purpose }) => ({
    texts,
    model: model.name,
    input_type: purpose === 'passage' ? 'search_document' : 'search_query',
  }),
  headers: (_, key) => bearer(key),
  vectors: (reply) => {
    const { embeddings } = membersOf(reply);
    return Array.isArray(embeddings) ? embeddings : undefined;
  },
});
