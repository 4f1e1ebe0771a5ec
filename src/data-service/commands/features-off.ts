// Commands of the public API for features that this service does not offer (differences: text search).
import { apiError } from '../errors/api-error.js';
import { databaseCommand, tableCommand } from './command.js';
import { anything, object, optionalText } from './shape.js';

const untouched = anything('anything');

export const createTextIndex = tableCommand({
  name: 'createTextIndex',
  help: 'Not offered: there are no text indexes.',
  kind: 'schema',
  shape: object({ name: optionalText, definition: untouched, indexType: untouched, options: untouched }),
  plan: () => {
    throw apiError('schema', 'LEXICAL_FEATURE_NOT_ENABLED', {});
  },
  execute: async () => undefined,
  respond: () => ({}),
});

export const findRerankingProviders = databaseCommand({
  name: 'findRerankingProviders',
  help: 'Not offered: there is no reranking.',
  kind: 'read',
  shape: object({ options: untouched }),
  plan: () => {
    throw apiError('schema', 'RERANKING_FEATURE_NOT_ENABLED', {});
  },
  execute: async () => undefined,
  respond: () => ({}),
});
