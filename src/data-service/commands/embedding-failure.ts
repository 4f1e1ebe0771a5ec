// The errors of clients for a provider that returned no embeddings.
import type { ProviderFailure } from '../embedding/provider-failure.js';
import { type ApiError, apiError } from '../errors/api-error.js';

/** The client's error for a failure. */
export function toEmbeddingError(
  failure: ProviderFailure,
  asked: { readonly provider: string; readonly model: string },
): ApiError {
  const facts = { ...asked, problem: failure.message };
  switch (failure.problem) {
    case 'keysMissing':
      return apiError('embedding', 'EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED', facts);
    case 'clientError':
      return apiError('embedding', 'EMBEDDING_PROVIDER_CLIENT_ERROR', facts);
    case 'rateLimited':
      return apiError('embedding', 'EMBEDDING_PROVIDER_RATE_LIMITED', facts);
    case 'serverError':
      return apiError('embedding', 'EMBEDDING_PROVIDER_SERVER_ERROR', facts);
    case 'timeout':
      return apiError('embedding', 'EMBEDDING_PROVIDER_TIMEOUT', facts);
    case 'unreachable':
      return apiError('embedding', 'EMBEDDING_PROVIDER_UNAVAILABLE', facts);
    case 'badHostName':
      return apiError('embedding', 'EMBEDDING_PROVIDER_BAD_HOST_NAME', facts);
    case 'unexpectedResponse':
      return apiError('embedding', 'EMBEDDING_PROVIDER_UNEXPECTED_RESPONSE', facts);
    case 'unreadableResponse':
      return apiError('embedding', 'EMBEDDING_RESPONSE_DECODING_ERROR', facts);
    case 'unwritableRequest':
      return apiError('embedding', 'EMBEDDING_REQUEST_ENCODING_ERROR', facts);
  }
}
