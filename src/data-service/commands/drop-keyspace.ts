// dropKeyspace, and its deprecated name dropNamespace (wire: General level).
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, databaseCommand } from './command.js';
import { nonEmptyText, noOptions, object } from './shape.js';

function makeCommand(name: string, help: string, replacement?: string) {
  return databaseCommand({
    name,
    help,
    ...(replacement !== undefined && { replacement }),
    ...changesSchema,
    removes: true,
    shape: object({ name: nonEmptyText, options: noOptions(name) }),
    plan: (request): SchemaChange => ({ kind: 'dropKeyspace', name: request.name }),
  });
}

export const dropKeyspace = makeCommand(
  'dropKeyspace',
  'Drops a keyspace with everything in it, if it exists.',
);
export const dropNamespace = makeCommand('dropNamespace', 'Deprecated name of dropKeyspace.', 'dropKeyspace');
