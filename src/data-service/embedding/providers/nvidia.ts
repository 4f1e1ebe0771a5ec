// NVIDIA: https://docs.api.nvidia.com/nim/reference/nvidia-embed-qa-4-infer
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const nvidia = httpProvider({
  name: 'nvidia',
  help: 'The models of NVIDIA.',
  entry: makeEntry({
    displayName: 'NVIDIA',
    url: 'https://ai.api.nvidia.com/v1/retrieval/nvidia/embeddings',
    models: [fixedModel('NV-Embed-QA', 1024)],
    limits: { maxBatchSize: 8 },
  }),
  body: ({ texts, model, purpose }) => ({
    input: texts,
    model: model.name,
    input_type: purpose,
    encoding_format: 'float',
  }),
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});
