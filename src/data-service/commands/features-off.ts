// Commands of the public API for features that this server does not have.
import { keyspaceCommand } from './command.js';
import { flag, object, options } from './shape.js';

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
