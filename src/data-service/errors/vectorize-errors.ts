// Errors about embeddings from text: services of columns, their credentials, and what providers answer.
import { entry, listed, listedColumns, type NamedColumn } from './error-entry.js';

/** Family REQUEST, scope SCHEMA, beside those of keyspaces and tables. */
export const vectorizeSchemaErrors = {
  CANNOT_DROP_VECTORIZE_FROM_NON_VECTOR_COLUMNS: entry({
    title: 'Service to drop is not of a vector column',
    when: 'dropVectorize names columns that hold no vectors.',
    message: (p: { columns: readonly NamedColumn[]; vectorColumns: readonly NamedColumn[] }) =>
      `Only vector columns have services, and these are none: ${listedColumns(p.columns)}.\n` +
      `Vector columns of the table: ${listedColumns(p.vectorColumns)}.`,
  }),
  CANNOT_DROP_VECTORIZE_FROM_UNKNOWN_COLUMNS: entry({
    title: 'Service to drop is of an unknown column',
    when: 'dropVectorize names columns that the table does not have.',
    message: (p: { unknownColumns: readonly string[]; allColumns: readonly NamedColumn[] }) =>
      `The table does not have these columns: ${listed(p.unknownColumns)}.\nIts columns: ${listedColumns(p.allColumns)}.`,
  }),
  CANNOT_VECTORIZE_NON_VECTOR_COLUMNS: entry({
    title: 'Column to vectorize holds no vectors',
    when: 'addVectorize names columns that hold no vectors.',
    message: (p: { columns: readonly NamedColumn[]; vectorColumns: readonly NamedColumn[] }) =>
      `Only vector columns can have a service, and these are none: ${listedColumns(p.columns)}.\n` +
      `Vector columns of the table: ${listedColumns(p.vectorColumns)}.`,
  }),
  CANNOT_VECTORIZE_UNKNOWN_COLUMNS: entry({
    title: 'Column to vectorize unknown',
    when: 'addVectorize names columns that the table does not have.',
    message: (p: { unknownColumns: readonly string[]; allColumns: readonly NamedColumn[] }) =>
      `The table does not have these columns: ${listed(p.unknownColumns)}.\nIts columns: ${listedColumns(p.allColumns)}.`,
  }),
  DEPRECATED_AI_MODEL: entry({
    title: 'Model deprecated',
    when: 'The definition of a vector column names a model that is deprecated.',
    message: (p: { provider: string; model: string; more: string }) =>
      `The model ${p.model} of ${p.provider} is deprecated; new columns cannot use it. ${p.more}`.trimEnd(),
  }),
  END_OF_LIFE_AI_MODEL: entry({
    title: 'Model no longer there',
    when: 'A definition names a model that has reached its end of life, or a text is for a column that has such a model.',
    message: (p: { provider: string; model: string; more: string }) =>
      `The model ${p.model} of ${p.provider} has reached its end of life. ${p.more}`.trimEnd(),
  }),
  INVALID_CREATE_COLLECTION_OPTIONS: entry({
    title: 'Embedding service not valid',
    when: 'The `service` of a vector column names a provider or model that is not offered, lacks a parameter, has an unknown one, or does not fit the dimension. The code has its name from the public API.',
    message: (p: { column: string; problem: string }) =>
      `The service of the vector column ${p.column} cannot be used: ${p.problem}.\n` +
      'The command findEmbeddingProviders tells providers, models and their parameters.',
  }),
  INVALID_VECTORIZE_TABLE_CONFIGURATION: entry({
    title: 'Services do not fit together',
    when: 'Two vector columns of a table would have different services or, with a service, different dimensions; or a column holds vectors of a service that gave other vectors than the new one.',
    message: (p: { problem: string }) => `The services would not fit together: ${p.problem}.`,
  }),
  VECTORIZE_CREDENTIAL_INVALID: entry({
    title: 'Credential not in the key store',
    when: 'The `authentication` of a service names a credential that the key store does not have, or one without the secret that the provider wants.',
    message: (p: { credential: string; problem: string }) =>
      `The credential "${p.credential}" cannot be used: ${p.problem}.\n` +
      'Add it with: colonnade keys set NAME. Or send the key in the header of each command.',
  }),
} as const;

interface Failed {
  readonly provider: string;
  readonly model: string;
  readonly problem: string;
}

function failure(what: string, advice = '') {
  return (p: Failed) =>
    `No embeddings were made, and nothing was stored: the provider ${p.provider} (model ${p.model}) ${what}: ${p.problem}.${advice}`;
}

/** Family SERVER, scope EMBEDDING_PROVIDER. */
export const embeddingErrors = {
  EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED: entry({
    title: 'Key for the embedding provider missing',
    when: 'A text is to be embedded by a provider that wants a key, and neither a header nor the key store has it.',
    message: failure('was not asked'),
  }),
  EMBEDDING_PROVIDER_BAD_HOST_NAME: entry({
    title: 'Host of the embedding provider unknown',
    when: "The host name in the provider's URL cannot be found.",
    message: failure('cannot be found'),
  }),
  EMBEDDING_PROVIDER_CLIENT_ERROR: entry({
    title: 'Embedding provider refused the request',
    when: 'The provider answered with a status of 400 to 499: the key may be wrong, or a text too long.',
    message: failure('refused the request', '\nCheck the key and the length of the texts.'),
  }),
  EMBEDDING_PROVIDER_RATE_LIMITED: entry({
    title: 'Embedding provider limits the rate',
    when: 'The provider answered 429, again after waiting, or wants to be left alone for longer than there is time.',
    message: failure('had too many requests', '\nTry again later.'),
  }),
  EMBEDDING_PROVIDER_SERVER_ERROR: entry({
    title: 'Embedding provider failed',
    when: 'The provider answered with a status of 500 or above, again after waiting.',
    message: failure('failed', '\nTry again later.'),
  }),
  EMBEDDING_PROVIDER_TIMEOUT: entry({
    title: 'Embedding provider took too long',
    when: 'The provider did not answer in time, or answered 408 or 504.',
    message: failure('took too long', '\nTry again later, or with fewer texts.'),
  }),
  EMBEDDING_PROVIDER_UNAVAILABLE: entry({
    title: 'Embedding provider not available',
    when: 'A column has a provider or model that this server does not offer any more, or not in its region; or the provider cannot be reached.',
    message: failure('is not available'),
  }),
  EMBEDDING_PROVIDER_UNEXPECTED_RESPONSE: entry({
    title: 'Reply of the embedding provider unexpected',
    when: 'The provider replied something else than embeddings of the wanted dimension, one for each text.',
    message: failure('gave an unexpected reply'),
  }),
  EMBEDDING_REQUEST_ENCODING_ERROR: entry({
    title: 'Request to the embedding provider cannot be written',
    when: 'The provider is Amazon Bedrock, and a text is no Unicode: it has half of a character that takes two.',
    message: failure('was not asked'),
  }),
  EMBEDDING_RESPONSE_DECODING_ERROR: entry({
    title: 'Reply of the embedding provider cannot be read',
    when: 'The provider is Amazon Bedrock, and its reply is no JSON or has no embedding where it should be.',
    message: failure('gave a reply that cannot be read'),
  }),
} as const;
