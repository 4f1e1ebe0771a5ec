// Commands of the public API for features that this server does not have (differences: text search).
import { apiError } from '../errors/api-error.js';
import { keyspaceCommand, tableCommand } from './command.js';
import { anything, flag, object, optionalText, options } from './shape.js';

const untouched = anything('anything');

export const createTextIndex = tableCommand({
  name: 'createTextIndex',
  help: 'Not available: there are no text indexes.',
  kind: 'schema',
  shape: object({ name: optionalText, definition: untouched, indexType: untouched, options: untouched }),
  plan: () => {
    throw apiError('schema', 'LEXICAL_FEATURE_NOT_ENABLED', {});
  },
  execute: async () => undefined,
  respond: () => ({}),
});

/** Its reply is always empty. */
export const findCollections = keyspaceCommand({
  name: 'findCollections',
  help: 'An empty list: there are no document collections.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: () => null,
  execute: async () => undefined,
  respond: () => ({ status: [['collections', '[]']] }),
});
