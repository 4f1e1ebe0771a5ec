// Hugging Face, serverless: https://huggingface.co/docs/inference-providers/tasks/feature-extraction
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';

export const huggingface = httpProvider({
  name: 'huggingface',
  help: 'Open models, run by Hugging Face.',
  entry: makeEntry({
    displayName: 'Hugging Face Serverless',
    url: 'https://router.huggingface.co/hf-inference/models/{model}/pipeline/feature-extraction',
    models: [
      fixedModel('sentence-transformers/all-MiniLM-L6-v2', 384),
      fixedModel('intfloat/multilingual-e5-large', 1024),
      fixedModel('intfloat/multilingual-e5-large-instruct', 1024),
      fixedModel('BAAI/bge-small-en-v1.5', 384),
      fixedModel('BAAI/bge-base-en-v1.5', 768),
      fixedModel('BAAI/bge-large-en-v1.5', 1024),
    ],
    limits: { maxBatchSize: 32 },
  }),
  body: ({ texts }) => ({ inputs: texts, options: { wait_for_model: true } }),
  headers: (_, key) => bearer(key),
  vectors: (reply) => (Array.isArray(reply) ? reply : undefined),
});
