// Errors about reranking: what findAndRerank needs, and failures of providers.
import { entry } from './error-entry.js';
import { providerFailure } from './provider-failure-text.js';

/** Family REQUEST, no scope. */
export const rerankingRequestErrors = {
  INVALID_RERANK_OVERRIDE: entry({
    title: 'Option rerank not valid',
    when: 'The option `rerank` of findAndRerank is empty, or names no provider and model that this server offers.',
    message: (p: { problem: string }) =>
      `The option "rerank" is not valid: ${p.problem}.\nName "provider" and "modelName", or leave it out.`,
  }),
  MISSING_RERANK_QUERY_TEXT: entry({
    title: 'Text to rank by missing',
    when: 'findAndRerank has neither a text for `$vectorize` nor the option `rerankQuery`.',
    message: (_: object) =>
      'The documents cannot be ranked without a text.\nSend the option "rerankQuery", or a text for "$vectorize" in "$hybrid".',
  }),
  UNSUPPORTED_RERANKING_COMMAND: entry({
    title: 'Collection without reranking',
    when: 'findAndRerank on a collection that was created with `{"rerank": {"enabled": false}}`, without the option `rerank`.',
    message: (_: object) =>
      'The collection was created without reranking.\nName a service in the option "rerank", such as {"provider": "colonnade", "modelName": "reciprocal-rank-fusion"}.',
  }),
} as const;

const failure = providerFailure('The documents were not ranked');

/** Family REQUEST, scope SCHEMA, as in the public API. */
export const rerankingSchemaErrors = {
  RERANKING_PROVIDER_AUTHENTICATION_KEY_NOT_PROVIDED: entry({
    title: 'Key for the reranking provider missing',
    when: 'The reranking provider needs a key, and neither the header `reranking-api-key` nor the key store has it.',
    message: failure('received no request'),
  }),
  RERANKING_PROVIDER_CLIENT_ERROR: entry({
    title: 'Reranking provider refused the request',
    when: 'The provider answered with a status of 400 to 499: the key may be wrong, or a passage too long.',
    message: failure('refused the request', '\nCheck the key and the length of the passages.'),
  }),
  RERANKING_PROVIDER_RATE_LIMITED: entry({
    title: 'Reranking provider limits the rate',
    when: 'The provider answered 429, also to the retries, or its Retry-After is longer than the time limit.',
    message: failure('received too many requests', '\nTry again later.'),
  }),
  RERANKING_PROVIDER_SERVER_ERROR: entry({
    title: 'Reranking provider failed',
    when: 'The provider answered with a status of 500 or above, also to the retries, or could not be reached.',
    message: failure('failed', '\nTry again later.'),
  }),
  RERANKING_PROVIDER_UNEXPECTED_RESPONSE: entry({
    title: 'Reply of the reranking provider unexpected',
    when: 'The provider answered with something else than a score for each passage.',
    message: failure('sent an unexpected reply'),
  }),
  RERANKING_SERVICE_TYPE_UNAVAILABLE: entry({
    title: 'Reranking service not available',
    when: 'The reranking provider or model of a collection is no longer available on this server or in its region.',
    message: (p: { provider: string; model: string }) =>
      `This server does not offer the model ${p.model} of the reranking provider ${p.provider}.\nName another service in the option "rerank".`,
  }),
} as const;

/** Family SERVER, scope RERANKING_PROVIDER. */
export const rerankingErrors = {
  RERANKING_PROVIDER_TIMEOUT: entry({
    title: 'Reranking provider took too long',
    when: 'The provider did not answer in time, or answered 408 or 504.',
    message: failure('took too long', '\nTry again later, or with lower "hybridLimits".'),
  }),
} as const;
