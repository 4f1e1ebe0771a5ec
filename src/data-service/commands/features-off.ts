// Commands of the public API for features that this server does not have (differences: reranking).
import { apiError } from '../errors/api-error.js';
import { databaseCommand, keyspaceCommand } from './command.js';
import { anything, flag, object, options } from './shape.js';

const untouched = anything('anything');

export const findRerankingProviders = databaseCommand({
  name: 'findRerankingProviders',
  help: 'Not available: there is no reranking.',
  kind: 'list',
  shape: object({ options: untouched }),
  plan: () => {
    throw apiError('schema', 'RERANKING_FEATURE_NOT_ENABLED', {});
  },
  execute: async () => undefined,
  respond: () => ({}),
});

export const findCollections = emptyList('findCollections', 'collections', 'document collections');
export const listTypes = emptyList('listTypes', 'types', 'user-defined types');

/** A list command whose reply is always empty. */
function emptyList(name: string, member: 'collections' | 'types', things: string) {
  return keyspaceCommand({
    name,
    help: `An empty list: there are no ${things}.`,
    kind: 'list',
    shape: object({ options: options({ explain: flag }) }),
    plan: () => null,
    execute: async () => undefined,
    respond: () => ({ status: [[member, '[]']] }),
  });
}
