// Azure OpenAI: https://learn.microsoft.com/en-us/azure/ai-services/openai/reference
import { apiKey, fixedModel, makeEntry, rangeModel } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { readEmbeddingList } from '../provider-reply.js';
import { openaiBody } from './openai.js';

export const azureOpenAI = httpProvider({
  name: 'azureOpenAI',
  help: 'The models of OpenAI, deployed on Azure.',
  entry: makeEntry({
    displayName: 'Azure OpenAI',
    url: 'https://{resourceName}.openai.azure.com/openai/deployments/{deploymentId}/embeddings?api-version=2024-02-01',
    secrets: apiKey('api-key'),
    parameters: [
      {
        name: 'resourceName',
        type: 'string',
        isRequired: true,
        isHostLabel: true,
        help: 'The name of your Azure OpenAI resource.',
        displayName: 'Resource name',
        hint: 'Add resource name',
      },
      {
        name: 'deploymentId',
        type: 'string',
        isRequired: true,
        help: 'The name of your deployment of the model.',
        displayName: 'Deployment ID',
        hint: 'Add deployment ID',
      },
    ],
    models: [
      rangeModel('text-embedding-3-small', [2, 1536], 1536),
      rangeModel('text-embedding-3-large', [256, 3072], 1536),
      fixedModel('text-embedding-ada-002', 1536),
    ],
    limits: { maxBatchSize: 2048 },
  }),
  body: openaiBody,
  headers: (_, key) => ({ 'api-key': key }),
  vectors: readEmbeddingList,
});
