// findKeyspaces, and its deprecated name findNamespaces (wire: General level).
import { databaseCommand } from './command.js';
import { noOptions, object } from './shape.js';

function makeCommand(name: string, help: string, statusKey: string, replacement?: string) {
  return databaseCommand({
    name,
    help,
    ...(replacement !== undefined && { replacement }),
    kind: 'list',
    shape: object({ options: noOptions(name) }),
    plan: (_, { schema }) => [...schema.keyspaces.keys()],
    execute: async (plan) => plan,
    respond: (names) => ({ status: [[statusKey, JSON.stringify(names)]] }),
  });
}

export const findKeyspaces = makeCommand('findKeyspaces', 'Lists the keyspaces.', 'keyspaces');
export const findNamespaces = makeCommand(
  'findNamespaces',
  'Deprecated name of findKeyspaces.',
  'namespaces',
  'findKeyspaces',
);
