// Jina AI: https://api.jina.ai/redoc (embeddings)
import { askedDimension, bearer, fixedModel, makeEntry, rangeModel } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import type { ProviderParameter } from '../provider.js';
import { readEmbeddingList } from '../provider-reply.js';

const parametersOfV3: readonly ProviderParameter[] = [
  {
    name: 'task',
    type: 'string',
    isRequired: false,
    options: ['retrieval.query', 'retrieval.passage', 'separation', 'classification', 'text-matching'],
    help: 'What the embeddings are for. By default, stored texts are passages and the texts of sorts are queries.',
  },
  {
    name: 'late_chunking',
    type: 'boolean',
    isRequired: false,
    default: false,
    help: 'Whether the texts of a request are embedded together, as parts of one text.',
  },
];

export const jinaAI = httpProvider({
  name: 'jinaAI',
  help: 'The models of Jina AI.',
  entry: makeEntry({
    displayName: 'Jina AI',
    url: 'https://api.jina.ai/v1/embeddings',
    models: [
      fixedModel('jina-embeddings-v2-base-en', 768),
      fixedModel('jina-embeddings-v2-base-de', 768),
      fixedModel('jina-embeddings-v2-base-es', 768),
      fixedModel('jina-embeddings-v2-base-code', 768),
      fixedModel('jina-embeddings-v2-base-zh', 768),
      rangeModel('jina-embeddings-v3', [1, 1024], 1024, parametersOfV3),
    ],
    limits: { maxBatchSize: 32, firstDelayMs: 1_000, maxDelayMs: 1_000 },
  }),
  body: ({ texts, model, dimension, parameters, purpose }) => ({
    input: texts,
    model: model.name,
    dimensions: askedDimension(model, dimension),
    task: hasParameters(model) ? (parameters['task'] ?? `retrieval.${purpose}`) : undefined,
    late_chunking: parameters['late_chunking'],
  }),
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});

/** The models of version 2 have no tasks. */
function hasParameters({ parameters }: { readonly parameters: readonly ProviderParameter[] }): boolean {
  return parameters.length > 0;
}
