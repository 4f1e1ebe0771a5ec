// Hugging Face, dedicated endpoints: https://huggingface.co/docs/inference-endpoints
import { bearer, makeEntry, rangeModel } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import type { ProviderParameter } from '../provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const huggingfaceDedicated = httpProvider({
  name: 'huggingfaceDedicated',
  help: 'A model that you deployed as an endpoint at Hugging Face.',
  entry: makeEntry({
    displayName: 'Hugging Face Dedicated',
    url: 'https://{endpointName}.{regionName}.{cloudName}.endpoints.huggingface.cloud/embeddings',
    parameters: [
      partOfHost('endpointName', 'Endpoint name', 'The name of your endpoint: the first part of its URL.'),
      partOfHost('regionName', 'Region name', 'The region of your endpoint: the second part of its URL.'),
      partOfHost('cloudName', 'Cloud name', 'The cloud of your endpoint: the third part of its URL.'),
    ],
    models: [rangeModel('endpoint-defined-model', [2, 3072], null)],
    limits: { maxBatchSize: 32 },
  }),
  body: ({ texts }) => ({ input: texts }),
  headers: (_, key) => bearer(key),
  vectors: readEmbeddingList,
});

function partOfHost(name: string, displayName: string, help: string): ProviderParameter {
  const hint = `Add ${displayName.toLowerCase()}`;
  return {
    name,
    type: 'string',
    isRequired: true,
    isHostLabel: true,
    choosesServer: true,
    help,
    displayName,
    hint,
  };
}
