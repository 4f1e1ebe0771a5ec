// Voyage AI: https://docs.voyageai.com/reference/embeddings-api
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const voyageAI = httpProvider({
  name: 'voyageAI',
  help: 'The models of Voyage AI.',
  entry: makeEntry({
    displayName: 'Voyage AI',
    url: 'https://api.voyageai.com/v1/embeddings',
    parameters: [
      {
        name: 'autoTruncate',
        type: 'boolean',
        isRequired: false,
        default: true,
        help: 'Whether texts that are too long for the model are cut. If not, they are refused.',
        displayName: 'Auto truncate',
        hint: 'Whether long texts are cut',
      },
    ],
    models: [
      fixedModel('voyage-large-2-instruct', 1024),
      fixedModel('voyage-law-2', 1024),
      fixedModel('voyage-code-2', 1536),
      fixedModel('voyage-large-2', 1536),
      fixedModel('voyage-2', 1024),
      fixedModel('voyage-finance-2', 1024),
      fixedModel('voyage-multilingual-2', 1024),
    ],
    limits: { maxBatchSize: 32 },
  }),
  body: ({ texts, model, parameters, purpose }) => ({
    input: texts,
    model: model.name,
    input_type: purpose === 'passage' ? 'document' : 'query',
    truncation: parameters['autoTruncate'],
  }),
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});
