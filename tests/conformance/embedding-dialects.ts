// The published formats of the embedding providers: what a request must be, and what a reply is.
import type { ParameterValue, Purpose } from '../../src/data-service/embedding/provider.js';
import type { ProviderProblem } from '../../src/data-service/embedding/provider-failure.js';
import { awsSignature } from './aws-signature.js';
import type { ReceivedRequest } from './received-request.js';

/** How a provider is spoken to. */
export interface ProviderDialect {
  readonly provider: string;
  readonly model: string;
  readonly dimension: number;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly credential: Readonly<Record<string, string>>;
  /** Path and query of a request. */
  readonly path: string;
  /** Headers that a request must have. */
  headers(request: ReceivedRequest): Readonly<Record<string, string>>;
  /** The whole body for some texts. */
  body(texts: readonly string[], purpose: Purpose): object;
  textsIn(body: Readonly<Record<string, unknown>>): readonly string[];
  reply(vectors: readonly (readonly (number | string)[])[]): unknown;
  /** Problems of replies that other providers do not distinguish from an unexpected one. */
  readonly ownProblems?: readonly ProviderProblem[];
  /** The body of a refusal with this message. */
  refusal(message: string): object;
}

const key = 'sk-Secret.0123456789';
const withKey = {
  parameters: {},
  credential: { providerKey: key },
  headers: () => ({ authorization: `Bearer ${key}` }),
};
/** Replies of OpenAI and those who followed it; the order of `data` is not promised. */
const embeddingList = {
  textsIn: (body: Readonly<Record<string, unknown>>) => [body['input']].flat().map(String),
  reply: (vectors: readonly (readonly number[])[]) => ({
    object: 'list',
    model: 'm',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
    usage: { prompt_tokens: 8, total_tokens: 8 },
  }),
};
const openaiRefusal = {
  refusal: (message: string) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
  }),
};
const plainRefusal = { refusal: (message: string) => ({ message }) };

/** One dialect per provider over HTTP. */
export const embeddingDialects: readonly ProviderDialect[] = [
  {
    ...withKey,
    ...embeddingList,
    ...openaiRefusal,
    provider: 'openai',
    model: 'text-embedding-3-small',
    dimension: 6,
    parameters: { organizationId: 'org-1', projectId: 'proj-2' },
    path: '/v1/embeddings',
    headers: () => ({ ...withKey.headers(), 'openai-organization': 'org-1', 'openai-project': 'proj-2' }),
    body: (input) => ({ input, model: 'text-embedding-3-small', dimensions: 6, encoding_format: 'float' }),
  },
  {
    ...withKey,
    ...embeddingList,
    ...openaiRefusal,
    provider: 'azureOpenAI',
    model: 'text-embedding-ada-002',
    dimension: 1536,
    parameters: { resourceName: 'res', deploymentId: 'my/deployment' },
    path: '/openai/deployments/my/deployment/embeddings?api-version=2024-02-01',
    headers: () => ({ 'api-key': key }),
    body: (input) => ({ input, model: 'text-embedding-ada-002', encoding_format: 'float' }),
  },
  {
    ...withKey,
    provider: 'huggingface',
    model: 'sentence-transformers/all-MiniLM-L6-v2',
    dimension: 384,
    path: '/hf-inference/models/sentence-transformers/all-MiniLM-L6-v2/pipeline/feature-extraction',
    body: (inputs) => ({ inputs, options: { wait_for_model: true } }),
    textsIn: (body) => [body['inputs']].flat().map(String),
    reply: (vectors) => vectors,
    refusal: (error) => ({ error }),
  },
  {
    ...withKey,
    ...embeddingList,
    provider: 'huggingfaceDedicated',
    model: 'endpoint-defined-model',
    dimension: 5,
    parameters: { endpointName: 'e', regionName: 'r', cloudName: 'c' },
    path: '/embeddings',
    body: (input) => ({ input }),
    refusal: (error) => ({ error, error_type: 'Validation' }),
  },
  {
    ...withKey,
    ...embeddingList,
    provider: 'jinaAI',
    model: 'jina-embeddings-v3',
    dimension: 12,
    parameters: { late_chunking: false },
    path: '/v1/embeddings',
    body: (input, purpose) => ({
      input,
      model: 'jina-embeddings-v3',
      dimensions: 12,
      task: `retrieval.${purpose}`,
      late_chunking: false,
    }),
    refusal: (detail) => ({ detail }),
  },
  {
    ...withKey,
    ...embeddingList,
    ...plainRefusal,
    provider: 'mistral',
    model: 'mistral-embed',
    dimension: 1024,
    path: '/v1/embeddings',
    body: (input) => ({ input, model: 'mistral-embed', encoding_format: 'float' }),
  },
  {
    ...withKey,
    ...embeddingList,
    provider: 'nvidia',
    model: 'NV-Embed-QA',
    dimension: 1024,
    path: '/v1/retrieval/nvidia/embeddings',
    body: (input, purpose) => ({
      input,
      model: 'NV-Embed-QA',
      input_type: purpose,
      encoding_format: 'float',
    }),
    refusal: (detail) => ({ status: 401, title: 'Unauthorized', detail }),
  },
  {
    ...withKey,
    ...embeddingList,
    provider: 'voyageAI',
    model: 'voyage-2',
    dimension: 1024,
    parameters: { autoTruncate: false },
    path: '/v1/embeddings',
    body: (input, purpose) => ({
      input,
      model: 'voyage-2',
      input_type: purpose === 'query' ? 'query' : 'document',
      truncation: false,
    }),
    refusal: (detail) => ({ detail }),
  },
  {
    ...withKey,
    ...embeddingList,
    ...openaiRefusal,
    provider: 'upstageAI',
    model: 'solar-embedding-1-large',
    dimension: 4096,
    path: '/v1/solar/embeddings',
    body: ([input], purpose) => ({ input, model: `solar-embedding-1-large-${purpose}` }),
  },
  {
    ...withKey,
    ...plainRefusal,
    provider: 'cohere',
    model: 'embed-english-v3.0',
    dimension: 1024,
    path: '/v1/embed',
    body: (texts, purpose) => ({
      texts,
      model: 'embed-english-v3.0',
      input_type: purpose === 'query' ? 'search_query' : 'search_document',
    }),
    textsIn: (body) => [body['texts']].flat().map(String),
    reply: (embeddings) => ({ id: 'i', response_type: 'embeddings_floats', embeddings, texts: [] }),
  },
  {
    ...withKey,
    provider: 'vertexai',
    model: 'textembedding-gecko@003',
    dimension: 768,
    parameters: { projectId: 'my project', autoTruncate: true },
    path: '/v1/projects/my%20project/locations/us-central1/publishers/google/models/textembedding-gecko%40003:predict',
    body: (texts, purpose) => ({
      instances: texts.map((content) => ({
        content,
        task_type: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
      })),
      parameters: { autoTruncate: true },
    }),
    textsIn: (body) => (body['instances'] as { content: string }[]).map(({ content }) => content), // as `body` has it
    reply: (vectors) => ({
      predictions: vectors.map((values) => ({
        embeddings: { values, statistics: { truncated: false, token_count: 3 } },
      })),
    }),
    refusal: (message) => ({ error: { code: 401, message, status: 'UNAUTHENTICATED' } }),
  },
  {
    ...plainRefusal,
    provider: 'bedrock',
    model: 'amazon.titan-embed-text-v2:0',
    dimension: 256,
    parameters: { region: 'eu-west-1' },
    credential: { accessId: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    path: '/model/amazon.titan-embed-text-v2%3A0/invoke',
    headers: (request) => ({
      authorization: awsSignature(request, {
        accessId: 'AKIDEXAMPLE',
        secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
        region: 'eu-west-1',
        service: 'bedrock',
      }),
    }),
    body: ([inputText]) => ({ inputText, dimensions: 256 }),
    textsIn: (body) => [String(body['inputText'])],
    reply: ([embedding]) => ({ embedding, inputTextTokenCount: 3 }),
    ownProblems: ['unreadableResponse'],
  },
  {
    ...withKey,
    ...embeddingList,
    ...openaiRefusal,
    provider: 'openaiCompatible',
    model: 'nomic-embed-text',
    dimension: 8,
    path: '/v1/embeddings',
    body: (input) => ({ input, model: 'nomic-embed-text', encoding_format: 'float' }),
  },
];
