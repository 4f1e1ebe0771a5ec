// Google Vertex AI: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
import { bearer, fixedModel, makeEntry } from '../entry-parts.js';
import { httpProvider } from '../http-provider.js';
import { membersOf } from '../provider-reply.js';

export const vertexai = httpProvider({
  name: 'vertexai',
  help: 'The models of Google Vertex AI. Off unless the providers file enables it.',
  entry: makeEntry({
    displayName: 'Google Vertex AI',
    url: 'https://us-central1-aiplatform.googleapis.com/v1/projects/{projectId}/locations/us-central1/publishers/google/models/{model}:predict',
    isEnabled: false,
    parameters: [
      {
        name: 'projectId',
        type: 'string',
        isRequired: true,
        help: 'The ID of your Google Cloud project.',
        displayName: 'Project ID',
        hint: 'Add project ID',
      },
    ],
    models: [
      fixedModel('textembedding-gecko@003', 768, [
        {
          name: 'autoTruncate',
          type: 'boolean',
          isRequired: false,
          default: true,
          help: 'Whether texts that are too long for the model are cut. If not, they are refused.',
        },
      ]),
    ],
    limits: { maxBatchSize: 32 },
  }),
  body: ({ texts, parameters, purpose }) => ({
    instances: texts.map((content) => ({
      content,
      task_type: purpose === 'passage' ? 'RETRIEVAL_DOCUMENT' : 'RETRIEVAL_QUERY',
    })),
    parameters: { autoTruncate: parameters['autoTruncate'] },
  }),
  headers: (_, key) => bearer(key),
  vectors: (reply) => {
    const { predictions } = membersOf(reply);
    if (!Array.isArray(predictions)) return undefined;
    return predictions.map((prediction) => membersOf(membersOf(prediction)['embeddings'])['values']);
  },
});
