// Errors about embeddings from text: embedding services of columns, credentials, and failures of providers.
import { entry, listed, listedColumns, type NamedColumn } from './error-entry.js';
import { providerFailure } from './provider-failure-text.js';

const notVectorColumns = (p: { columns: readonly NamedColumn[]; vectorColumns: readonly NamedColumn[] }) =>
  'Only vector columns can have an embedding service.\n' +
  `These columns are not vector columns: ${listedColumns(p.columns)}.\n` +
  `Vector columns of the table: ${listedColumns(p.vectorColumns)}.`;

/** Family REQUEST, scope SCHEMA, in addition to those of keyspaces and tables. */
export const vectorizeSchemaErrors = {
  CANNOT_DROP_VECTORIZE_FROM_NON_VECTOR_COLUMNS: entry({
    title: 'Column of the service is not a vector column',
    when: 'dropVectorize names columns that are not vector columns.',
    message: notVectorColumns,
  }),
  CANNOT_DROP_VECTORIZE_FROM_UNKNOWN_COLUMNS: entry({
    title: 'Column of the service unknown',
    when: 'dropVectorize names columns that the table does not have.',
    message: (p: { unknownColumns: readonly string[]; allColumns: readonly NamedColumn[] }) =>
      `The table does not have these columns: ${listed(p.unknownColumns)}.\nIts columns: ${listedColumns(p.allColumns)}.`,
  }),
  CANNOT_VECTORIZE_NON_VECTOR_COLUMNS: entry({
    title: 'Column to vectorize is not a vector column',
    when: 'addVectorize names columns that are not vector columns.',
    message: notVectorColumns,
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
      `The model ${p.model} of the provider ${p.provider} is deprecated; ` +
      `new columns cannot use it. ${p.more}`.trimEnd(),
  }),
  END_OF_LIFE_AI_MODEL: entry({
    title: 'Model no longer available',
    when: 'A definition names a model that has reached its end of life, or a command has a text for a column with such a model.',
    message: (p: { provider: string; model: string; more: string }) =>
      `The model ${p.model} of the provider ${p.provider} has reached its end of life. ${p.more}`.trimEnd(),
  }),
  INVALID_CREATE_COLLECTION_OPTIONS: entry({
    title: 'Service or options not valid',
    when: 'An option of createCollection is not valid. Or the `service` of a vector column names a provider or model that is not available, lacks a parameter, has an unknown parameter, or does not fit the dimension. The name of the code comes from the public API.',
    message: (p: { column?: string; problem: string }) =>
      p.column === undefined
        ? `The options of the collection are not valid: ${p.problem}.\nCorrect them and send the command again.`
        : `The embedding service of the vector column ${p.column} is not valid: ${p.problem}.\n` +
          'The command findEmbeddingProviders lists the providers, their models and their parameters.',
  }),
  INVALID_VECTORIZE_TABLE_CONFIGURATION: entry({
    title: 'Embedding services are incompatible',
    when: 'Two vector columns of a table would have different embedding services or, with a service, different dimensions; or a column has vectors of another service whose vectors are different.',
    message: (p: { problem: string }) =>
      `The embedding services of the table cannot be combined: ${p.problem}.`,
  }),
  VECTORIZE_CREDENTIAL_INVALID: entry({
    title: 'Credential not in the key store',
    when: 'The `authentication` of a service names a credential that is not in the key store, that has no secret for the provider, or that is stored for other providers.',
    message: (p: { credential: string; problem: string }) =>
      `The credential "${p.credential}" cannot be used: ${p.problem}.\n` +
      'Add it with `colonnade keys set NAME`, or send the key in the header of each command.',
  }),
} as const;

const failure = providerFailure('The command was not carried out, because there are no embeddings');

/** Family SERVER, scope EMBEDDING_PROVIDER. */
export const embeddingErrors = {
  EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED: entry({
    title: 'Key for the embedding provider missing',
    when: 'A command has a text for a provider that needs a key, and neither a header nor the key store has the key.',
    message: failure('received no request'),
  }),
  EMBEDDING_PROVIDER_BAD_HOST_NAME: entry({
    title: 'Host of the embedding provider unknown',
    when: "The host name in the provider's URL cannot be found.",
    message: failure('was not found'),
  }),
  EMBEDDING_PROVIDER_CLIENT_ERROR: entry({
    title: 'Embedding provider refused the request',
    when: 'The provider answered with a status of 400 to 499: the key may be wrong, or a text too long.',
    message: failure('refused the request', '\nCheck the key and the length of the texts.'),
  }),
  EMBEDDING_PROVIDER_RATE_LIMITED: entry({
    title: 'Embedding provider limits the rate',
    when: 'The provider answered 429, also to the retries, or its Retry-After is longer than the time limit.',
    message: failure('received too many requests', '\nTry again later.'),
  }),
  EMBEDDING_PROVIDER_SERVER_ERROR: entry({
    title: 'Embedding provider failed',
    when: 'The provider answered with a status of 500 or above, also to the retries.',
    message: failure('failed', '\nTry again later.'),
  }),
  EMBEDDING_PROVIDER_TIMEOUT: entry({
    title: 'Embedding provider took too long',
    when: 'The provider did not answer in time, or answered 408 or 504.',
    message: failure('took too long', '\nTry again later, or with fewer texts.'),
  }),
  EMBEDDING_PROVIDER_UNAVAILABLE: entry({
    title: 'Embedding provider not available',
    when: 'The provider or model of a column is no longer available on this server or in its region, or the provider cannot be reached.',
    message: failure('is not available'),
  }),
  EMBEDDING_PROVIDER_UNEXPECTED_RESPONSE: entry({
    title: 'Reply of the embedding provider unexpected',
    when: 'The reply of the provider is not one embedding of the expected dimension for each text.',
    message: failure('sent an unexpected reply'),
  }),
  EMBEDDING_REQUEST_ENCODING_ERROR: entry({
    title: 'Request to the embedding provider cannot be written',
    when: 'The provider is Amazon Bedrock, and a text is not valid Unicode: it has half of a surrogate pair.',
    message: failure('received no request'),
  }),
  EMBEDDING_RESPONSE_DECODING_ERROR: entry({
    title: 'Reply of the embedding provider cannot be read',
    when: 'The provider is Amazon Bedrock, and its reply is not JSON or has no embeddings.',
    message: failure('sent a reply that is not valid'),
  }),
} as const;
