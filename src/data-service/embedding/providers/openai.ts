// OpenAI: https://platform.openai.com/docs/api-reference/embeddings/create
import { askedDimension, bearer, fixedModel, makeEntry, rangeModel } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import type { TextBatch } from '../provider.js';
import { readEmbeddingList } from '../provider-reply.js';

export const openai = httpProvider({
  name: 'openai',
  help: 'The models of OpenAI.',
  entry: makeEntry({
    displayName: 'OpenAI',
    url: 'https://api.openai.com/v1/',
    parameters: [
      {
        name: 'organizationId',
        type: 'string',
        isRequired: false,
        help: 'The organization to which the requests are billed.',
        displayName: 'Organization ID',
        hint: 'Add an (optional) organization ID',
      },
      {
        name: 'projectId',
        type: 'string',
        isRequired: false,
        help: 'The project to which the requests are billed.',
        displayName: 'Project ID',
        hint: 'Add an (optional) project ID',
      },
    ],
    models: [
      rangeModel('text-embedding-3-small', [2, 1536], 1536),
      rangeModel('text-embedding-3-large', [256, 3072], 3072),
      fixedModel('text-embedding-ada-002', 1536),
    ],
    limits: { maxBatchSize: 2048 },
  }),
  path: 'embeddings',
  body: openaiBody,
  headers: ({ parameters }, key) => ({
    ...bearer(key),
    'openai-organization': textOf(parameters['organizationId']),
    'openai-project': textOf(parameters['projectId']),
  }),
  vectors: readEmbeddingList,
});

/** The body of OpenAI's API, which many other providers accept. */
export function openaiBody({ texts, model, dimension }: TextBatch): object {
  return {
    input: texts,
    model: model.name,
    dimensions: askedDimension(model, dimension),
    encoding_format: 'float',
  };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
